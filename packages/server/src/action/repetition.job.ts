// Runs a piece of background work now and again, never twice at once. What fails again and again is run less often: a fault may
// last for hours, and each time is a line in the log.

const FAILING_PAUSE_MAX_MS = 5_000;

export interface Repetition {
  readonly everyMs: number;
  /** Is to end soon after the signal. */
  readonly work: (signal: AbortSignal) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Begins at once; the answer stops it and waits for what is in hand. */
export function repeat({ everyMs, work, onError }: Repetition): () => Promise<void> {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let failures = 0;
  let notBefore = 0;
  const failed = (error: unknown) => {
    onError(error);
    notBefore = performance.now() + Math.min(FAILING_PAUSE_MAX_MS, everyMs * 2 ** failures);
    failures++;
  };
  const run = () => {
    if (running !== undefined || performance.now() < notBefore) return;
    running = work(stopping.signal)
      .then(() => {
        failures = 0;
      }, failed)
      .finally(() => {
        running = undefined;
      });
  };
  run();
  const timer = setInterval(run, everyMs).unref();
  return async () => {
    clearInterval(timer);
    stopping.abort();
    await running;
  };
}
