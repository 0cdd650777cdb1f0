// How a test delivery went, in one sentence: whether anything was sent, whether it was reached, and what was answered.
import type { SubscriptionTest } from '@cairn/sdk';

/** What the server refuses to send itself. */
const UNSENT = /^(CREDENTIALS_|TARGET_REFUSED$)/;

export function deliveryText({ outcome, httpStatus, errorCode = '' }: SubscriptionTest): string {
  if (outcome === 'succeeded' || outcome === 'accepted') return 'The receiver took it.';
  if (httpStatus !== undefined) return `The receiver answered ${httpStatus}: it did not take it.`;
  if (UNSENT.test(errorCode)) return 'Nothing was sent.';
  return errorCode === 'TIMEOUT' ? 'The receiver did not answer in time.' : 'The receiver could not be reached.';
}
