import type { BulkStatement } from './database.ts';

/** Finds rows of a repository (`$1`) by numbers. Without `limit 1`, PostgreSQL may read much more than these rows. */
export function findByKey(
  table: string,
  columns: string,
  key: readonly string[],
  rest: 'limit 1' | 'and refs is not null' | '' = 'limit 1',
): BulkStatement {
  const find = (toValue: (column: string, index: number) => string) => {
    const conditions = key.map((column, index) => `${column} = ${toValue(column, index)}`);
    return `select ${columns} from ${table} where repo_id = $1 and ${conditions.join(' and ')} ${rest}`;
  };
  const arrays = key.map((_, index) => `$${index + 2}::bigint[]`);
  return {
    each: find((_, index) => `$${index + 2}`),
    set: `select k.ord::int as ord, t.* from unnest(${arrays.join(', ')}) with ordinality as k (${key.join(', ')}, ord)
      cross join lateral (${find((column) => `k.${column}`)}) as t`,
  };
}
