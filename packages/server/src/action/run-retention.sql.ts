// Runs that ended long ago go, with their attempts; and notifications as old.
import type { BulkStatement, Reader, Transaction } from '../engine/database.ts';

const OVER = `status in ('succeeded', 'failed_terminal', 'dead_letter', 'suppressed') and next_attempt_at is null`;

/** Where something may be to forget, in order. */
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

export interface ForgetStep {
  readonly homeId: number;
  readonly before: number;
  readonly runsMax: number;
}

const FORGET_ATTEMPTS: BulkStatement = {
  each: 'delete from attempt where repo_id = $1 and run_id = $2',
  set: 'delete from attempt where repo_id = $1 and run_id = any ($2::text[])',
};
const FORGET_RUNS: BulkStatement = {
  each: `delete from run where repo_id = $1 and run_id = $2 and ${OVER}`,
  set: `delete from run where repo_id = $1 and run_id = any ($2::text[]) and ${OVER}`,
};

/** By when they came, because that is what they are listed by. Answers whether it was the last step. */
export async function forgetRuns(tx: Transaction, { homeId, before, runsMax }: ForgetStep): Promise<boolean> {
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
