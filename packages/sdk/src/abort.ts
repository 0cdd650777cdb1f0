import { CairnError, fail } from '@cairn/protocol/errors';

/** What the caller has ended fails as all else does: by a `CairnError`, with the reason that was given. */
export function stopIfAborted(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return;
  const cause: unknown = signal.reason;
  // The SDK ends requests of its own accord too, and says why.
  if (cause instanceof CairnError) throw cause;
  throw fail('ABORTED', { message: `The caller ended it: ${cause instanceof Error ? cause.message : cause}`, cause });
}
