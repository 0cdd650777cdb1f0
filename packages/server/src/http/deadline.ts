// Limits the time of each request, because a frozen database never answers at all.
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { Exchange } from './exchange.ts';

const LOOKS_A_LIMIT = 20;
const EVERY_MS_MAX = 250;

/** One timer for all requests: one for each would cost more than to route them. */
export class Deadlines {
  readonly #ms: number;
  readonly #running = new Set<Exchange>();
  readonly #onLate: (c: Exchange) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, onLate: (c: Exchange) => void) {
    this.#ms = ms;
    this.#onLate = onLate;
  }

  begin(c: Exchange): void {
    c.dueAt = c.startedAt + this.#ms;
    this.#running.add(c);
    this.#timer ??= setInterval(() => this.#look(), Math.min(EVERY_MS_MAX, this.#ms / LOOKS_A_LIMIT)).unref();
  }

  end(c: Exchange): void {
    this.#running.delete(c);
  }

  #look(): void {
    const now = performance.now();
    for (const c of this.#running) {
      if (c.dueAt > now) continue;
      this.#running.delete(c);
      this.#onLate(c);
    }
    if (this.#running.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

export function tooLate({ method }: Exchange): CairnError {
  const isUnknown = !SAFE_METHODS.includes(method);
  return fail('UNAVAILABLE', {
    message: isUnknown
      ? 'The request took too long. Whether it was carried out is not known. Send it again with the same submission id.'
      : 'The request took too long. Send it again.',
    ...(isUnknown && { details: { outcome: 'unknown' } }),
    retryAfter: 1,
  });
}
