// A subscription that the server pauses by itself, and says why.
import type { Transaction } from '../engine/database.ts';
import type { SubscriptionKey } from './delivery/delivery-state.sql.ts';
import { lockHomes, removeWatch } from './watch.write.ts';

export interface ServerPause extends SubscriptionKey {
  readonly reason: string;
  readonly now: number;
}

/** Commits that are under way are through when it is done: those after them fire nothing. */
export async function pauseByServer(
  tx: Transaction,
  { homeId, subscriptionId, reason, now }: ServerPause,
): Promise<void> {
  const key = [homeId, subscriptionId];
  const rows = await tx.query<{ repo_id: number }>(
    'select repo_id from watch where home_id = $1 and subscription_id = $2',
    key,
  );
  const watchedIds = rows.map(({ repo_id }) => repo_id);
  await lockHomes(tx, watchedIds);
  for (const watchedId of watchedIds) await removeWatch(tx, { watchedId, homeId, subscriptionId });
  await tx.query(
    `update subscription set active = 0, paused_reason = $3, updated_at = $4
     where repo_id = $1 and subscription_id = $2 and active = 1`,
    [...key, reason, now],
  );
}
