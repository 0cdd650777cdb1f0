// Reports of receivers and manual changes of runs. They can come at any moment, even after the end of a run.

import { storableText } from '@cairn/model/problem';
import type { CallbackBody } from '@cairn/protocol/action';
import { fail } from '@cairn/protocol/errors';
import type { RunStatus } from '@cairn/protocol/vocabulary';
import type { Transaction } from '../engine/database.ts';
import { enqueueDeliveries, findSubscriptionState, type SubscriptionKey } from './delivery/delivery-queue.sql.ts';
import { failRuns, type RunFailure } from './run.write.ts';

export const PROCESSING_MS = 24 * 3_600_000;

export interface RunKey extends SubscriptionKey {
  readonly runId: string;
}

interface RunReport extends RunKey {
  readonly report: CallbackBody;
  readonly now: number;
  readonly retryAt: number;
  readonly attemptsMax: number;
}

interface ReportedRow {
  readonly status: RunStatus;
  readonly attempt_count: number;
  readonly max_attempts: number;
}

const FAILED: readonly RunStatus[] = ['failed_terminal', 'dead_letter'];

export async function reportRun(tx: Transaction, input: RunReport): Promise<RunStatus> {
  const row = await lockRun(tx, input);
  const { report } = input;
  if (row.status === 'succeeded' || row.status === 'suppressed' || FAILED.includes(row.status)) {
    return await reportFinal(tx, input, row);
  }
  await keepReport(tx, input);
  switch (report.status) {
    case 'processing':
      return await moveRun(tx, input, { status: 'processing', nextAttemptAt: input.now + PROCESSING_MS });
    case 'success':
      return await moveRun(tx, input, { status: 'succeeded', nextAttemptAt: null });
    case 'failure':
      return await endRun(tx, input, { ...row, to: 'failed_terminal' });
    case 'retry_requested':
      return row.attempt_count < attemptsOf(row, input)
        ? await moveRun(tx, input, { status: 'retry_wait', nextAttemptAt: input.retryAt })
        : await endRun(tx, input, { ...row, to: 'dead_letter' });
  }
}

function attemptsOf({ max_attempts }: ReportedRow, { attemptsMax }: Pick<RunReport, 'attemptsMax'>): number {
  return max_attempts === 0 ? attemptsMax : max_attempts;
}

async function reportFinal(tx: Transaction, input: RunReport, { status }: ReportedRow): Promise<RunStatus> {
  const reported = input.report.status;
  const failed = FAILED.includes(status);
  if ((reported === 'success' && status === 'succeeded') || (reported === 'failure' && failed)) return status;
  if (reported === 'retry_requested' && failed) {
    await repeatRun(tx, { ...input, nextAttemptAt: input.retryAt, attempts: 1 });
    return 'retry_wait';
  }
  throw fail('CONFLICT', {
    message: `The run has ended as ${status} and takes no more reports${failed ? ', except retry_requested' : ''}.`,
    details: { status },
  });
}

/** The work row is locked first, as when runs start, because a different order could deadlock. */
async function lockRun(tx: Transaction, { homeId, subscriptionId, runId, now }: RunKey & { now: number }) {
  await enqueueDeliveries(tx, { homeId, subscriptionIds: [subscriptionId], dueAt: now });
  const [row] = await tx.query<ReportedRow>(
    `select status, attempt_count, max_attempts from run where repo_id = $1 and run_id = $2 ${tx.forUpdate}`,
    [homeId, runId],
  );
  if (row === undefined) throw runNotFound();
  return row;
}

export function runNotFound() {
  return fail('NOT_FOUND', { message: 'The run does not exist, or you may not see it.' });
}

async function keepReport(tx: Transaction, { homeId, runId, report, now }: RunReport): Promise<void> {
  const { message, progress, result } = report;
  await tx.query(
    `update run set message = coalesce($3, message), progress = coalesce($4, progress), result = coalesce($5, result),
       updated_at = $6 where repo_id = $1 and run_id = $2`,
    [
      ...[homeId, runId, message === undefined ? null : storableText(message)],
      ...[progress === undefined ? null : String(progress), result === undefined ? null : JSON.stringify(result), now],
    ],
  );
}

