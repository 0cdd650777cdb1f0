// What the subscription of a manifest is for, as subscriptions say it.
import type { ManifestSubscription } from '@cairn/protocol/manifest';
import type { SubscriptionFilter } from '@cairn/protocol/subscription';

export interface TriggerSubject {
  readonly filter?: SubscriptionFilter | undefined;
  readonly event?: string | undefined;
}

/** An event stands instead of a filter; of shape and filter both must hold; neither means everything. */
export function subjectOf({ trigger: { shape, filter, event } }: ManifestSubscription): TriggerSubject {
  if (event !== undefined) return { event };
  if (shape === undefined) return { filter: filter ?? {} };
  return { filter: filter === undefined ? { shape } : { all: [{ shape }, filter] } };
}
