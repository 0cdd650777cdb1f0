// Starts and ends runs. Each new run takes the next position of its subscription, which then has something to deliver.
import { randomBytes } from 'node:crypto';
import type { AttemptOutcome, RunStatus } from '@cairn/protocol/vocabulary';
import { insertStatement } from '../commit/statement.sql.ts';
import type { BulkStatement, Transaction } from '../engine/database.ts';
import { enqueueDeliveries, type SubscriptionKey } from './delivery/delivery-queue.sql.ts';
import { type NewNotification, notify } from './notification.sql.ts';
import { formatRunId } from './run-id.rule.ts';
import { pauseByServer } from './subscription.sql.ts';

export interface NewRun {
  readonly subscriptionId: string;
  readonly event: string;
  readonly traceId: string;
  readonly depth: number;
  readonly via: readonly number[];
  /** `null` stands for the subscription's own repository. */
  readonly originRepoId: number | null;
  readonly repoSeq: number | null;
  readonly matched: string;
  readonly data: string | null;
}

/** On PostgreSQL rows are locked in id order: two repositories may trigger the same subscriptions at once. */
const TAKE_POSITIONS: BulkStatement = {
  single: true,
  each: `update subscription set last_position = last_position + $3
    where repo_id = $1 and subscription_id = $2 and active = 1 returning name, last_position`,
  set: `with held as (
      select s.subscription_id, k.ord, k.count
      from unnest($2::text[], $3::bigint[]) with ordinality as k (id, count, ord)
      join subscription s on s.repo_id = $1 and s.subscription_id = k.id collate "C" and s.active = 1
      order by s.subscription_id for update of s)
    update subscription u set last_position = u.last_position + held.count from held
    where u.repo_id = $1 and u.subscription_id = held.subscription_id
    returning held.ord::int as ord, u.name, u.last_position`,
};

const INSERT_RUNS = insertStatement('run', {
  run_id: 'text',
  subscription_id: 'text',
  subscription_name: 'text',
  position: 'bigint',
  status: 'text',
  event: 'text',
  trace_id: 'text',
  depth: 'bigint',
  origin_repo_id: 'bigint',
  repo_seq: 'bigint',
  matched: 'text',
  data: 'text',
  via: 'text',
  last_error_code: 'text',
  last_error_message: 'text',
  attempt_count: 'bigint',
  max_attempts: 'bigint',
  next_attempt_at: 'bigint',
  created_at: 'bigint',
  updated_at: 'bigint',
});

interface Beginning {
  readonly homeId: number;
  readonly runs: readonly NewRun[];
  readonly isSuppressed?: (run: NewRun) => boolean;
  readonly now: number;
}

/** Paused and deleted subscriptions get no runs. */
export async function beginRuns(
  tx: Transaction,
  { homeId, runs, isSuppressed = () => false, now }: Beginning,
): Promise<void> {
  const positions = await takePositions(tx, homeId, runs);
  const started = new Set<string>();
  const rows = runs.flatMap((run) => {
    const place = positions.get(run.subscriptionId);
    if (place === undefined) return [];
    const { subscriptionId, event, traceId, depth, via, originRepoId, repoSeq, matched, data } = run;
    const runId = formatRunId(homeId, randomBytes(16));
    const suppressed = isSuppressed(run);
    if (!suppressed) started.add(subscriptionId);
    const status = suppressed ? 'suppressed' : 'pending';
    const start = [runId, subscriptionId, place.name, place.next++, status, event, traceId, depth];
    const content = [originRepoId, repoSeq, matched, data, formatVia(via)];
    const error = suppressed ? ['TRACE_LOOP', LOOP_MESSAGE] : [null, null];
    // No attempts yet; their maximum is set at the first start. The run is due now.
    return [[...start, ...content, ...error, 0, 0, suppressed ? null : now, now, now]];
  });
  await tx.bulk(INSERT_RUNS, { common: [homeId], rows });
  await enqueueDeliveries(tx, { homeId, subscriptionIds: [...started], dueAt: now });
}

const LOOP_MESSAGE =
  'The commit follows from a delivery of this repository or organization, and the subscription already ran in that trace, or the trace is too deep.';

export const formatVia = (via: readonly number[]): string | null => (via.length === 0 ? null : via.join(','));
export const parseVia = (text: string | null): number[] => (text === null ? [] : text.split(',').map(Number));

