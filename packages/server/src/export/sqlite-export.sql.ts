// The rows of an export on SQLite: read one by one, until there are enough.
import type { Value } from '../engine/database.ts';
import { readerOn, SqliteConnection } from '../engine/sqlite/connection.ts';
import {
  EXPORT_AFTER,
  EXPORT_VERSIONS,
  type ExportReader,
  type ExportSelection,
  exportColumns,
  type TakenRows,
} from './export-page.sql.ts';
import type { VersionRow } from './export-row.rule.ts';

const PART_BYTES = 32 * 1024;
const PART_ROWS = 500;

const STATEMENT = `select ${exportColumns('lower(hex(v.data_hash))')} from record r
  cross join version v on v.repo_id = $1 and v.record_id = r.record_id and v.${EXPORT_VERSIONS}
  where r.repo_id = $1 and r.record_id >= $4 and r.record_id <= $6 and ${EXPORT_AFTER}
  order by r.record_id, v.version`;

export function openSqliteExport(file: string): ExportReader & { close(): Promise<void> } {
  const connection = new SqliteConnection(file, { readOnly: true });
  return {
    ...readerOn(connection),
    take: async (selection, params) => takePart(connection, selection, params),
    close: async () => connection.close(),
  };
}

function takePart(connection: SqliteConnection, selection: ExportSelection, params: readonly Value[]): TakenRows {
  const rows: VersionRow[] = [];
  let bytes = 0;
  const isFull = (count: number) => bytes >= PART_BYTES || count >= PART_ROWS;
  const goOn = ({ data }: VersionRow, taken: number) => {
    bytes += data?.length ?? 0;
    return !isFull(rows.length + taken);
  };
  for (const range of rangesOf(selection, params)) {
    rows.push(...connection.takeWhile<VersionRow>(STATEMENT, range, goOn));
    if (isFull(rows.length)) break;
  }
  return { rows, isFull: isFull(rows.length) };
}

/** Some records are taken one by one: all in one statement would be sorted, with their data, before the first is given. */
function rangesOf(selection: ExportSelection, params: readonly Value[]): Iterable<readonly Value[]> {
  if (selection === 'all') return [params];
  const [repoId, atSeq, sinceSeq, afterId, afterVersion, ids] = params;
  return (JSON.parse(String(ids)) as number[])
    .filter((id) => id >= Number(afterId))
    .map((id) => [repoId, atSeq, sinceSeq, id, id === afterId ? afterVersion : 0, id] as readonly Value[]);
}
