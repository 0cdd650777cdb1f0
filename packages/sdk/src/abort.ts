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
