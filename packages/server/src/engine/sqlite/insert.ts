// Many rows into one table of SQLite. A call into it costs more than a row does, and a value handed over nearly as much as
// one written: so several rows go in one call, and what all rows have in common is handed over once a call.
import type { BulkInsert, BulkRows, Value } from '../database.ts';

interface SharedInsert {
  /** Puts in as many rows as it has places for. */
  readonly sql: string;
  /** Those that differ from row to row, in the order of their values. */
  readonly varying: readonly number[];
  /** What comes before them: the common values, and those that all rows share. */
  readonly shared: readonly Value[];
}

export function composeInsert(insert: BulkInsert, { common, rows }: BulkRows): SharedInsert {
  const [first = []] = rows;
  const same = sharedColumns(rows, [...insert.columns.keys()]);
  const varying = [...insert.columns.keys()].filter((column) => !same.includes(column));
  const shared = [...common, ...same.map((column) => first[column] ?? null)];
  return { sql: insertSql(insert, { varying, same, before: common.length }), varying, shared };
}

/** Row by row, because they are many: a column is left out as soon as two of them differ. */
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

interface Arrangement {
  readonly varying: readonly number[];
  readonly same: readonly number[];
  /** How many values come before those of the rows. */
  readonly before: number;
}

/**
 * `or fail`, because the whole transaction is taken back when a row is refused: SQLite need not keep what would take back
 * the statement alone.
 */
function insertSql({ table, columns, rowsAtOnce }: BulkInsert, { varying, same, before }: Arrangement): string {
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

/** One call after the other, as long as rows fill them; answers how many rows that were. All get the same list, refilled. */
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
