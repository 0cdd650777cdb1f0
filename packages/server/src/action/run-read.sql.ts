// Reads runs and attempts, and deletes old ones.
import type { ActionAttempt, ActionRun } from '@cairn/protocol/action';
import type { AttemptOutcome, RunStatus } from '@cairn/protocol/vocabulary';
import type { BulkStatement, Database, Reader, Transaction, Value } from '../engine/database.ts';
import type { RunKey } from './run-report.write.ts';

interface RunRow {
  readonly run_id: string;
  readonly subscription_id: string;
  readonly name: string;
  readonly position: number;
  readonly component: string | null;
  readonly status: RunStatus;
  readonly event: string;
  readonly trace_id: string;
  readonly origin_org: string | null;
  readonly origin_repo: string | null;
  readonly repo_seq: number | null;
  readonly matched: string;
  readonly attempt_count: number;
  readonly max_attempts: number;
  readonly next_attempt_at: number | null;
  readonly last_error_code: string | null;
  readonly last_error_message: string | null;
  readonly progress: string | null;
  readonly message: string | null;
  readonly result: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

const SELECT = `select run.run_id, run.subscription_id, coalesce(subscription.name, run.subscription_name) as name, run.position,
    subscription.component, run.status, run.event, run.trace_id, organization.name as origin_org,
    repository.name as origin_repo, run.repo_seq, run.matched, run.attempt_count, run.max_attempts, run.next_attempt_at,
    run.last_error_code, run.last_error_message, run.progress, run.message, run.result, run.created_at, run.updated_at
  from run left join subscription on subscription.repo_id = run.repo_id and subscription.subscription_id = run.subscription_id
    left join repository on repository.id = run.origin_repo_id
    left join organization on organization.id = repository.organization_id`;

export interface FoundRun {
  readonly key: RunKey;
  readonly run: ActionRun;
  readonly position: number;
  readonly component: string | null;
  readonly attemptCount: number;
  readonly maxAttempts: number;
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

function toFound(row: RunRow, { homeId, attemptsMax }: { homeId: number; attemptsMax: number }): FoundRun {
  const maxAttempts = row.max_attempts === 0 ? attemptsMax : row.max_attempts;
  const next = WAITING.includes(row.status) ? row.next_attempt_at : null;
  const { origin_org: orgName, origin_repo: repoName } = row;
  return {
    key: { homeId, runId: row.run_id, subscriptionId: row.subscription_id },
    position: row.position,
    component: row.component,
    attemptCount: row.attempt_count,
    maxAttempts,
    run: {
      runId: row.run_id,
      subscriptionName: row.name,
      status: row.status,
      event: row.event,
      traceId: row.trace_id,
      ...(orgName !== null && repoName !== null && { originRepo: { orgName, repoName } }),
      ...(row.repo_seq !== null && { repoSeq: row.repo_seq }),
      attemptCount: row.attempt_count,
      maxAttempts,
      matchedOperationIndexes: JSON.parse(row.matched) as number[],
      ...(next !== null && { nextAttemptAt: next }),
      ...(row.last_error_code !== null && { lastErrorCode: row.last_error_code }),
      ...(row.last_error_message !== null && { lastErrorMessage: row.last_error_message }),
      ...(row.progress !== null && { progress: Number(row.progress) }),
      ...(row.message !== null && { message: row.message }),
      ...(row.result !== null && { result: JSON.parse(row.result) as unknown }),
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    },
  };
}

interface AttemptRow {
  readonly attempt: number;
  readonly target: 'webhook' | 'fallback';
  readonly started_at: number;
  readonly finished_at: number | null;
  readonly outcome: AttemptOutcome | null;
  readonly http_status: number | null;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly response_snippet: string | null;
}

export async function listAttempts(
  reader: Reader,
  { homeId, runId }: Pick<RunKey, 'homeId' | 'runId'>,
): Promise<ActionAttempt[]> {
  const rows = await reader.query<AttemptRow>(
    `select attempt, target, started_at, finished_at, outcome, http_status, error_code, error_message, response_snippet
     from attempt where repo_id = $1 and run_id = $2 order by attempt, target desc`,
    [homeId, runId],
  );
  return rows.map((row) => ({
    attempt: row.attempt,
    target: row.target,
    startedAt: row.started_at,
    ...(row.finished_at !== null && {
      finishedAt: row.finished_at,
      durationMs: Math.max(0, row.finished_at - row.started_at),
    }),
    ...(row.outcome !== null && { outcome: row.outcome }),
    ...(row.http_status !== null && { httpStatus: row.http_status }),
    ...(row.error_code !== null && { errorCode: row.error_code }),
    ...(row.error_message !== null && { errorMessage: row.error_message }),
    ...(row.response_snippet !== null && { responseSnippet: row.response_snippet }),
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
    await tx.query('delete from notification where repo_id = $1 and (created_at, notification_id) <= ($2, $3)', [
      homeId,
      last.created_at,
      last.notification_id,
    ]);
  }
  return old.length < runsMax && told.length < runsMax;
}
