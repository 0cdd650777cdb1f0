// Inserts many rows into one SQLite table. A call costs more than a row, and binding almost as much as writing. So one
// call inserts several rows and binds the values that all rows share once.
import type { BulkInsert, BulkRows, Value } from '../database.ts';

interface SharedInsert {
  readonly sql: string;
  readonly varying: readonly number[];
  readonly shared: readonly Value[];
}

export function composeInsert(insert: BulkInsert, { common, rows }: BulkRows): SharedInsert {
  const [first = []] = rows;
  const same = sharedColumns(rows, [...insert.columns.keys()]);
  const varying = [...insert.columns.keys()].filter((column) => !same.includes(column));
  const shared = [...common, ...same.map((column) => first[column] ?? null)];
  return { sql: insertSql(insert, { varying, same, before: common.length }), varying, shared };
}

function sharedColumns(rows: BulkRows['rows'], columns: readonly number[]): readonly number[] {
  const [first = []] = rows;
  let same = columns;
  for (const row of rows) {
    for (const column of same) {
      if (row[column] !== first[column]) same = same.filter((other) => other !== column);
    }
  }
  return same;
}

/** `or fail` saves the undo log of the statement: a rejected row rolls back the whole transaction anyway. */
function insertSql(
  { table, columns, rowsAtOnce }: BulkInsert,
  { varying, same, before }: { varying: readonly number[]; same: readonly number[]; before: number },
): string {
  const varyingAt = before + same.length;
  const place = (column: number, row: number) => {
    const own = varying.indexOf(column);
    return own === -1 ? before + same.indexOf(column) : varyingAt + row * varying.length + own;
  };
  const values = Array.from({ length: rowsAtOnce }, (_, row) => {
    const places = columns.map((_, column) => `?${place(column, row) + 1}`);
    return `(?1, ${places.join(', ')})`;
  });
  return `insert or fail into ${table} (repo_id, ${columns.join(', ')}) values ${values.join(', ')}`;
}

export function insertRows(
  { varying, shared }: SharedInsert,
  { rows, rowsAtOnce }: Pick<BulkRows, 'rows'> & Pick<BulkInsert, 'rowsAtOnce'>,
  call: (values: readonly Value[]) => void,
): number {
  const values = [...shared];
  const whole = rows.length - (rows.length % rowsAtOnce);
  for (let start = 0; start < whole; start += rowsAtOnce) {
    let at = shared.length;
    for (let index = start; index < start + rowsAtOnce; index++) {
      const row = rows[index] ?? [];
      for (const column of varying) values[at++] = row[column] ?? null;
    }
    call(values);
  }
  return whole;
}
