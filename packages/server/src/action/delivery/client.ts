// Sends requests to addresses that others chose. Redirects are not followed: they are answers like any other.
import { fail } from '@cairn/protocol/errors';
import { exchange } from './exchange.ts';
import { failureOf, OutboundError } from './failure.ts';
import type { Outbound, OutboundAnswer, OutboundFailure, OutboundRequest } from './outbound.ts';
import {
  NameError,
  type Resolve,
  type Resolvers,
  resolveByMachine,
  resolveByNameServer,
  resolveTarget,
} from './resolve.ts';
import { parseTarget, TargetRefusal } from './target.ts';
import { withinTime } from './time-limit.ts';

export interface OutboundOptions {
  /** Private targets that the operator permits, as host:port. */
  readonly allow: readonly string[];
  /** How names are looked up; by default as the machine does. */
  readonly resolve?: Resolve | undefined;
  /** Until the connection stands: look-up of the name and TLS included. */
  readonly connectMs?: number | undefined;
  /** Until the answer is read. */
  readonly totalMs?: number | undefined;
  /** Certificates to trust instead of those that the machine does. */
  readonly ca?: string | undefined;
}

interface Limits {
  readonly connectMs: number;
  readonly totalMs: number;
}

interface Means extends Limits {
  readonly allow: ReadonlySet<string>;
  readonly resolvers: Resolvers;
  readonly ca: string | undefined;
}

export function createOutbound({
  allow,
  resolve,
  connectMs = 10_000,
  totalMs = 30_000,
  ca,
}: OutboundOptions): Outbound {
  const resolvers = { publicName: resolve ?? resolveByNameServer, permittedName: resolve ?? resolveByMachine };
  const means: Means = { allow: new Set(allow), resolvers, connectMs, totalMs, ca };
  return {
    check: (url, path) => checkTarget(means, { url, path }),
    send: (request) => send(means, request),
  };
}

async function checkTarget(means: Means, { url, path }: { url: string; path: string }): Promise<void> {
  try {
    const target = parseTarget(url, means.allow);
    await withinTime(resolveTarget(means.resolvers, target), { connectMs: means.connectMs });
  } catch (error) {
    // A name server that is down must not keep anybody from saving; nothing is sent before the name is found.
    if (error instanceof NameError || error instanceof OutboundError) return;
    if (!(error instanceof TargetRefusal)) throw error;
    throw fail('VALIDATION_ERROR', {
      message: `${path}: ${error.message}`,
      details: [{ path, message: error.message }],
    });
  }
}

async function send(means: Means, request: OutboundRequest): Promise<OutboundAnswer | OutboundFailure> {
  const startedAt = performance.now();
  const elapsedMs = () => performance.now() - startedAt;
  request.signal?.throwIfAborted();
  try {
    const target = parseTarget(request.url, means.allow);
    const { connectMs, totalMs, ca } = means;
    const addresses = await withinTime(resolveTarget(means.resolvers, target), { connectMs, signal: request.signal });
    const left = { connectMs: connectMs - elapsedMs(), totalMs: totalMs - elapsedMs() };
    const answer = await exchange(request, { target, addresses, ca, ...left });
    return { kind: 'answer', ...answer, durationMs: elapsedMs() };
  } catch (error) {
    request.signal?.throwIfAborted();
    return { kind: 'failure', ...failureOf(error), durationMs: elapsedMs() };
  }
}
