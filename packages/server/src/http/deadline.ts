// Limits the time of each request, because a frozen database never answers at all.
import { type CairnError, fail } from '@cairn/protocol/errors';

/** Stops while a body arrives, because bodies have a separate limit. */
export class RequestClock {
  readonly #ms: number;
  readonly #onLate: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, onLate: () => void) {
    this.#ms = ms;
    this.#onLate = onLate;
    this.start();
  }

  start(): void {
    this.stop();
    this.#timer = setTimeout(this.#onLate, this.#ms).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

export function tooLate(method: string): CairnError {
  const isUnknown = !SAFE_METHODS.includes(method);
  return fail('UNAVAILABLE', {
    message: isUnknown
      ? 'The request took too long. Whether it was carried out is not known. Send it again with the same submission id.'
      : 'The request took too long. Send it again.',
    ...(isUnknown && { details: { outcome: 'unknown' } }),
    retryAfter: 1,
  });
}