async function takePositions(
  tx: Transaction,
  homeId: number,
  runs: readonly NewRun[],
): Promise<Map<string, { name: string; next: number }>> {
  const counts = [...Map.groupBy(runs, ({ subscriptionId }) => subscriptionId)].map(
    ([subscriptionId, some]) => [subscriptionId, some.length] as const,
  );
  const taken = await tx.bulk<{ name: string; last_position: number }>(TAKE_POSITIONS, {
    common: [homeId],
    rows: counts,
  });
  const positions = new Map<string, { name: string; next: number }>();
  for (const { ord, name, last_position } of taken) {
    const [subscriptionId = '', count = 0] = counts[ord] ?? [];
    positions.set(subscriptionId, { name, next: last_position - count + 1 });
  }
  return positions;
}

export const WORKER_LOST = 'WORKER_LOST';
const LOST_MESSAGE = 'The sending server ended before the answer arrived.';

export interface RunFailure extends Pick<SubscriptionKey, 'homeId'> {
  readonly status: 'failed_terminal' | 'dead_letter';
  readonly errorCode: string;
  readonly errorMessage: string;
  readonly fallback: boolean;
  readonly now: number;
}

export interface EndingRun {
  readonly runId: string;
  /** In any other status the run has moved on. */
  readonly from: RunStatus;
  readonly attemptCount: number;
}

const ENDED_COLUMNS = `run.run_id as "runId", run.subscription_name as "subscriptionName",
  run.attempt_count as "attemptCount", run.repo_seq as "repoSeq"`;

const FAIL_RUNS: BulkStatement = {
  single: true,
  each: `update run set status = $2, last_error_code = $3, last_error_message = $4, updated_at = $5,
      next_attempt_at = $6, fallback = $7
    where repo_id = $1 and run_id = $8 and status = $9 and attempt_count = $10 returning ${ENDED_COLUMNS}`,
  set: `update run set status = $2::text, last_error_code = $3::text, last_error_message = $4::text, updated_at = $5::bigint,
      next_attempt_at = $6::bigint, fallback = $7::text
    from unnest($8::text[], $9::text[], $10::bigint[]) with ordinality as k (run_id, status, attempt_count, ord)
    where run.repo_id = $1 and run.run_id = k.run_id collate "C" and run.status = k.status collate "C"
      and run.attempt_count = k.attempt_count returning k.ord::int as ord, ${ENDED_COLUMNS}`,
};

export async function failRuns(tx: Transaction, failure: RunFailure, runs: readonly EndingRun[]): Promise<void> {
  const { homeId, status, errorCode, errorMessage, fallback, now } = failure;
  const told = fallback ? [now, 'due'] : [null, null];
  const ended = await tx.bulk<NewNotification>(FAIL_RUNS, {
    common: [homeId, status, errorCode, errorMessage, now, ...told],
    rows: runs.map(({ runId, from, attemptCount }) => [runId, from, attemptCount]),
  });
  await notify(tx, failure, ended);
}

export interface FinishedAttempt extends SubscriptionKey {
  readonly runId: string;
  readonly attempt: number;
  readonly target: 'webhook' | 'fallback';
  readonly outcome: AttemptOutcome;
  readonly httpStatus: number | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly responseSnippet: string | null;
  readonly now: number;
  readonly status: RunStatus;
  readonly nextAttemptAt: number | null;
  readonly spared: boolean;
  readonly pausedReason: string | null;
  readonly fallback: boolean;
}

/** The updates check the run's state, because a callback may be faster and another node may have taken over. */
export async function finishAttempt(tx: Transaction, finished: FinishedAttempt): Promise<void> {
  await closeAttempt(tx, finished);
  if (finished.target === 'fallback') return await closeFallback(tx, finished);
  const { homeId, subscriptionId, pausedReason, now } = finished;
  // The pause comes before the run is locked, because a commit locks its repository first and its runs after that.
  if (pausedReason !== null) await pauseByServer(tx, { homeId, subscriptionId, reason: pausedReason, now });
  await (isFailure(finished.status) ? failRun(tx, finished, finished.status) : moveRun(tx, finished));
}

const isFailure = (status: RunStatus) => status === 'failed_terminal' || status === 'dead_letter';

async function closeAttempt(tx: Transaction, finished: FinishedAttempt): Promise<void> {
  const { homeId, runId, attempt, target, now, outcome } = finished;
  await tx.query(
    `update attempt set finished_at = $5, outcome = $6, http_status = $7, error_code = $8, error_message = $9,
       response_snippet = $10
     where repo_id = $1 and run_id = $2 and attempt = $3 and target = $4 and finished_at is null`,
    [
      ...[homeId, runId, attempt, target, now, outcome],
      ...[finished.httpStatus, finished.errorCode, finished.errorMessage, finished.responseSnippet],
    ],
  );
}

