// What went wrong, for people: what it is called, what to do, and whether to try again makes sense.
import { CairnError } from '@cairn/sdk';
import { refusalText } from '../features/change/refusal-text.ts';

const PASSING: readonly string[] = ['UNAVAILABLE', 'RATE_LIMITED', 'INTERNAL_ERROR', 'NETWORK_ERROR'];

/** Of an error that is none of ours, such as a lost connection, it does. */
export const isWorthRetrying = (error: unknown): boolean =>
  !(error instanceof CairnError) || PASSING.includes(error.code);

/** How long to wait before asking again, where too much was asked at once; the server says when it answers again. */
export function waitMsOf(error: unknown): number | undefined {
  if (!(error instanceof CairnError) || error.code !== 'RATE_LIMITED') return undefined;
  return Math.max(1, error.retryAfter ?? 1) * 1_000;
}

export const isMissing = (error: unknown): boolean => error instanceof CairnError && error.code === 'NOT_FOUND';

/** What one may not see is answered as if it were not there. */
export const isHidden = (error: unknown): boolean =>
  error instanceof CairnError && ['NOT_FOUND', 'UNAUTHENTICATED', 'FORBIDDEN'].includes(error.code);

/** The words of the SDK are for who gives it an address. */
const NO_ANSWER = 'The server does not answer. Look whether you are online, and try again.';

export interface Problem {
  readonly title: string;
  readonly advice: string;
}

export function problemOf(error: unknown): Problem {
  if (!(error instanceof CairnError)) {
    const reason = error instanceof Error ? error.message : String(error);
    return { title: 'This did not work', advice: reason };
  }
  if (error.code === 'NETWORK_ERROR') return { title: 'This did not work', advice: NO_ANSWER };
  if (isMissing(error)) return { title: 'Nothing is here', advice: error.message };
  if (error.code === 'UNAUTHENTICATED') return { title: 'Sign in to see this', advice: error.message };
  if (error.code === 'FORBIDDEN') return { title: 'You may not see this', advice: error.message };
  // The message of the server names fields by pointers.
  const advice = error.code === 'SHAPE_MISMATCH' ? refusalText(error) : error.message;
  return { title: 'This did not work', advice };
}
