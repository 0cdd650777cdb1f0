// Statements of the store on PostgreSQL: one by one, for many rows at once, and for the rows of several repositories where
// those lie on several machines.
import type { BulkRows, BulkShard, BulkStatement, Ordinal, Reader, Value } from '../database.ts';
import { isDistributed as findDistributed } from '../placement.ts';
import { arrayText } from './connection.ts';
import type { Query } from './transaction.ts';

export type IsDistributed = () => Promise<boolean>;

/** Asked once, and kept: to distribute a database takes that no server runs on it. */
export function askOnce(query: Query): IsDistributed {
  let answer: Promise<boolean> | undefined;
  return () => {
    answer ??= findDistributed((text) => query(text)).catch((error: unknown) => {
      answer = undefined;
      throw error;
    });
    return answer;
  };
}

export function reader(query: Query, isDistributed: IsDistributed): Reader {
  return {
    isDistributed,
    query,
    bulk: async <Result extends object>({ set, shard }: BulkStatement, { common, rows }: BulkRows) => {
      if (rows.length === 0) return [];
      if (shard !== undefined && (await isDistributed())) return await byShard<Result>(query, shard, { common, rows });
      const found = await query<Ordinal<Result>>(set, [...common, ...columnsOf(rows)]);
      // `with ordinality` counts from one.
      for (const row of found) row.ord -= 1;
      return found;
    },
  };
}

/** Plans statements once where it can: see `PLANNED_ONCE`. */
export function plannedReader(
  { once, eachTime }: { once: Query; eachTime: Query },
  isDistributed: IsDistributed,
): Reader {
  return reader(
    async <Result>(text: string, params?: readonly Value[]) =>
      await ((await isDistributed()) ? eachTime : once)<Result>(text, params),
    isDistributed,
  );
}

/** One repository after the other, in one order, so that two who change the same rows do not wait for each other. */
async function byShard<Result extends object>(
  query: Query,
  { column, set }: BulkShard,
  { common, rows }: BulkRows,
): Promise<Ordinal<Result>[]> {
  const ords = Map.groupBy(rows.keys(), (ord) => Number(rows[ord]?.[column]));
  const found: Ordinal<Result>[] = [];
  for (const [repoId, its] of [...ords].sort(([a], [b]) => a - b)) {
    const columns = columnsOf(its.map((ord) => rows[ord] ?? []));
    for (const row of await query<Ordinal<Result>>(set, [...common, ...columns, repoId])) {
      row.ord = its[row.ord - 1] ?? 0;
      found.push(row);
    }
  }
  return found;
}

/** One array for each column of the rows. */
export function columnsOf(rows: BulkRows['rows']): Value[] {
  const [first = []] = rows;
  return first.map((_, column) => arrayText(rows.map((row) => row[column] ?? null)));
}
