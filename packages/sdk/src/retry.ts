import { CairnError, ERRORS } from '@cairn/protocol/errors';

/**
 * Whether the same call may succeed later, unchanged.
 *
 * @example
 * if (isRetryable(error)) await later();
 */
export function isRetryable(error: unknown): boolean {
  return error instanceof CairnError && 'retryable' in ERRORS[error.code];
}
