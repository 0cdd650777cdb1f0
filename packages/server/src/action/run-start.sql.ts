// Starts the due runs of a held subscription, and ends those that can only end.
import type { RunStatus } from '@cairn/protocol/vocabulary';
import type { BulkStatement, Reader, Transaction } from '../engine/database.ts';
import type { ClaimedWork } from '../engine/work.ts';
import {
  findSubscriptionState,
  isHeld,
  type SubscriptionKey,
  type SubscriptionState,
} from './delivery/delivery-queue.sql.ts';
import { type EndingRun, failRuns, type NewRun, parseVia } from './run.write.ts';

/** Limits a step, because it delays other writes by some milliseconds. */
const ENDED_A_STEP = 200;

export interface StartedRun extends Omit<NewRun, 'subscriptionId' | 'matched'> {
  readonly runId: string;
  readonly target: 'webhook' | 'fallback';
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly matched: readonly number[];
  readonly failure:
    | { readonly status: RunStatus; readonly errorCode: string; readonly errorMessage: string }
    | undefined;
}

interface RunStart {
  readonly held: boolean;
  readonly subscription: SubscriptionState | undefined;
  readonly runs: readonly StartedRun[];
  readonly more: boolean;
}

interface RunRow extends Omit<StartedRun, 'target' | 'attempt' | 'via' | 'matched' | 'failure'> {
  readonly status: RunStatus;
  readonly via: string | null;
  readonly matched: string;
  readonly attemptCount: number;
  readonly nextAttemptAt: number;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
}

const RUN_COLUMNS = `run_id as "runId", status, event, trace_id as "traceId", depth, via, origin_repo_id as "originRepoId",
  repo_seq as "repoSeq", matched, data, attempt_count as "attemptCount", max_attempts as "maxAttempts",
  next_attempt_at as "nextAttemptAt", last_error_code as "errorCode", last_error_message as "errorMessage"`;

export async function startRuns(
  tx: Transaction,
  request: { work: ClaimedWork; now: number; limit: number; attemptsMax: number },
): Promise<RunStart> {
  const { work, now, limit, attemptsMax } = request;
  const key = { homeId: work.repoId, subscriptionId: work.key };
  if (!(await isHeld(tx, work))) return { held: false, subscription: undefined, runs: [], more: false };
  const subscription = await findSubscriptionState(tx, key);
  const nothing = { held: true, subscription, runs: [] };
  if (subscription === undefined) return { ...nothing, more: await endDeleted(tx, key, now) };
  if (subscription.deleted) return { ...nothing, more: false };
  const others = await findDue(tx, key, { now, limit, active: subscription.active });
  const silent = others.filter(({ status }) => status === 'processing');
  await expire(tx, { ...key, subscription, now }, silent);
  const waiting = others.filter(({ status }) => status !== 'processing');
  const pending = subscription.active ? await findPending(tx, key, limit) : [];
  const chosen = byAge(waiting, pending).slice(0, limit);
  await markStarted(tx, { homeId: key.homeId, now, attemptsMax }, chosen);
  const more = silent.length > 0 || waiting.length + pending.length > chosen.length;
  return { held: true, subscription, runs: chosen.map((row) => toStarted(row, attemptsMax)), more };
}

export async function hasDueRun(reader: Reader, key: SubscriptionKey, now: number): Promise<boolean> {
  if ((await findPending(reader, key, 1)).length > 0) return true;
  return (await findDue(reader, key, { now, limit: 1, active: true })).length > 0;
}

async function findPending(
  reader: Reader,
  { homeId, subscriptionId }: SubscriptionKey,
  limit: number,
): Promise<RunRow[]> {
  return await reader.query<RunRow>(
    `select ${RUN_COLUMNS} from run where repo_id = $1 and subscription_id = $2 and status = 'pending'
     order by position limit $3`,
    [homeId, subscriptionId, limit],
  );
}

/** A paused subscription sends no retries, but its fallbacks and timeouts stay due. */
async function findDue(
  reader: Reader,
  { homeId, subscriptionId }: SubscriptionKey,
  { now, limit, active }: { now: number; limit: number; active: boolean },
): Promise<RunRow[]> {
  const which = active ? `status <> 'running'` : `status not in ('running', 'retry_wait')`;
  return await reader.query<RunRow>(
    `select ${RUN_COLUMNS} from run where repo_id = $1 and subscription_id = $2
       and next_attempt_at is not null and status <> 'pending' and next_attempt_at <= $3 and ${which}
       and (fallback is null or fallback <> 'sending')
     order by next_attempt_at, position limit $4`,
    [homeId, subscriptionId, now, limit],
  );
}

function byAge(waiting: readonly RunRow[], pending: readonly RunRow[]): RunRow[] {
  const [first, second] = [[...waiting], [...pending]];
  const merged: RunRow[] = [];
  for (;;) {
    const [a, b] = [first[0], second[0]];
    if (a === undefined || b === undefined) return [...merged, ...first, ...second];
    const next = a.nextAttemptAt <= b.nextAttemptAt ? first.shift() : second.shift();
    if (next !== undefined) merged.push(next);
  }
}

function toEnding({ runId, status, attemptCount }: RunRow): EndingRun {
  return { runId, from: status, attemptCount };
}

