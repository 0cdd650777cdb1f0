// Cancellation by the caller, and retries of work that is safe to repeat.
import { CairnError, fail } from '@cairn/protocol/errors';

/** Cancellation fails like everything else: with a `CairnError`. It carries the reason that the caller gave. */
export function stopIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw endOf(signal);
}

function endOf({ reason: cause }: AbortSignal): CairnError {
  // The SDK also aborts requests itself, and gives the error as the reason.
  if (cause instanceof CairnError) return cause;
  return fail('ABORTED', { message: `The caller aborted: ${cause instanceof Error ? cause.message : cause}`, cause });
}

/**
 * Ends the work for its caller as soon as the caller aborts, even if the work itself is stuck. The work gets its own
 * signal: otherwise, each call would keep a listener on a shared signal for as long as that lives.
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

/**
 * Resolves to true if the promise settles in time and nobody aborts. Failures are left to whoever awaits the promise.
 */
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

/** Retries of idempotent calls, and of work that can resume after an interruption. */
export interface RetryOptions {
  /** Number of retries in a row without any progress. Defaults to 6; for a call that is a single request, to 2. */
  readonly tries?: number;
  /**
   * Pause before the first retry, in milliseconds. Each further pause is twice as long, up to 10 seconds. Defaults to
   * 200.
   */
  readonly pauseMs?: number;
  /**
   * Milliseconds without a sign from the server after which a stream counts as interrupted. Defaults to 60,000; for a
   * live stream, to 45,000.
   */
  readonly silenceMs?: number;
}

const TRIES = 6;
export const PAUSE_MS = 200;
const PAUSE_MS_MAX = 10_000;
const DOUBLINGS_MAX = 30;
/** If the server asks for a longer pause than this, the caller decides whether to wait. */
const RETRY_AFTER_SECONDS_MAX = 60;

/**
 * Returns true if the same call may succeed later, unchanged. Errors other than a `CairnError` are never retryable.
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

/** Takes the error of a failed try, and the progress so far. Pauses, or throws the error if another try is useless. */
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

/** Adds jitter, so that clients that were disconnected together do not reconnect together. */
function lengthened(pauseMs: number, failures: number): number {
  return Math.min(PAUSE_MS_MAX, pauseMs * 2 ** Math.min(failures - 1, DOUBLINGS_MAX)) * (0.75 + Math.random() / 4);
}

/** Use it for idempotent calls only. */
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
