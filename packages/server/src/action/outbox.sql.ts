// A row leaves the outbox in the transaction that creates its run, so a commit yields one run per subscription.
import { TRACE_DEPTH_MAX } from '@cairn/protocol/vocabulary';
import type { BulkStatement, Reader, Transaction } from '../engine/database.ts';
import { type ClaimedWork, claimWork, finishWork, releaseWork, type WorkWish } from '../engine/work.ts';
import { isHeld } from './delivery/delivery-queue.sql.ts';
import { lockHomes } from './firing.sql.ts';
import { notify } from './notification.sql.ts';
import { beginRuns, type NewRun, parseVia } from './run.write.ts';
import { pauseByServer } from './subscription.sql.ts';

const KIND = 'outbox';

export interface OutboxRun extends NewRun {
  readonly homeId: number;
  readonly repoSeq: number;
}

export async function hasDueOutbox(reader: Reader, now: number): Promise<boolean> {
  const rows = await reader.query(`select 1 as one from work where kind = '${KIND}' and due_at <= $1 limit 1`, [now]);
  return rows.length > 0;
}

export async function claimOutbox(tx: Transaction, wish: Omit<WorkWish, 'kind'>): Promise<ClaimedWork | undefined> {
  return await claimWork(tx, { ...wish, kind: KIND });
}

export async function findOutbox(
  reader: Reader,
  { repoId }: ClaimedWork,
  { limit }: { limit: number },
): Promise<OutboxRun[]> {
  const rows = await reader.query<Omit<OutboxRun, 'via' | 'originRepoId'> & { via: string | null }>(
    `select repo_seq as "repoSeq", home_id as "homeId", subscription_id as "subscriptionId", event, trace_id as "traceId",
       depth, via, matched, data from outbox
     where repo_id = $1 order by repo_seq, home_id, subscription_id limit $2`,
    [repoId, limit],
  );
  return rows.map((row) => ({ ...row, via: parseVia(row.via), originRepoId: repoId }));
}

const TAKE_OUT: BulkStatement = {
  single: true,
  each: `delete from outbox where repo_id = $1 and home_id = $2 and repo_seq = $3 and subscription_id = $4
    returning repo_seq`,
  set: `delete from outbox o using unnest($3::bigint[], $4::text[]) with ordinality as k (repo_seq, id, ord)
    where o.repo_id = $1 and o.home_id = $2 and o.repo_seq = k.repo_seq and o.subscription_id = k.id collate "C"
    returning k.ord::int as ord, o.repo_seq`,
};

export interface Lapse {
  readonly subscriptionId: string;
  readonly name: string;
  readonly reason: string;
}

interface Carriage {
  readonly work: ClaimedWork;
  readonly homeId: number;
  readonly runs: readonly OutboxRun[];
  readonly lapses: readonly Lapse[];
  readonly now: number;
}

export async function carryOutbox(tx: Transaction, { work, homeId, runs, lapses, now }: Carriage): Promise<boolean> {
  // Owners are locked before the work everywhere: a commit of this repository holds the work and then waits for nobody.
  // A pause changes the watches of this repository, so it needs that lock too.
  await lockHomes(tx, lapses.length === 0 ? [homeId] : [homeId, work.repoId]);
  if (!(await isHeld(tx, work))) return false;
  const taken = await tx.bulk(TAKE_OUT, {
    common: [work.repoId, homeId],
    rows: runs.map(({ repoSeq, subscriptionId }) => [repoSeq, subscriptionId]),
  });
  for (const lapse of lapses) await pauseLapsed(tx, { ...lapse, homeId, now });
  const places = new Set(taken.map(({ ord }) => ord));
  const carried = runs.filter((_, at) => places.has(at));
  await beginRuns(tx, { homeId, runs: carried, isSuppressed: await findLoops(tx, homeId, carried), now });
  return true;
}

async function pauseLapsed(tx: Transaction, lapse: Lapse & { homeId: number; now: number }): Promise<void> {
  const { homeId, subscriptionId, name, reason, now } = lapse;
  await pauseByServer(tx, { homeId, subscriptionId, reason, now });
  const told = { runId: null, subscriptionName: name, attemptCount: 0, repoSeq: null };
  await notify(tx, { homeId, status: 'paused', errorCode: 'SOURCE_UNREADABLE', errorMessage: reason, now }, [told]);
}

const FIND_IN_TRACES: BulkStatement = {
  each: 'select distinct trace_id, subscription_id from run where repo_id = $1 and trace_id = $2',
  set: `select k.ord::int as ord, r.trace_id, r.subscription_id from unnest($2::text[]) with ordinality as k (id, ord)
    cross join lateral (select distinct trace_id, subscription_id from run
      where repo_id = $1 and trace_id = k.id collate "C") as r`,
};

const traceKey = (traceId: string, subscriptionId: string) => `${traceId} ${subscriptionId}`;

async function findInTraces(reader: Reader, homeId: number, traceIds: Iterable<string>): Promise<Set<string>> {
  const rows = await reader.bulk<{ trace_id: string; subscription_id: string }>(FIND_IN_TRACES, {
    common: [homeId],
    rows: [...new Set(traceIds)].map((id) => [id]),
  });
  return new Set(rows.map(({ trace_id, subscription_id }) => traceKey(trace_id, subscription_id)));
}

/** The check comes only now, because other runs of the trace may have started at this owner since the commit. */
async function findLoops(
  tx: Transaction,
  homeId: number,
  runs: readonly OutboxRun[],
): Promise<(run: NewRun) => boolean> {
  const joined = runs.filter(({ via }) => via.includes(homeId));
  if (joined.length === 0) return () => false;
  const rows = await tx.query<{ subscription_id: string }>(
    'select subscription_id from subscription where repo_id = $1 and allow_trace_reentry = 1',
    [homeId],
  );
  const reentering = new Set(rows.map(({ subscription_id }) => subscription_id));
  const before = await findInTraces(
    tx,
    homeId,
    joined.map(({ traceId }) => traceId),
  );
  return ({ subscriptionId, traceId, depth, via }) => {
    const key = traceKey(traceId, subscriptionId);
    const isAgain = before.has(key) && !reentering.has(subscriptionId);
    before.add(key);
    return via.includes(homeId) && (isAgain || depth > TRACE_DEPTH_MAX);
  };
}

export async function releaseOutbox(tx: Transaction, { work, now }: { work: ClaimedWork; now: number }): Promise<void> {
  // The lock comes first, so that the next statement sees what the previous holder wrote.
  if (!(await isHeld(tx, work))) return;
  const left = await tx.query('select 1 as one from outbox where repo_id = $1 limit 1', [work.repoId]);
  if (left.length === 0) await finishWork(tx, work);
  else await releaseWork(tx, { ...work, dueAt: now });
}
