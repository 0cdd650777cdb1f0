// The rows of an export on PostgreSQL: how long they are is known before they are sent.
import type { PostgresOptions } from '../engine/database.ts';
import { openPostgresReader } from '../engine/postgres/postgres.ts';
import {
  EXPORT_AFTER,
  EXPORT_VERSIONS,
  type ExportReader,
  type ExportSelection,
  exportColumns,
} from './export-page.sql.ts';
import type { VersionRow } from './export-row.rule.ts';

const COLUMNS = exportColumns("encode(v.data_hash, 'hex')");

const SOURCES: Readonly<Record<ExportSelection, string>> = {
  all: `(select * from record where repo_id = $1 and record_id >= $4 and record_id <= $6
    order by record_id limit $8::bigint) r`,
  ids: `(select k.value::bigint as record_id from json_array_elements_text($6::text::json) k) k
    cross join lateral (select * from record where repo_id = $1 and record_id = k.record_id and record_id >= $4
      limit 1) r`,
};

// Each look-up by itself (`offset 0`): left to itself, the planner may read all versions of the repository for a page.
const select = (source: ExportSelection) => `select * from (
    select page.*, sum(coalesce(octet_length(data), 0)) over (order by record_id, version rows unbounded preceding)
      - coalesce(octet_length(data), 0) as before
    from (select ${COLUMNS} from ${SOURCES[source]}
      cross join lateral (select * from version where repo_id = $1 and record_id = r.record_id
        and ${EXPORT_VERSIONS} order by version offset 0) v
      where ${EXPORT_AFTER} order by r.record_id, v.version limit $8::bigint) page
  ) pages where before < $7::bigint order by record_id, version`;

/** Half a page: larger parts take more memory, smaller ones more round trips. */
const PART_BYTES = 256 * 1024;
const PART_ROWS = 1_024;

const STATEMENTS = { all: select('all'), ids: select('ids') };

/** With how many bytes of data come before it. */
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
