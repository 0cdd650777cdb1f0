// Runs begin: each takes the next place among those of its subscription, and the subscription has something to deliver.
import { randomBytes } from 'node:crypto';
import { insertStatement } from '../commit/statement.sql.ts';
import type { BulkStatement, Transaction } from '../engine/database.ts';
import { enqueueDeliveries } from './delivery/delivery-queue.sql.ts';
import { formatRunId } from './run-id.rule.ts';

export interface NewRun {
  readonly subscriptionId: string;
  readonly event: string;
  readonly traceId: string;
  readonly depth: number;
  readonly via: readonly number[];
  /** Whose commit it is for; `null`: of the subscription's own repository. */
  readonly originRepoId: number | null;
  readonly repoSeq: number | null;
  /** The indexes of the operations that matched, in JSON. */
  readonly matched: string;
  readonly data: string | null;
}

/**
 * The places of so many runs more. On PostgreSQL the rows are held in the order of their ids: events of two repositories may
 * be told to the same subscriptions of their organization at once.
 */
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

interface Positions {
  readonly name: string;
  /** Of the first of its runs. */
  next: number;
}

interface Beginning {
  readonly homeId: number;
  readonly runs: readonly NewRun[];
  /** Decides which runs are recorded and not sent, because they would go round in a loop. */
  readonly isSuppressed?: (run: NewRun) => boolean;
  readonly now: number;
}

/** Those of a subscription in the order given. One that is paused or gone has none. */
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
    // Not started, with none of as many attempts as there are to be decided then; it is due now.
    return [[...start, ...content, ...error, 0, 0, suppressed ? null : now, now, now]];
  });
  await tx.bulk(INSERT_RUNS, { common: [homeId], rows });
  await enqueueDeliveries(tx, { homeId, subscriptionIds: [...started], dueAt: now });
}

const LOOP_MESSAGE =
  'The commit follows from a delivery of this repository or organization, and the subscription ran in that trace before, or the trace is too deep.';

/** As `run` and `outbox` keep it. */
export const formatVia = (via: readonly number[]): string | null => (via.length === 0 ? null : via.join(','));
export const parseVia = (text: string | null): number[] => (text === null ? [] : text.split(',').map(Number));

async function takePositions(
  tx: Transaction,
  homeId: number,
  runs: readonly NewRun[],
): Promise<Map<string, Positions>> {
  const counts = [...Map.groupBy(runs, ({ subscriptionId }) => subscriptionId)].map(
    ([subscriptionId, some]) => [subscriptionId, some.length] as const,
  );
  const taken = await tx.bulk<{ name: string; last_position: number }>(TAKE_POSITIONS, {
    common: [homeId],
    rows: counts,
  });
  const positions = new Map<string, Positions>();
  for (const { ord, name, last_position } of taken) {
    const [subscriptionId = '', count = 0] = counts[ord] ?? [];
    positions.set(subscriptionId, { name, next: last_position - count + 1 });
  }
  return positions;
}
