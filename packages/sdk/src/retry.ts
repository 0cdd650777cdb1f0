// Work that ends when its caller ends it, and is tried again when that does no harm.
import { CairnError, fail } from '@cairn/protocol/errors';

/** What the caller has ended fails as all else does: by a `CairnError`, with the reason that was given. */
export function stopIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw endOf(signal);
}

function endOf({ reason: cause }: AbortSignal): CairnError {
  // The SDK ends requests of its own accord too, and says why.
  if (cause instanceof CairnError) return cause;
  return fail('ABORTED', { message: `The caller ended it: ${cause instanceof Error ? cause.message : cause}`, cause });
}

/**
 * Whatever is run ends for its caller as soon as they end it, though what it waits for may not. It is given a signal of its own:
 * one that serves many calls would else be held on to by each of them for as long as it lives.
 */
export async function endable<Result>(
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal | undefined) => Promise<Result>,
): Promise<Result> {
  if (signal === undefined) return await run(undefined);
  stopIfAborted(signal);
  const own = new AbortController();
  let end = () => {};
  const ended = new Promise<never>((_, reject) => {
    end = () => {
      reject(endOf(signal));
      own.abort(signal.reason);
    };
  });
  signal.addEventListener('abort', end);
  try {
    return await Promise.race([ended, run(own.signal)]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** Whether it is there before the time is over, and nobody has aborted. Its failure is left to who awaits it. */
export function inTime(
  promise: Promise<unknown>,
  durationMs: number | undefined,
  signal?: AbortSignal,
): Promise<boolean> {
  return new Promise<boolean>((resolve) => {
    const end = (came: boolean) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      resolve(came);
    };
    const abort = () => end(false);
    const timer = durationMs === undefined ? undefined : setTimeout(end, durationMs, false);
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) end(false);
    promise.then(
      () => end(true),
      () => end(true),
    );
  });
}

/** How long calls that do no harm when they are made twice, and work that can go on after a cut, are tried again. */
export interface RetryOptions {
  /** How many times in a row it may fail without getting any further. By default 6; a call that is one request, 2. */
  readonly tries?: number;
  /** Before the first further try; each next pause is twice as long, up to 10 seconds. By default 200. */
  readonly pauseMs?: number;
  /** After how long without a sign from the server a stream counts as cut. By default 60,000; of a live stream 45,000. */
  readonly silenceMs?: number;
}

const TRIES = 6;
export const PAUSE_MS = 200;
const PAUSE_MS_MAX = 10_000;
const DOUBLINGS_MAX = 30;
/** Whoever is told to come back later than that decides for themselves. */
const RETRY_AFTER_SECONDS_MAX = 60;

/**
 * Whether the same call may succeed later, unchanged; what is no `CairnError` may not.
 *
 * @example
 * try {
 *   await client.org.create('acme');
 * } catch (error) {
 *   if (isRetryable(error)) console.log('Try again later.');
 *   else throw error;
 * }
 */
export function isRetryable(error: unknown): boolean {
  return error instanceof CairnError && error.isRetryable;
}

/** Called with what ended a try, and how far the work has come: pauses, or throws it when another try is no use. */
export type TryAgain = (error: unknown, progress: number) => Promise<void>;

export function createTries({ tries = TRIES, pauseMs = PAUSE_MS }: RetryOptions, signal?: AbortSignal): TryAgain {
  let failures = 0;
  let reached = 0;
  return async (error, progress) => {
    stopIfAborted(signal);
    if (progress > reached) failures = 0;
    reached = Math.max(reached, progress);
    failures += 1;
    const asked = retryAfterOf(error) ?? 0;
    if (!isRetryable(error) || failures > tries || asked > RETRY_AFTER_SECONDS_MAX) throw error;
    await pause(asked === 0 ? lengthened(pauseMs, failures) : asked * 1_000, signal);
  };
}

function retryAfterOf(error: unknown): number | undefined {
  return error instanceof CairnError ? error.retryAfter : undefined;
}

/** A part of it is chance, so that clients which were cut together do not come back together. */
function lengthened(pauseMs: number, failures: number): number {
  return Math.min(PAUSE_MS_MAX, pauseMs * 2 ** Math.min(failures - 1, DOUBLINGS_MAX)) * (0.75 + Math.random() / 4);
}

/** For calls that do no harm when they are made twice. */
export async function until<Result>(
  tryAgain: TryAgain,
  progress: number,
  call: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      await tryAgain(error, progress);
    }
  }
}

export async function pause(durationMs: number, signal?: AbortSignal): Promise<void> {
  stopIfAborted(signal);
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, durationMs);
    signal?.addEventListener('abort', end);
  });
  stopIfAborted(signal);
}
