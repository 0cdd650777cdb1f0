// Traces: signed chains of deliveries and commits, so that loops are found and end.

import { type KeyObject, timingSafeEqual } from 'node:crypto';
import { invalidField } from '@cairn/model/operation';
import { TRACE_HEADER } from '@cairn/protocol/vocabulary';
import type { Context } from '../access/context.ts';
import type { Trace } from '../commit/drafting.sql.ts';
import type { OwnInstall } from '../commit/write-limit.sql.ts';
import { computeMac } from '../keys/secret.ts';

export type { Trace } from '../commit/drafting.sql.ts';

const TRACE =
  /^(?<text>(?<traceId>[0-9a-f]{32})\.(?<depth>\d{1,3})(?:\.via(?<via>-?\d{1,15}(?:_-?\d{1,15})*))?\.(?<sentAt>\d{1,15}))\.(?<code>[A-Za-z0-9_-]{43})$/;
const DEPTH_MAX = 999;
/** A loop through more owners than these does not end by itself. */
const VIA_MAX = 16;

/** Afterwards a commit starts its own trace: a header valid forever would let its holder bypass triggers. */
const VALID_MS = 2 * 86_400_000;

export function formatTrace(key: KeyObject, { traceId, depth, via }: Trace, now: number): string {
  const passed = via.length === 0 ? '' : `.via${via.join('_')}`;
  const text = `${traceId}.${Math.min(depth, DEPTH_MAX)}${passed}.${now}`;
  return `${text}.${computeMac(key, text).toString('base64url')}`;
}

/** An outdated header counts as absent. A forged one is refused, because ignoring it would let a loop run on. */
export function readTrace(key: KeyObject, header: string | undefined, now: number): Trace | undefined {
  if (header === undefined) return undefined;
  const { text = '', traceId = '', depth, via = '', sentAt, code = '' } = TRACE.exec(header)?.groups ?? {};
  const given = Buffer.from(code, 'base64url');
  const expected = computeMac(key, text);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw invalidField(
      TRACE_HEADER,
      `The header ${TRACE_HEADER} does not come from this server. Send it back unchanged from the delivery, or leave it out.`,
    );
  }
  if (Number(sentAt) + VALID_MS < now) return undefined;
  return { traceId, depth: Number(depth), via: via === '' ? [] : via.split('_').map(Number) };
}

export function passThrough({ traceId, depth, via }: Trace, homeId: number): Trace {
  return { traceId, depth, via: [...via.filter((other) => other !== homeId), homeId].slice(-VIA_MAX) };
}

export function causeOf({ keys, trace, principal }: Context): Cause {
  const joined = readTrace(keys.trace, trace, Date.now());
  if (principal.kind !== 'component') return { trace: joined, component: undefined, install: undefined };
  const { component, installId } = principal;
  const componentName = component.slice(component.indexOf('/') + 1);
  return { trace: joined, component, install: installId === undefined ? undefined : { installId, componentName } };
}

interface Cause {
  readonly trace: Trace | undefined;
  readonly component: string | undefined;
  readonly install: OwnInstall | undefined;
}
