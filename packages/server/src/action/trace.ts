// Which chain of deliveries and commits something belongs to. A delivery carries its trace, signed; a commit that sends it
// back joins it, so that loops are seen and end.
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { fail } from '@cairn/protocol/errors';
import { TRACE_HEADER } from '@cairn/protocol/subscription-event';
import type { Context } from '../access/context.ts';
import type { Trace } from '../commit/drafting.sql.ts';
import type { OwnInstall } from '../commit/write-limit.sql.ts';

export type { Trace } from '../commit/drafting.sql.ts';

/** `via` is missing in headers of earlier versions. */
const FORM =
  /^(?<text>(?<traceId>[0-9a-f]{32})\.(?<depth>\d{1,3})(?:\.via(?<via>-?\d{1,15}(?:_-?\d{1,15})*))?\.(?<sentAt>\d{1,15}))\.(?<code>[A-Za-z0-9_-]{43})$/;
const DEPTH_MAX = 999;
/** A loop through more homes than these does not end by itself. */
const VIA_MAX = 16;

/**
 * Longer than a receiver may take to report back. After that a commit begins a trace of its own: kept for ever, a header would
 * let its holder write without those being told who were told once.
 */
const VALID_MS = 2 * 86_400_000;

export function formatTrace(key: KeyObject, { traceId, depth, via }: Trace, now: number): string {
  const passed = via.length === 0 ? '' : `.via${via.join('_')}`;
  const text = `${traceId}.${Math.min(depth, DEPTH_MAX)}${passed}.${now}`;
  return `${text}.${codeOf(key, text).toString('base64url')}`;
}

/** `undefined` without a header, or with one that is old. One that is not ours is refused: ignored, it would let a loop run on. */
export function readTrace(key: KeyObject, header: string | undefined, now: number): Trace | undefined {
  if (header === undefined) return undefined;
  const { text = '', traceId = '', depth, via = '', sentAt, code = '' } = FORM.exec(header)?.groups ?? {};
  const given = Buffer.from(code, 'base64url');
  const expected = codeOf(key, text);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    const message = `The header ${TRACE_HEADER} is not one that this server sent. Send it back as it came with the delivery, or leave it out.`;
    throw fail('VALIDATION_ERROR', { message, details: [{ path: TRACE_HEADER, message }] });
  }
  if (Number(sentAt) + VALID_MS < now) return undefined;
  return { traceId, depth: Number(depth), via: via === '' ? [] : via.split('_').map(Number) };
}

/** The trace that a delivery of this home hands on. */
export function passThrough({ traceId, depth, via }: Trace, homeId: number): Trace {
  return { traceId, depth, via: [...via.filter((other) => other !== homeId), homeId].slice(-VIA_MAX) };
}

/** What a commit is to be known by: its trace, and the component that writes it, with its install. */
export function causeOf({ keys, trace, principal }: Context): Cause {
  const joined = readTrace(keys.trace, trace, Date.now());
  if (principal.kind !== 'component') return { trace: joined, component: undefined, install: undefined };
  const { component, installId } = principal;
  return { trace: joined, component, install: installId === undefined ? undefined : ownInstall(component, installId) };
}

/** `component` is its full name. */
function ownInstall(component: string, installId: string): OwnInstall {
  return { installId, componentName: component.slice(component.indexOf('/') + 1) };
}

interface Cause {
  readonly trace: Trace | undefined;
  readonly component: string | undefined;
  readonly install: OwnInstall | undefined;
}

function codeOf(key: KeyObject, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
