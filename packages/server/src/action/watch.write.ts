// What commits are held against: one row for each active subscription, beside the repository that it is for, and the count
// of them in the repository's sequence. Who changes the rows holds the sequence, as commits do: a commit finds the rows of
// before or of after, and the count that goes with them.
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { Transaction } from '../engine/database.ts';
import { weightOf } from './subscription-filter.rule.ts';

/** Every commit is held against all of them. */
const WATCHES_MAX = 200;
/** Of all filters: a commit of ten thousand operations keeps the writer for less than a second with them. */
const WEIGHT_MAX = 500;

export interface WatchAddress {
  /** The repository whose commits it is for; for what is an organization's own, minus its id. */
  readonly watchedId: number;
  readonly homeId: number;
  readonly subscriptionId: string;
}

export interface Watch extends WatchAddress {
  readonly filter: string | null;
  readonly event: string | null;
  readonly allowTraceReentry: boolean;
  readonly component: string | null;
}

/** Holds homes until the transaction ends, in one order, so that nobody waits for who waits for them. */
export async function lockHomes(tx: Transaction, homeIds: readonly number[]): Promise<void> {
  for (const homeId of [...new Set(homeIds)].sort((a, b) => a - b)) {
    const sql =
      homeId > 0 ? 'select repo_id from repo_sequence where repo_id = $1' : 'select id from organization where id = $1';
    await tx.query(`${sql} ${tx.forUpdate}`, [Math.abs(homeId)]);
  }
}

/** The caller holds what is watched. */
export async function setWatch(tx: Transaction, watch: Watch): Promise<void> {
  const { watchedId, homeId, subscriptionId, filter, event, allowTraceReentry, component } = watch;
  await tx.query(
    `insert into watch (repo_id, home_id, subscription_id, filter, event, allow_trace_reentry, component)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (repo_id, home_id, subscription_id) do update set filter = excluded.filter, event = excluded.event,
       allow_trace_reentry = excluded.allow_trace_reentry, component = excluded.component`,
    [watchedId, homeId, subscriptionId, filter, event, Number(allowTraceReentry), component],
  );
  const count = await countWatches(tx, watchedId);
  if (count > WATCHES_MAX) {
    throw tooMany(`At most ${WATCHES_MAX} subscriptions to one repository can be active`, WATCHES_MAX);
  }
  if (filter !== null) await refuseHeavy(tx, watchedId);
}

async function refuseHeavy(tx: Transaction, watchedId: number): Promise<void> {
  const rows = await tx.query<{ filter: string }>(
    'select filter from watch where repo_id = $1 and filter is not null',
    [watchedId],
  );
  const weight = rows.reduce((sum, { filter }) => sum + weightOf(JSON.parse(filter)), 0);
  if (weight <= WEIGHT_MAX) return;
  const what = `The filters of all active subscriptions to one repository have at most ${WEIGHT_MAX} predicates, where a glob with several wildcards counts as twenty`;
  throw tooMany(what, WEIGHT_MAX);
}

function tooMany(what: string, max: number): CairnError {
  const message = `${what}. Use fewer, or pause or delete other subscriptions first.`;
  return fail('CONFLICT', { message, details: { reason: 'limit', max } });
}

/** The caller holds what is watched. */
export async function removeWatch(tx: Transaction, { watchedId, homeId, subscriptionId }: WatchAddress): Promise<void> {
  await tx.query('delete from watch where repo_id = $1 and home_id = $2 and subscription_id = $3', [
    watchedId,
    homeId,
    subscriptionId,
  ]);
  await countWatches(tx, watchedId);
}

async function countWatches(tx: Transaction, watchedId: number): Promise<number> {
  const [row] = await tx.query<{ n: number }>('select count(*) as n from watch where repo_id = $1', [watchedId]);
  const count = row?.n ?? 0;
  if (watchedId > 0) await tx.query('update repo_sequence set watched = $2 where repo_id = $1', [watchedId, count]);
  return count;
}

/** For a repository that is removed for good: it watches no other any more. */
export async function removeWatchesBy(tx: Transaction, homeId: number): Promise<void> {
  const rows = await tx.query<{ repo_id: number; subscription_id: string }>(
    'select repo_id, subscription_id from watch where home_id = $1 and repo_id <> $1',
    [homeId],
  );
  await lockHomes(
    tx,
    rows.map(({ repo_id }) => repo_id),
  );
  for (const { repo_id: watchedId, subscription_id: subscriptionId } of rows) {
    await removeWatch(tx, { watchedId, homeId, subscriptionId });
  }
}
