// How much waits to be delivered, on all nodes.
import type { Database } from '../engine/database.ts';

export interface RunQueue {
  /** Those that are not over, by status. */
  readonly runs: Readonly<Record<'pending' | 'running' | 'processing' | 'retry_wait', number>>;
  /** For how long the subscription has waited that has waited longest with something to do. */
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
  // Of one that is held, the time is the end of its lease.
  const [oldest] = await beside.query<{ due_at: number }>(
    `select due_at from work where kind = 'delivery' and due_at <= $1 order by due_at limit 1`,
    [now],
  );
  return { runs, oldestDueMs: oldest === undefined ? 0 : now - oldest.due_at };
}
