import { type ActionNotification, CairnError, type Subscription } from '@cairn/sdk';
import { onlineManager } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { hasFailed } from '../features/operate/run.ts';
import { refusalText } from '../ui/refusal-text.ts';

const PASSING: readonly string[] = ['UNAVAILABLE', 'RATE_LIMITED', 'INTERNAL_ERROR', 'NETWORK_ERROR'];

export const isWorthRetrying = (error: unknown): boolean =>
  !(error instanceof CairnError) || PASSING.includes(error.code);

export function waitMsOf(error: unknown): number | undefined {
  if (!(error instanceof CairnError) || error.code !== 'RATE_LIMITED') return undefined;
  return Math.max(1, error.retryAfter ?? 1) * 1_000;
}

export const isMissing = (error: unknown): boolean => error instanceof CairnError && error.code === 'NOT_FOUND';

/** `undefined` if it does not exist, because it may have been deleted meanwhile. */
export const unlessMissing = <Found>(reading: Promise<Found>, ...codes: string[]): Promise<Found | undefined> =>
  reading.catch((error: unknown) => {
    if (isMissing(error) || (error instanceof CairnError && codes.includes(error.code))) return undefined;
    throw error;
  });

/** The server answers 404 for what the viewer may not see. */
export const isHidden = (error: unknown): boolean =>
  error instanceof CairnError && ['NOT_FOUND', 'UNAUTHENTICATED', 'FORBIDDEN'].includes(error.code);

/** The SDK's own message addresses programmers. */
const NO_ANSWER = 'The server did not respond. Check your connection, and try again.';

export function problemOf(error: unknown): { readonly title: string; readonly advice: string } {
  if (!(error instanceof CairnError)) {
    const reason = error instanceof Error ? error.message : String(error);
    return { title: 'Something went wrong', advice: reason };
  }
  if (error.code === 'NETWORK_ERROR') return { title: 'Something went wrong', advice: NO_ANSWER };
  if (isMissing(error)) return { title: 'Not found', advice: error.message };
  if (error.code === 'UNAUTHENTICATED') return { title: 'Sign in to see this', advice: error.message };
  if (error.code === 'FORBIDDEN') return { title: 'You do not have access', advice: error.message };
  const advice = error.code === 'SHAPE_MISMATCH' ? refusalText(error) : error.message;
  return { title: 'Something went wrong', advice };
}

type FailureNotice = Pick<ActionNotification, 'runId' | 'runStatus' | 'status' | 'subscriptionName'>;
type Paused = Pick<Subscription, 'name' | 'pausedReason'>;

export const tellsOfPause = ({ status }: Pick<FailureNotice, 'status'>): boolean => status === 'paused';

export function countFailures(told: readonly FailureNotice[], subscriptions: readonly Paused[]): number {
  const runs = told.filter(({ runStatus }) => runStatus !== undefined && hasFailed({ status: runStatus }));
  const names = new Set(told.filter(tellsOfPause).map(({ subscriptionName }) => subscriptionName));
  const paused = subscriptions.filter(({ name, pausedReason }) => pausedReason !== undefined && names.has(name));
  return new Set(runs.map(({ runId }) => runId)).size + paused.length;
}

export const OFFLINE = 'You are offline. This continues when you reconnect.';

export const useOnline = (): boolean =>
  useSyncExternalStore(
    (tell) => onlineManager.subscribe(tell),
    () => onlineManager.isOnline(),
  );

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
