// Runs a piece of background work now and again, never twice at once.

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
  const run = () => {
    running ??= work(stopping.signal)
      .catch(onError)
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
