// Reads runs and attempts, and deletes old ones.
import type { ActionAttempt, ActionRun } from '@cairn/protocol/action';
import type { RunStatus } from '@cairn/protocol/vocabulary';
import type { BulkStatement, Database, Reader, Transaction, Value } from '../engine/database.ts';
import { type RowOf, withoutNulls } from '../engine/row.ts';
import type { RunKey } from './run-report.write.ts';

interface RunRow extends Omit<RowOf<ActionRun>, 'originRepo' | 'matchedOperationIndexes' | 'progress' | 'result'> {
  readonly subscriptionId: string;
  readonly position: number;
  readonly component: string | null;
  readonly originOrg: string | null;
  readonly originRepo: string | null;
  readonly matched: string;
  readonly progress: string | null;
  readonly result: string | null;
}

const SELECT = `select run.run_id as "runId", run.subscription_id as "subscriptionId",
    coalesce(subscription.name, run.subscription_name) as "subscriptionName", run.position, subscription.component,
    run.status, run.event, run.trace_id as "traceId", organization.name as "originOrg", repository.name as "originRepo",
    run.repo_seq as "repoSeq", run.matched, run.attempt_count as "attemptCount", run.max_attempts as "maxAttempts",
    run.next_attempt_at as "nextAttemptAt", run.last_error_code as "lastErrorCode",
    run.last_error_message as "lastErrorMessage", run.progress, run.message, run.result, run.created_at as "createdAt",
    run.updated_at as "updatedAt"
  from run left join subscription on subscription.repo_id = run.repo_id and subscription.subscription_id = run.subscription_id
    left join repository on repository.id = run.origin_repo_id
    left join organization on organization.id = repository.organization_id`;

export interface FoundRun {
  readonly key: RunKey;
  readonly run: ActionRun;
  readonly position: number;
  readonly component: string | null;
}

export async function findRun(
  reader: Reader,
  { homeId, runId, attemptsMax }: { homeId: number; runId: string; attemptsMax: number },
): Promise<FoundRun | undefined> {
  const [row] = await reader.query<RunRow>(`${SELECT} where run.repo_id = $1 and run.run_id = $2`, [homeId, runId]);
  return row && toFound(row, { homeId, attemptsMax });
}

interface RunPage {
  readonly homeId: number;
  readonly runId: string | undefined;
  readonly subscription: string | undefined;
  readonly status: RunStatus | undefined;
  readonly sinceRepoSeq: number | undefined;
  readonly since: number | undefined;
  readonly before: readonly [createdAt: number, runId: string, position: number] | undefined;
  readonly limit: number;
  readonly attemptsMax: number;
}

export async function listRuns(database: Database, page: RunPage): Promise<FoundRun[]> {
  const { homeId, runId, status, sinceRepoSeq, since, limit, attemptsMax } = page;
  const values: Value[] = [homeId];
  const place = (value: Value) => `$${values.push(value)}`;
  const { where, order } = await runListPlace(database, page, place);
  const conditions = [
    'run.repo_id = $1',
    where,
    ...(runId === undefined ? [] : [`run.run_id = ${place(runId)}`]),
    ...(status === undefined ? [] : [`run.status = ${place(status)}`]),
    ...(sinceRepoSeq === undefined ? [] : [`run.repo_seq >= ${place(sinceRepoSeq)}`]),
    ...(since === undefined ? [] : [`run.created_at >= ${place(since)}`]),
  ];
  const sql = `${SELECT} where ${conditions.join(' and ')} order by ${order} limit ${place(limit)}`;
  // A filter may skip any number of rows, so the query runs in the background.
  const filtered =
    runId !== undefined || status !== undefined || sinceRepoSeq !== undefined || page.subscription !== undefined;
  const rows = await (filtered ? database.beside : database).query<RunRow>(sql, values);
  return rows.map((row) => toFound(row, { homeId, attemptsMax }));
}

const BY_TIME = 'run.created_at desc, run.run_id desc';

async function runListPlace(
  reader: Reader,
  { homeId, subscription, before }: RunPage,
  place: (value: Value) => string,
): Promise<{ where: string; order: string }> {
  const [createdAt = Number.MAX_SAFE_INTEGER, runId = '', position = Number.MAX_SAFE_INTEGER] = before ?? [];
  if (subscription !== undefined) {
    const sql = 'select subscription_id from subscription where repo_id = $1 and name = $2';
    const [found] = await reader.query<{ subscription_id: string }>(sql, [homeId, subscription]);
    if (found !== undefined) {
      const own = `run.subscription_id = ${place(found.subscription_id)} and run.position < ${place(position)}`;
      return { where: own, order: 'run.position desc' };
    }
  }
  const named = subscription === undefined ? '' : ` and run.subscription_name = ${place(subscription)}`;
  return { where: `(run.created_at, run.run_id) < (${place(createdAt)}, ${place(runId)})${named}`, order: BY_TIME };
}

/** During a request `next_attempt_at` holds its start, so it is shown only for these states. */
const WAITING: readonly RunStatus[] = ['pending', 'retry_wait'];

