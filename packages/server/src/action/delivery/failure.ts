// Why there was no answer, in words that hold nothing of the path or the query of the URL: those may be secret.
import type { OutboundFailure } from './outbound.ts';
import { NameError } from './resolve.ts';
import { TargetRefusal } from './target.ts';

export class OutboundError extends Error {
  readonly code: OutboundFailure['code'];

  constructor(code: OutboundFailure['code'], message: string) {
    super(message);
    this.code = code;
  }
}

export function failureOf(error: unknown): Pick<OutboundFailure, 'code' | 'message'> {
  if (error instanceof TargetRefusal) return { code: 'TARGET_REFUSED', message: error.message };
  if (error instanceof NameError) return { code: 'DNS_ERROR', message: error.message };
  if (error instanceof OutboundError) return { code: error.code, message: error.message };
  return { code: 'NETWORK_ERROR', message: `The request could not be sent (${reasonOf(error)}).` };
}

/** The code of a driver, which says what happened and nothing of the request. */
export function reasonOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : 'unknown';
}

export function connectTimeout(connectMs: number): OutboundError {
  const message = `There was no connection within ${inSeconds(connectMs)}. Check that the target is up and that its firewall lets this server in.`;
  return new OutboundError('CONNECT_TIMEOUT', message);
}

export function timeout(totalMs: number): OutboundError {
  const message = `The answer was not complete within ${inSeconds(totalMs)}.`;
  return new OutboundError('TIMEOUT', message);
}

function inSeconds(ms: number): string {
  return `${Math.max(1, Math.round(ms / 1_000))} s`;
}
