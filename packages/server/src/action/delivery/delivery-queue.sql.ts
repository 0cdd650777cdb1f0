// Which subscriptions have something to do: one row of `work` each. Whoever has made something to do puts it there, in the same
// transaction; one node at a time holds a subscription, and gives it back with the time at which it has something to do again.
import type { BulkStatement, Reader, Transaction } from '../../engine/database.ts';
import { type ClaimedWork, claimWork, finishWork, releaseWork, type WorkWish } from '../../engine/work.ts';
import { loseRuns } from '../run.write.ts';

const KIND = 'delivery';
/** How often a subscription is looked at whose repository is deleted, and may be restored. */
const DELETED_AGAIN_MS = 3_600_000;

// One that is held is left alone: its due time is the end of the lease, and its holder looks again before it lets go.
const ENQUEUE = `on conflict (repo_id, kind, work_key) do update set due_at = excluded.due_at
  where work.claim is null and work.due_at > excluded.due_at`;

const ENQUEUE_DELIVERIES: BulkStatement = {
  each: `insert into work (repo_id, kind, work_key, owner, due_at) values ($1, '${KIND}', $3, '', $2) ${ENQUEUE}`,
  set: `insert into work (repo_id, kind, work_key, owner, due_at)
    select $1::bigint, '${KIND}', k.work_key, '', $2::bigint from unnest($3::text[]) as k (work_key)
    order by k.work_key collate "C" ${ENQUEUE}`,
};

interface Enqueued {
  readonly homeId: number;
  readonly dueAt: number;
}

/** On PostgreSQL it holds the row until the end, so that a holder who lets go at the same moment sees what was made. */
export async function enqueueDelivery(
  tx: Transaction,
  { subscriptionId, ...rest }: Enqueued & { subscriptionId: string },
): Promise<void> {
  await enqueueDeliveries(tx, { ...rest, subscriptionIds: [subscriptionId] });
}

export async function enqueueDeliveries(
  tx: Transaction,
  { homeId, dueAt, subscriptionIds }: Enqueued & { subscriptionIds: readonly string[] },
): Promise<void> {
  await tx.bulk(ENQUEUE_DELIVERIES, { common: [homeId, dueAt], rows: subscriptionIds.map((id) => [id]) });
}

export async function hasDueDelivery(reader: Reader, now: number): Promise<boolean> {
  const rows = await reader.query(`select 1 as one from work where kind = '${KIND}' and due_at <= $1 limit 1`, [now]);
  return rows.length > 0;
}

export interface HeldDelivery {
  readonly work: ClaimedWork;
  /** `undefined`: the subscription is deleted. */
  readonly webhookUrl: string | undefined;
}

/** Whoever held it before is gone: what they were sending counts, and goes again. */
export async function claimDelivery(tx: Transaction, wish: Omit<WorkWish, 'kind'>): Promise<HeldDelivery | undefined> {
  const work = await claimWork(tx, { ...wish, kind: KIND });
  if (work === undefined) return undefined;
  const { repoId: homeId, key: subscriptionId } = work;
  const state = await findSubscriptionState(tx, { homeId, subscriptionId });
  await loseRuns(tx, { homeId, subscriptionId, fallback: state?.fallbackWebhookUrl !== null, now: wish.now });
  return { work, webhookUrl: state?.webhookUrl };
}

/** Holds the row until the transaction ends. */
export async function isHeld(tx: Transaction, { repoId, kind, key, claim }: ClaimedWork): Promise<boolean> {
  const rows = await tx.query(
    `select 1 as one from work where repo_id = $1 and kind = $2 and work_key = $3 and claim = $4 ${tx.forUpdate}`,
    [repoId, kind, key, claim],
  );
  return rows.length > 0;
}

/** Gives it back, `notBefore` some time where there was no room for it. */
export async function releaseDelivery(
  tx: Transaction,
  { work, now, notBefore = 0 }: { work: ClaimedWork; now: number; notBefore?: number },
): Promise<void> {
  // The lock first, then a statement of its own that sees what whoever held it before has made.
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

// What decides whether and where the runs of a subscription are sent.

export interface SubscriptionKey {
  /** The repository's id, or minus the organization's. */
  readonly homeId: number;
  readonly subscriptionId: string;
}

export interface SubscriptionState {
  readonly name: string;
  readonly webhookUrl: string;
  readonly fallbackWebhookUrl: string | null;
  readonly credentialSetId: string | null;
  readonly active: boolean;
  /** Whether its repository is, or the one whose commits it tells of. Either may be restored. */
  readonly deleted: boolean;
}

interface StateRow {
  readonly name: string;
  readonly webhook_url: string;
  readonly fallback_webhook_url: string | null;
  readonly credential_set_id: string | null;
  readonly active: number;
  readonly deleted_at: number | null;
  readonly source_deleted_at: number | null;
}

/** `undefined`: it is deleted. */
export async function findSubscriptionState(
  reader: Reader,
  { homeId, subscriptionId }: SubscriptionKey,
): Promise<SubscriptionState | undefined> {
  const [row] = await reader.query<StateRow>(
    `select subscription.name, webhook_url, fallback_webhook_url, credential_set_id, active, repository.deleted_at,
       source.deleted_at as source_deleted_at
     from subscription left join repository on repository.id = subscription.repo_id
       left join repository source on source.id = subscription.source_repo_id
     where subscription.repo_id = $1 and subscription_id = $2`,
    [homeId, subscriptionId],
  );
  return (
    row && {
      name: row.name,
      webhookUrl: row.webhook_url,
      fallbackWebhookUrl: row.fallback_webhook_url,
      credentialSetId: row.credential_set_id,
      active: row.active === 1,
      deleted: row.deleted_at !== null || row.source_deleted_at !== null,
    }
  );
}
