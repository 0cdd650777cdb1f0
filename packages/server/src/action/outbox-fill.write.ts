// Runs of subscriptions that belong to other repositories wait in the outbox of the repository whose commit they are for: its
// transaction must not wait for theirs.

import { insertStatement } from '../commit/statement.sql.ts';
import type { Transaction } from '../engine/database.ts';
import { formatVia, type NewRun } from './run-begin.write.ts';

export interface SentRun extends NewRun {
  readonly homeId: number;
}

const INSERT_OUTBOX = insertStatement('outbox', {
  repo_seq: 'bigint',
  home_id: 'bigint',
  subscription_id: 'text',
  event: 'text',
  trace_id: 'text',
  depth: 'bigint',
  via: 'text',
  matched: 'text',
  data: 'text',
  created_at: 'bigint',
});

export async function fillOutbox(
  tx: Transaction,
  { repoId, sent, now }: { repoId: number; sent: readonly SentRun[]; now: number },
): Promise<void> {
  if (sent.length === 0) return;
  const rows = sent.map(({ repoSeq, homeId, subscriptionId, event, traceId, depth, via, matched, data }) => [
    ...[repoSeq, homeId, subscriptionId, event, traceId, depth, formatVia(via)],
    ...[matched, data, now],
  ]);
  await tx.bulk(INSERT_OUTBOX, { common: [repoId], rows });
  // Somebody who holds it looks again before they let go.
  await tx.query(
    `insert into work (repo_id, kind, work_key, owner, due_at) values ($1, 'outbox', $2, '', $3)
     on conflict (repo_id, kind, work_key) do update set due_at = excluded.due_at
       where work.claim is null and work.due_at > excluded.due_at`,
    [repoId, String(repoId), now],
  );
}