async function closeFallback(tx: Transaction, { homeId, runId, attempt }: FinishedAttempt): Promise<void> {
  await tx.query(
    `update run set fallback = 'sent', next_attempt_at = null
     where repo_id = $1 and run_id = $2 and attempt_count = $3 and fallback = 'sending'`,
    [homeId, runId, attempt],
  );
}

async function failRun(tx: Transaction, finished: FinishedAttempt, status: RunStatus): Promise<void> {
  const { runId, attempt, errorCode, errorMessage } = finished;
  const failure = { ...finished, status, errorCode: errorCode ?? '', errorMessage: errorMessage ?? '' } as RunFailure;
  await failRuns(tx, failure, [{ runId, from: 'running', attemptCount: attempt }]);
}

async function moveRun(tx: Transaction, finished: FinishedAttempt): Promise<void> {
  const { homeId, runId, attempt, status, nextAttemptAt, errorCode, errorMessage, now, spared } = finished;
  await tx.query(
    `update run set status = $4, next_attempt_at = $5, last_error_code = coalesce($6, last_error_code),
       last_error_message = coalesce($7, last_error_message), updated_at = $8, max_attempts = max_attempts + $9
     where repo_id = $1 and run_id = $2 and status = 'running' and attempt_count = $3`,
    [homeId, runId, attempt, status, nextAttemptAt, errorCode, errorMessage, now, Number(spared)],
  );
}

interface LostRun extends EndingRun {
  readonly maxAttempts: number;
}

const LOSE_ATTEMPTS: BulkStatement = {
  each: `update attempt set finished_at = $2, outcome = 'lost', error_code = '${WORKER_LOST}', error_message = $3
    where repo_id = $1 and run_id = $4 and attempt = $5 and finished_at is null`,
  set: `update attempt set finished_at = $2::bigint, outcome = 'lost', error_code = '${WORKER_LOST}', error_message = $3::text
    from unnest($4::text[], $5::bigint[]) as k (run_id, attempt)
    where attempt.repo_id = $1 and attempt.run_id = k.run_id collate "C" and attempt.attempt = k.attempt
      and attempt.finished_at is null`,
};

const REPEAT_RUNS: BulkStatement = {
  each: `update run set status = 'retry_wait', next_attempt_at = $2, last_error_code = '${WORKER_LOST}',
      last_error_message = $3, updated_at = $2
    where repo_id = $1 and run_id = $4 and status = 'running'`,
  set: `update run set status = 'retry_wait', next_attempt_at = $2::bigint, last_error_code = '${WORKER_LOST}',
      last_error_message = $3::text, updated_at = $2::bigint
    from unnest($4::text[]) as k (run_id)
    where run.repo_id = $1 and run.run_id = k.run_id collate "C" and run.status = 'running'`,
};

export async function loseRuns(
  tx: Transaction,
  { homeId, subscriptionId, fallback, now }: SubscriptionKey & { fallback: boolean; now: number },
): Promise<void> {
  const rows = await tx.query<LostRun>(
    `select run_id as "runId", status as "from", attempt_count as "attemptCount", max_attempts as "maxAttempts" from run
     where repo_id = $1 and subscription_id = $2
       and next_attempt_at is not null and status <> 'pending' and (status = 'running' or fallback = 'sending')`,
    [homeId, subscriptionId],
  );
  if (rows.length === 0) return;
  const common = [homeId, now, LOST_MESSAGE];
  await tx.bulk(LOSE_ATTEMPTS, { common, rows: rows.map(({ runId, attemptCount }) => [runId, attemptCount]) });
  const running = rows.filter(({ from }) => from === 'running');
  const again = running.filter((run) => run.attemptCount < run.maxAttempts);
  await tx.bulk(REPEAT_RUNS, { common, rows: again.map(({ runId }) => [runId]) });
  const over = running.filter((run) => run.attemptCount >= run.maxAttempts);
  const failure = { homeId, status: 'dead_letter', errorCode: WORKER_LOST, errorMessage: LOST_MESSAGE } as const;
  await failRuns(tx, { ...failure, fallback, now }, over);
  await tx.query(
    `update run set fallback = 'sent', next_attempt_at = null where repo_id = $1 and subscription_id = $2
       and next_attempt_at is not null and status <> 'pending' and fallback = 'sending'`,
    [homeId, subscriptionId],
  );
}
