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
