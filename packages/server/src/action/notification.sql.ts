// Notifications: runs that failed for good, and subscriptions that the server paused.
import { randomUUID } from 'node:crypto';
import type { ActionNotification } from '@cairn/protocol/action';
import type { BulkStatement, Reader, Transaction } from '../engine/database.ts';
import { type RowOf, withoutNulls } from '../engine/row.ts';

export interface NewNotification {
  readonly runId: string | null;
  readonly subscriptionName: string;
  readonly attemptCount: number;
  readonly repoSeq: number | null;
}

interface Reason {
  readonly homeId: number;
  readonly status: ActionNotification['status'];
  readonly errorCode: string;
  readonly errorMessage: string;
  readonly now: number;
}

const NOTIFICATION_COLUMNS = `repo_id, status, error_code, error_message, created_at,
  notification_id, run_id, subscription_name, attempt_count, repo_seq`;

const INSERT_NOTIFICATIONS: BulkStatement = {
  each: `insert into notification (${NOTIFICATION_COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
  set: `insert into notification (${NOTIFICATION_COLUMNS}) select $1::bigint, $2::text, $3::text, $4::text, $5::bigint, *
    from unnest($6::text[], $7::text[], $8::text[], $9::bigint[], $10::bigint[])`,
};

export async function notify(
  tx: Transaction,
  { homeId, status, errorCode, errorMessage, now }: Reason,
  notifications: readonly NewNotification[],
): Promise<void> {
  await tx.bulk(INSERT_NOTIFICATIONS, {
    common: [homeId, status, errorCode, errorMessage, now],
    rows: notifications.map(({ runId, subscriptionName, attemptCount, repoSeq }) => [
      `ntf_${randomUUID()}`,
      runId,
      subscriptionName,
      attemptCount,
      repoSeq,
    ]),
  });
}

interface NotificationPage {
  readonly since: number;
  readonly before: readonly [createdAt: number, notificationId: string] | undefined;
  readonly limit: number;
}

export async function listNotifications(
  reader: Reader,
  homeId: number,
  { since, before = [Number.MAX_SAFE_INTEGER, ''], limit }: NotificationPage,
): Promise<ActionNotification[]> {
  const rows = await reader.query<RowOf<ActionNotification>>(
    `select n.notification_id as "notificationId", n.run_id as "runId", n.subscription_name as "subscriptionName", n.status,
       run.status as "runStatus", n.error_code as "errorCode", n.error_message as "errorMessage",
       n.attempt_count as "attemptCount", n.repo_seq as "repoSeq", n.created_at as "createdAt"
     from notification n left join run on run.repo_id = n.repo_id and run.run_id = n.run_id
     where n.repo_id = $1 and n.created_at >= $2 and (n.created_at, n.notification_id) < ($3, $4)
     order by n.created_at desc, n.notification_id desc limit $5`,
    [homeId, since, ...before, limit],
  );
  return rows.map((row) => withoutNulls(row));
}
