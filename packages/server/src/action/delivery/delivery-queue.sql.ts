// The delivery queue: one row of `work` per subscription with something to do, written in the transaction that creates
// the work. One node at a time holds a subscription.
import type { BulkStatement, Reader, Transaction } from '../../engine/database.ts';
import { type ClaimedWork, claimWork, finishWork, releaseWork, type WorkWish } from '../../engine/work.ts';
import { loseRuns } from '../run.write.ts';

const KIND = 'delivery';
const DELETED_AGAIN_MS = 3_600_000;

// A held row is left alone: its due time is the end of the lease, and its holder looks again before releasing it.
const ENQUEUE = `on conflict (repo_id, kind, work_key) do update set due_at = excluded.due_at
  where work.claim is null and work.due_at > excluded.due_at`;

const ENQUEUE_DELIVERIES: BulkStatement = {
  each: `insert into work (repo_id, kind, work_key, owner, due_at) values ($1, '${KIND}', $3, '', $2) ${ENQUEUE}`,
  set: `insert into work (repo_id, kind, work_key, owner, due_at)
    select $1::bigint, '${KIND}', k.work_key, '', $2::bigint from unnest($3::text[]) as k (work_key)
    order by k.work_key collate "C" ${ENQUEUE}`,
};

/** On PostgreSQL this locks the row, so that a holder who releases it at the same moment sees the new work. */
export async function enqueueDeliveries(
  tx: Transaction,
  { homeId, dueAt, subscriptionIds }: { homeId: number; dueAt: number; subscriptionIds: readonly string[] },
): Promise<void> {
  await tx.bulk(ENQUEUE_DELIVERIES, { common: [homeId, dueAt], rows: subscriptionIds.map((id) => [id]) });
}

export async function hasDueDelivery(reader: Reader, now: number): Promise<boolean> {
  const rows = await reader.query(`select 1 as one from work where kind = '${KIND}' and due_at <= $1 limit 1`, [now]);
  return rows.length > 0;
}

export interface HeldDelivery {
  readonly work: ClaimedWork;
  readonly webhookUrl: string | undefined;
}

/** The previous holder is gone. Its running attempts count, and their runs are sent again. */
export async function claimDelivery(tx: Transaction, wish: Omit<WorkWish, 'kind'>): Promise<HeldDelivery | undefined> {
  const work = await claimWork(tx, { ...wish, kind: KIND });
  if (work === undefined) return undefined;
  const { repoId: homeId, key: subscriptionId } = work;
  const state = await findSubscriptionState(tx, { homeId, subscriptionId });
  await loseRuns(tx, { homeId, subscriptionId, fallback: state?.fallbackWebhookUrl !== null, now: wish.now });
  return { work, webhookUrl: state?.webhookUrl };
}

export async function isHeld(tx: Transaction, { repoId, kind, key, claim }: ClaimedWork): Promise<boolean> {
  const rows = await tx.query(
    `select 1 as one from work where repo_id = $1 and kind = $2 and work_key = $3 and claim = $4 ${tx.forUpdate}`,
    [repoId, kind, key, claim],
  );
  return rows.length > 0;
}

export async function releaseDelivery(
  tx: Transaction,
  { work, now, notBefore = 0 }: { work: ClaimedWork; now: number; notBefore?: number },
): Promise<void> {
  // The lock comes first, so that the next statement sees what the previous holder wrote.
  if (!(await isHeld(tx, work))) return;
  const dueAt = await findNextDue(tx, work, now);
  if (dueAt === undefined) await finishWork(tx, work);
  else await releaseWork(tx, { ...work, dueAt: Math.max(dueAt, notBefore) });
}

async function findNextDue(tx: Transaction, work: ClaimedWork, now: number): Promise<number | undefined> {
  const { repoId: homeId, key: subscriptionId } = work;
  const state = await findSubscriptionState(tx, { homeId, subscriptionId });
  const paused = state?.active === false;
  const which = `from run where repo_id = $1 and subscription_id = $2`;
  const open = `select next_attempt_at as due ${which} and next_attempt_at is not null and status <> 'pending'
    ${paused ? `and status <> 'retry_wait'` : ''} order by next_attempt_at limit 1`;
  const pending = `select next_attempt_at as due ${which} and status = 'pending' order by position limit 1`;
  const both = `select due from (${open}) as o union all select due from (${pending}) as p`;
  const rows = await tx.query<{ due: number }>(paused ? open : both, [homeId, subscriptionId]);
  if (rows.length === 0) return undefined;
  if (state?.deleted === true) return now + DELETED_AGAIN_MS;
  return Math.min(...rows.map(({ due }) => due));
}

export interface SubscriptionKey {
  readonly homeId: number;
  readonly subscriptionId: string;
}

export interface SubscriptionState {
  readonly name: string;
  readonly webhookUrl: string;
  readonly fallbackWebhookUrl: string | null;
  readonly credentialSetId: string | null;
  readonly active: boolean;
  /** Set if its repository or its source repository is deleted. Either may be restored. */
  readonly deleted: boolean;
}

export async function findSubscriptionState(
  reader: Reader,
  { homeId, subscriptionId }: SubscriptionKey,
): Promise<SubscriptionState | undefined> {
  const [row] = await reader.query<Omit<SubscriptionState, 'active' | 'deleted'> & { active: number; deleted: number }>(
    `select subscription.name, webhook_url as "webhookUrl", fallback_webhook_url as "fallbackWebhookUrl",
       credential_set_id as "credentialSetId", active,
       case when coalesce(repository.deleted_at, source.deleted_at) is null then 0 else 1 end as deleted
     from subscription left join repository on repository.id = subscription.repo_id
       left join repository source on source.id = subscription.source_repo_id
     where subscription.repo_id = $1 and subscription_id = $2`,
    [homeId, subscriptionId],
  );
  return row && { ...row, active: row.active === 1, deleted: row.deleted === 1 };
}
