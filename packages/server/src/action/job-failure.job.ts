// What the log says of background work that failed.
import { CairnError } from '@cairn/protocol/errors';

interface FailureLog {
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

/** What passes by itself, such as a machine that is slow, is told in words; where in the code it was met helps nobody. */
export function tellOfJobFailure(log: FailureLog, job: string, error: unknown): void {
  if (error instanceof CairnError && error.isRetryable) {
    const { message: problem, cause } = error;
    const why = cause instanceof Error ? { cause: cause.message } : {};
    log.warn({ job, code: error.code, problem, ...why }, 'A job could not be done now; it is tried again.');
  } else {
    log.error({ err: error, job }, 'A job failed; it is tried again.');
  }
}