async function moveRun(
  tx: Transaction,
  { homeId, runId, report }: RunReport,
  { status, nextAttemptAt }: { status: RunStatus; nextAttemptAt: number | null },
): Promise<RunStatus> {
  const { error } = report;
  const said = error === undefined ? [null, null] : [storableText(error.code), storableText(error.message)];
  await tx.query(
    `update run set status = $3, next_attempt_at = $4, last_error_code = coalesce($5, last_error_code),
       last_error_message = coalesce($6, last_error_message) where repo_id = $1 and run_id = $2`,
    [homeId, runId, status, nextAttemptAt, ...said],
  );
  return status;
}

async function endRun(
  tx: Transaction,
  input: RunReport,
  { to: status, ...row }: ReportedRow & { to: RunFailure['status'] },
): Promise<RunStatus> {
  const { report } = input;
  const errorCode = storableText(report.error?.code ?? 'CALLBACK_FAILURE');
  const said = report.error?.message ?? report.message ?? 'The receiver reported a failure.';
  await failRun(tx, input, row, { status, errorCode, errorMessage: storableText(said) });
  return status;
}

async function failRun(
  tx: Transaction,
  key: RunKey & { readonly now: number },
  { status: from, attempt_count: attemptCount }: ReportedRow,
  failure: Pick<RunFailure, 'status' | 'errorCode' | 'errorMessage'>,
): Promise<void> {
  const { homeId, runId, now } = key;
  const subscription = await findSubscriptionState(tx, key);
  const fallback = typeof subscription?.fallbackWebhookUrl === 'string';
  await failRuns(tx, { ...failure, homeId, fallback, now }, [{ runId, from, attemptCount }]);
}

interface Repetition extends RunKey {
  readonly nextAttemptAt: number;
  readonly attempts: number;
  readonly now: number;
}

async function repeatRun(tx: Transaction, { homeId, runId, nextAttemptAt, attempts, now }: Repetition): Promise<void> {
  await tx.query(
    `update run set status = 'retry_wait', next_attempt_at = $3, fallback = null, max_attempts = attempt_count + $4,
       updated_at = $5 where repo_id = $1 and run_id = $2`,
    [homeId, runId, nextAttemptAt, attempts, now],
  );
}

interface RunRetry extends RunKey {
  readonly attemptsMax: number;
  readonly now: number;
}

/** A failed run gets as many attempts as at first; a waiting one keeps those that are left. */
export async function retryRun(tx: Transaction, retry: RunRetry): Promise<void> {
  const row = await lockRun(tx, retry);
  const { status } = row;
  if (!FAILED.includes(status) && status !== 'retry_wait') {
    throw fail('CONFLICT', {
      message: `You can retry only a run that has failed or waits for its next attempt. This run is ${status}.`,
      details: { status },
    });
  }
  if ((await findSubscriptionState(tx, retry)) === undefined) {
    throw fail('CONFLICT', {
      message: 'The subscription of this run was deleted, so the run has no target. Create a new subscription.',
      details: { reason: 'subscription_deleted' },
    });
  }
  const attempts = status === 'retry_wait' ? attemptsOf(row, retry) - row.attempt_count : retry.attemptsMax;
  await repeatRun(tx, { ...retry, nextAttemptAt: retry.now, attempts });
}

const WAITING: readonly RunStatus[] = ['pending', 'retry_wait', 'processing'];

const GIVEN_UP = {
  status: 'dead_letter',
  errorCode: 'GIVEN_UP',
  errorMessage: 'The run was given up by hand.',
} as const;

function insteadOfGivingUp(status: RunStatus): string {
  if (status === 'running') return 'Wait for the result of its attempt.';
  return FAILED.includes(status) ? 'It is not retried any more; retry it to deliver it.' : 'It needs no action.';
}

export async function giveUpRun(tx: Transaction, key: RunKey & { readonly now: number }): Promise<void> {
  const row = await lockRun(tx, key);
  const { status } = row;
  if (!WAITING.includes(status)) {
    throw fail('CONFLICT', {
      message: `You can give up only a waiting run. This run is ${status}. ${insteadOfGivingUp(status)}`,
      details: { status },
    });
  }
  await failRun(tx, key, row, GIVEN_UP);
}