function toFound(
  { subscriptionId, position, component, originOrg, originRepo, matched, progress, result, ...row }: RunRow,
  { homeId, attemptsMax }: { homeId: number; attemptsMax: number },
): FoundRun {
  return {
    key: { homeId, runId: row.runId, subscriptionId },
    position,
    component,
    run: {
      ...withoutNulls({ ...row, nextAttemptAt: WAITING.includes(row.status) ? row.nextAttemptAt : null }),
      ...(originOrg !== null && originRepo !== null && { originRepo: { orgName: originOrg, repoName: originRepo } }),
      maxAttempts: row.maxAttempts === 0 ? attemptsMax : row.maxAttempts,
      matchedOperationIndexes: JSON.parse(matched) as number[],
      ...(progress !== null && { progress: Number(progress) }),
      ...(result !== null && { result: JSON.parse(result) as unknown }),
    },
  };
}

export async function listAttempts(
  reader: Reader,
  { homeId, runId }: Pick<RunKey, 'homeId' | 'runId'>,
): Promise<ActionAttempt[]> {
  const rows = await reader.query<RowOf<Omit<ActionAttempt, 'durationMs'>>>(
    `select attempt, target, started_at as "startedAt", finished_at as "finishedAt", outcome, http_status as "httpStatus",
       error_code as "errorCode", error_message as "errorMessage", response_snippet as "responseSnippet"
     from attempt where repo_id = $1 and run_id = $2 order by attempt, target desc`,
    [homeId, runId],
  );
  return rows.map((row) => ({
    ...withoutNulls(row),
    ...(row.finishedAt !== null && { durationMs: Math.max(0, row.finishedAt - row.startedAt) }),
  }));
}

interface RunQueue {
  readonly runs: Readonly<Record<'pending' | 'running' | 'processing' | 'retry_wait', number>>;
  readonly oldestDueMs: number;
}

export async function readRunQueue(database: Database): Promise<RunQueue> {
  const { beside } = database;
  const now = await database.now();
  const runs = { pending: 0, running: 0, processing: 0, retry_wait: 0 };
  const counted = await beside.query<{ status: keyof typeof runs; n: number }>(
    `select status, count(*) as n from run where status = 'pending' group by status
     union all
     select status, count(*) as n from run where next_attempt_at is not null and status <> 'pending' group by status`,
  );
  for (const { status, n } of counted) if (status in runs) runs[status] = n;
  // For a held subscription, the time is the end of its lease.
  const [oldest] = await beside.query<{ due_at: number }>(
    `select due_at from work where kind = 'delivery' and due_at <= $1 order by due_at limit 1`,
    [now],
  );
  return { runs, oldestDueMs: oldest === undefined ? 0 : now - oldest.due_at };
}

const OVER = `status in ('succeeded', 'failed_terminal', 'dead_letter', 'suppressed') and next_attempt_at is null`;

export async function findHomesWithOldRuns(
  reader: Reader,
  { before, after, limit }: { before: number; after: number; limit: number },
): Promise<number[]> {
  const rows = await reader.query<{ repo_id: number }>(
    `select repo_id from run where created_at < $1 and repo_id > $2 and ${OVER}
     union select repo_id from notification where created_at < $1 and repo_id > $2 order by repo_id limit $3`,
    [before, after, limit],
  );
  return rows.map(({ repo_id }) => repo_id);
}

const FORGET_ATTEMPTS: BulkStatement = {
  each: 'delete from attempt where repo_id = $1 and run_id = $2',
  set: 'delete from attempt where repo_id = $1 and run_id = any ($2::text[])',
};
const FORGET_RUNS: BulkStatement = {
  each: `delete from run where repo_id = $1 and run_id = $2 and ${OVER}`,
  set: `delete from run where repo_id = $1 and run_id = any ($2::text[]) and ${OVER}`,
};

/** Deletes by creation time, because that has an index. Returns whether this was the last step. */
export async function forgetRuns(
  tx: Transaction,
  { homeId, before, runsMax }: { homeId: number; before: number; runsMax: number },
): Promise<boolean> {
  const old = await tx.query<{ run_id: string }>(
    `select run_id from run where repo_id = $1 and created_at < $2 and ${OVER} order by created_at, run_id limit $3
     ${tx.forUpdate}`,
    [homeId, before, runsMax],
  );
  const rows = old.map(({ run_id }) => [run_id]);
  await tx.bulk(FORGET_ATTEMPTS, { common: [homeId], rows });
  await tx.bulk(FORGET_RUNS, { common: [homeId], rows });
  const told = await tx.query<{ created_at: number; notification_id: string }>(
    `select created_at, notification_id from notification where repo_id = $1 and created_at < $2
     order by created_at, notification_id limit $3`,
    [homeId, before, runsMax],
  );
  const last = told.at(-1);
  if (last !== undefined) {
    const sql = 'delete from notification where repo_id = $1 and (created_at, notification_id) <= ($2, $3)';
    await tx.query(sql, [homeId, last.created_at, last.notification_id]);
  }
  return old.length < runsMax && told.length < runsMax;
}
