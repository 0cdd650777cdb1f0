// What has failed and still stands so: of all that is told, what somebody should look at.
import type { ActionNotification, Subscription } from '@cairn/sdk';
import { hasFailed } from '../features/operate/run-pace.ts';

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
