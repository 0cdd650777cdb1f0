// Repeats background work. Failing work runs less often, because each failure is a line in the log.

import { CairnError } from '@cairn/protocol/errors';
import type { ClaimedWork } from '../engine/work.ts';
import type { Store } from '../store.ts';

const FAILING_PAUSE_MAX_MS = 5_000;

interface Repetition {
  readonly everyMs: number;
  readonly firstAfterMs?: number | undefined;
  /** Must end soon after the signal is aborted. */
  readonly work: (signal: AbortSignal) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

export function repeat({ everyMs, firstAfterMs = 0, work, onError }: Repetition): () => Promise<void> {
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
  if (firstAfterMs === 0) run();
  const first = firstAfterMs === 0 ? undefined : setTimeout(run, firstAfterMs).unref();
  const timer = setInterval(run, everyMs).unref();
  return async () => {
    clearTimeout(first);
    clearInterval(timer);
    stopping.abort();
    await running;
  };
}

/** The time that work stays idle after its node died. */
export const LEASE_MS = 10_000;

interface Lease {
  /** The signal aborts when another node has taken over, because further work is in vain. */
  readonly lost: AbortSignal;
  end(): void;
}

export function holdLease(store: Store, work: ClaimedWork): Lease {
  const losing = new AbortController();
  const renew = async () => {
    // An unreachable database does not mean that the lease is lost; only an answer does.
    const held = await renewWork(store, work).catch(() => true);
    if (!held) losing.abort(new Error('another node has taken over the work'));
  };
  const timer = setInterval(renew, LEASE_MS / 3).unref();
  return { lost: losing.signal, end: () => clearInterval(timer) };
}

async function renewWork(store: Store, work: ClaimedWork): Promise<boolean> {
  return await store.write.renewWork({ ...work, until: (await store.database.now()) + LEASE_MS });
}

interface FailureLog {
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

/** Temporary problems, such as a slow machine, are logged without a useless stack. */
export function tellOfJobFailure(log: FailureLog, job: string, error: unknown): void {
  if (error instanceof CairnError && error.isRetryable) {
    const { message: problem, cause } = error;
    const why = cause instanceof Error ? { cause: cause.message } : {};
    log.warn({ job, code: error.code, problem, ...why }, 'A job could not run now; it will be retried.');
  } else {
    log.error({ err: error, job }, 'A job failed; it will be retried.');
  }
}