async function expire(
  tx: Transaction,
  { homeId, subscription, now }: SubscriptionKey & { subscription: SubscriptionState; now: number },
  silent: readonly RunRow[],
): Promise<void> {
  const failure = {
    homeId,
    status: 'dead_letter',
    errorCode: 'CALLBACK_TIMEOUT',
    errorMessage: 'The receiver accepted the delivery, but did not report back within 24 hours.',
    fallback: subscription.fallbackWebhookUrl !== null,
    now,
  } as const;
  await failRuns(tx, failure, silent.map(toEnding));
}

async function endDeleted(tx: Transaction, key: SubscriptionKey, now: number): Promise<boolean> {
  const { homeId, subscriptionId } = key;
  const open = await tx.query<RunRow>(
    `select ${RUN_COLUMNS} from run where repo_id = $1 and subscription_id = $2
       and next_attempt_at is not null and status <> 'pending' limit $3`,
    [homeId, subscriptionId, ENDED_A_STEP],
  );
  const pending = await findPending(tx, key, ENDED_A_STEP);
  const failure = {
    homeId,
    status: 'failed_terminal',
    errorCode: 'SUBSCRIPTION_DELETED',
    errorMessage: 'The subscription was deleted before the run ended.',
    fallback: false,
    now,
  } as const;
  await failRuns(tx, failure, [...open, ...pending].filter(isOpen).map(toEnding));
  await tx.bulk(FORGET_FALLBACKS, { common: [homeId], rows: open.map(({ runId }) => [runId]) });
  return open.length === ENDED_A_STEP || pending.length === ENDED_A_STEP;
}

const OPEN: readonly RunStatus[] = ['pending', 'running', 'processing', 'retry_wait'];
const isOpen = ({ status }: RunRow) => OPEN.includes(status);

const FORGET_FALLBACKS: BulkStatement = {
  each: 'update run set fallback = null, next_attempt_at = null where repo_id = $1 and run_id = $2',
  set: `update run set fallback = null, next_attempt_at = null from unnest($2::text[]) as k (run_id)
    where run.repo_id = $1 and run.run_id = k.run_id collate "C"`,
};

const START_RUNS: BulkStatement = {
  each: `update run set status = 'running', attempt_count = attempt_count + 1, next_attempt_at = $2, updated_at = $2,
      max_attempts = case when max_attempts = 0 then $3 else max_attempts end
    where repo_id = $1 and run_id = $4`,
  set: `update run set status = 'running', attempt_count = attempt_count + 1, next_attempt_at = $2::bigint,
      updated_at = $2::bigint, max_attempts = case when max_attempts = 0 then $3::bigint else max_attempts end
    from unnest($4::text[]) as k (run_id) where run.repo_id = $1 and run.run_id = k.run_id collate "C"`,
};

const START_FALLBACKS: BulkStatement = {
  each: `update run set fallback = 'sending', next_attempt_at = $2 where repo_id = $1 and run_id = $3`,
  set: `update run set fallback = 'sending', next_attempt_at = $2::bigint
    from unnest($3::text[]) as k (run_id) where run.repo_id = $1 and run.run_id = k.run_id collate "C"`,
};

// A fallback can be sent twice under one attempt number: a failed run may be retried and fail again before its next
// attempt. The later record replaces the earlier one.
const AGAIN = `on conflict (repo_id, run_id, attempt, target) do update set started_at = excluded.started_at,
  finished_at = null, outcome = null, http_status = null, error_code = null, error_message = null, response_snippet = null`;

const INSERT_ATTEMPTS: BulkStatement = {
  each: `insert into attempt (repo_id, started_at, run_id, attempt, target) values ($1, $2, $3, $4, $5) ${AGAIN}`,
  set: `insert into attempt (repo_id, started_at, run_id, attempt, target)
    select $1::bigint, $2::bigint, * from unnest($3::text[], $4::bigint[], $5::text[]) ${AGAIN}`,
};

const isSent = ({ status }: RunRow) => status === 'pending' || status === 'retry_wait';

async function markStarted(
  tx: Transaction,
  { homeId, now, attemptsMax }: { homeId: number; now: number; attemptsMax: number },
  rows: readonly RunRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const idsOf = (some: readonly RunRow[]) => some.map(({ runId }) => [runId]);
  await tx.bulk(START_RUNS, { common: [homeId, now, attemptsMax], rows: idsOf(rows.filter(isSent)) });
  await tx.bulk(START_FALLBACKS, { common: [homeId, now], rows: idsOf(rows.filter((row) => !isSent(row))) });
  await tx.bulk(INSERT_ATTEMPTS, {
    common: [homeId, now],
    rows: rows.map((row) => [row.runId, attemptOf(row), isSent(row) ? 'webhook' : 'fallback']),
  });
}

function attemptOf(row: RunRow): number {
  return isSent(row) ? row.attemptCount + 1 : row.attemptCount;
}

function toStarted(row: RunRow, attemptsMax: number): StartedRun {
  const { status, attemptCount: _, nextAttemptAt: __, errorCode, errorMessage, ...run } = row;
  const sent = isSent(row);
  return {
    ...run,
    target: sent ? 'webhook' : 'fallback',
    attempt: attemptOf(row),
    maxAttempts: run.maxAttempts === 0 ? attemptsMax : run.maxAttempts,
    via: parseVia(run.via),
    matched: JSON.parse(run.matched) as number[],
    failure: sent ? undefined : { status, errorCode: errorCode ?? '', errorMessage: errorMessage ?? '' },
  };
}
