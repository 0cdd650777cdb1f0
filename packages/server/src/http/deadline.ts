// Limits the time of each request, because a frozen database never answers at all.
import { fail } from '@cairn/protocol/errors';
import type { MiddlewareHandler } from 'hono';
import type { Deps, EdgeEnv } from './env.ts';
import { answerError } from './error.ts';

/** Long-running paths, which have limits of their own. */
const LASTING =
  /\/(export|submissions|setup-call)$|\/cli\/[^/]+$|^\/(sse|downloads)(\/|$)|^\/trpc\/.*\b(import|component)\./;
const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

export function deadline({ settings }: Pick<Deps, 'settings'>): MiddlewareHandler<EdgeEnv> {
  const { requestMs } = settings.limits;
  return async (c, next) => {
    if (LASTING.test(c.req.path)) return next();
    const clock = new RequestClock(requestMs);
    c.set('clock', clock);
    const isLate = await Promise.race([next().then(() => false), clock.late]);
    clock.stop();
    if (!isLate) return;
    const isUnknown = !SAFE_METHODS.includes(c.req.method);
    return answerError(
      c,
      fail('UNAVAILABLE', {
        message: isUnknown
          ? 'The request took too long. Whether it was carried out is not known. Send it again with the same submission id.'
          : 'The request took too long. Send it again.',
        ...(isUnknown && { details: { outcome: 'unknown' } }),
        retryAfter: 1,
      }),
    );
  };
}

/** Stops while a body arrives, because bodies have a separate limit. */
export class RequestClock {
  readonly #ms: number;
  readonly #late = Promise.withResolvers<true>();
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number) {
    this.#ms = ms;
    this.start();
  }

  get late(): Promise<true> {
    return this.#late.promise;
  }

  start(): void {
    this.stop();
    this.#timer = setTimeout(() => this.#late.resolve(true), this.#ms).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
