// What went wrong, for people: what it is called, what to do, and whether to try again makes sense.
import { type ActionNotification, CairnError, type Subscription } from '@cairn/sdk';
import { onlineManager } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { hasFailed } from '../features/operate/run.ts';
import { refusalText } from '../ui/refusal-text.ts';

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

// What has failed and still stands so: of all that is told, what somebody should look at.

type Told = Pick<ActionNotification, 'runId' | 'runStatus' | 'status' | 'subscriptionName'>;
type Paused = Pick<Subscription, 'name' | 'pausedReason'>;

export const tellsOfPause = ({ status }: Pick<Told, 'status'>): boolean => status === 'paused';

/** Each run once, however often it failed, and each subscription that the server paused while it still is. */
export function countFailures(told: readonly Told[], subscriptions: readonly Paused[]): number {
  const runs = told.filter(({ runStatus }) => runStatus !== undefined && hasFailed({ status: runStatus }));
  const names = new Set(told.filter(tellsOfPause).map(({ subscriptionName }) => subscriptionName));
  const paused = subscriptions.filter(({ name, pausedReason }) => pausedReason !== undefined && names.has(name));
  return new Set(runs.map(({ runId }) => runId)).size + paused.length;
}

export function useOnline(): boolean {
  return useSyncExternalStore(
    (tell) => onlineManager.subscribe(tell),
    () => onlineManager.isOnline(),
  );
}

/** Until there is a network, if there is none. */
export async function backOnline(): Promise<void> {
  if (onlineManager.isOnline()) return;
  await new Promise<void>((back) => {
    const stop = onlineManager.subscribe((isOnline) => {
      if (!isOnline) return;
      stop();
      back();
    });
  });
}
