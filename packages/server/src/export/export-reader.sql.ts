import type { PostgresOptions, Value } from '../engine/database.ts';
import { openPostgresReader } from '../engine/postgres/postgres.ts';
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

const EXPORT_COLUMNS = exportColumns("encode(v.data_hash, 'hex')");

const SOURCES: Readonly<Record<ExportSelection, string>> = {
  all: `(select * from record where repo_id = $1 and record_id >= $4 and record_id <= $6
    order by record_id limit $8::bigint) r`,
  ids: `(select k.value::bigint as record_id from json_array_elements_text($6::text::json) k) k
    cross join lateral (select * from record where repo_id = $1 and record_id = k.record_id and record_id >= $4
      limit 1) r`,
};

// `offset 0` forces one lookup per record. Otherwise the planner may read all versions of the repository for a page.
const select = (source: ExportSelection) => `select * from (
    select page.*, sum(coalesce(octet_length(data), 0)) over (order by record_id, version rows unbounded preceding)
      - coalesce(octet_length(data), 0) as before
    from (select ${EXPORT_COLUMNS} from ${SOURCES[source]}
      cross join lateral (select * from version where repo_id = $1 and record_id = r.record_id
        and ${EXPORT_VERSIONS} order by version offset 0) v
      where ${EXPORT_AFTER} order by r.record_id, v.version limit $8::bigint) page
  ) pages where before < $7::bigint order by record_id, version`;

/** Half a page: larger parts take more memory, smaller ones more round trips. */
const PART_BYTES = 256 * 1024;
const PART_ROWS = 1_024;

const STATEMENTS = { all: select('all'), ids: select('ids') };

type PlacedRow = VersionRow & { readonly before: number };

export function openPostgresExport(url: string, options: PostgresOptions): ExportReader & { close(): Promise<void> } {
  const reader = openPostgresReader(url, options);
  return {
    ...reader,
    take: async (selection, params) => {
      const rows = await reader.query<PlacedRow>(STATEMENTS[selection], [...params, PART_BYTES, PART_ROWS]);
      return { rows, isFull: rows.length === PART_ROWS || endOf(rows.at(-1)) >= PART_BYTES };
    },
  };
}

const endOf = (row: PlacedRow | undefined) => (row === undefined ? 0 : row.before + Buffer.byteLength(row.data ?? ''));

const SQLITE_EXPORT_PART_BYTES = 32 * 1024;
const SQLITE_EXPORT_PART_ROWS = 500;

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
  const isFull = (count: number) => bytes >= SQLITE_EXPORT_PART_BYTES || count >= SQLITE_EXPORT_PART_ROWS;
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

/** Selected records are read one by one: a single statement would sort them all, with their data, first. */
function rangesOf(selection: ExportSelection, params: readonly Value[]): Iterable<readonly Value[]> {
  if (selection === 'all') return [params];
  const [repoId, atSeq, sinceSeq, afterId, afterVersion, ids] = params;
  return (JSON.parse(String(ids)) as number[])
    .filter((id) => id >= Number(afterId))
    .map((id) => [repoId, atSeq, sinceSeq, id, id === afterId ? afterVersion : 0, id] as readonly Value[]);
}
