// One page of an export: the next rows by key, as many as make some hundred kilobytes, as text. Between pages nothing is
// held: whoever reads on says after which row, and gets what stood there at the sequence of the export.

import { damaged } from '../commit/intact-data.rule.ts';
import type { Reader, Value } from '../engine/database.ts';
import { nameAt } from '../read/target-name.sql.ts';
import { versionAt } from '../read/version-at.sql.ts';
import { ExportFacts } from './export-facts.sql.ts';
import { exportLine, isWanted, requireIntactRow, type VersionRow } from './export-row.rule.ts';
import { GrowingBytes } from './growing-bytes.rule.ts';

export interface ExportRange {
  readonly repoId: number;
  readonly sinceRepoSeq: number;
  readonly atRepoSeq: number;
}

/** The last row that was taken, or passed over. */
export interface ExportPlace {
  readonly recordId: number;
  readonly version: number;
}

export interface ExportPageRequest {
  readonly range: ExportRange;
  readonly after: ExportPlace;
  /** The records to take, by id; else all through `lastRecordId`. */
  readonly ids?: readonly number[] | undefined;
  readonly lastRecordId: number;
}

export interface ExportPage {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly recordCount: number;
  /** How many rows were looked at: an increment passes over those that did not change. */
  readonly seen: number;
  /** Where to go on; `undefined` when there is nothing behind it. */
  readonly place: ExportPlace | undefined;
}

/** How an engine reads rows without holding more than some of them. */
export interface ExportReader extends Reader {
  /** In order, through the first with which their data passes what is read at once. */
  take(source: ExportSelection, params: readonly Value[]): Promise<TakenRows>;
}

export interface TakenRows {
  readonly rows: VersionRow[];
  /** Whether it ends there because it is enough: the record of the last row may have others. */
  readonly isFull: boolean;
}

/** All records, or those whose ids are given. */
export type ExportSelection = 'all' | 'ids';

const PAGE_BYTES = 512 * 1024;
/** Of an increment that few rows belong to, a page is over after so many that were looked at. */
const PAGE_ROWS = 4_000;

/** Read in small parts: what many rows leave behind at once outlives the youngest garbage, and takes much more memory. */
export async function readExportPage(reader: ExportReader, request: ExportPageRequest): Promise<ExportPage> {
  const bytes = new GrowingBytes();
  let [recordCount, seen] = [0, 0];
  let place: ExportPlace | undefined = request.after;
  while (place !== undefined && bytes.length < PAGE_BYTES && seen < PAGE_ROWS) {
    const part: ExportPart = await readPart(reader, { ...request, after: place });
    bytes.add(part.text);
    recordCount += part.recordCount;
    seen += part.seen;
    place = part.place;
  }
  return { bytes: bytes.taken(), recordCount, seen, place };
}

interface ExportPart extends Omit<ExportPage, 'bytes'> {
  readonly text: string;
}

async function readPart(reader: ExportReader, request: ExportPageRequest): Promise<ExportPart> {
  const { range, after, ids, lastRecordId } = request;
  const through = ids === undefined ? lastRecordId : JSON.stringify(ids);
  const params = [range.repoId, range.atRepoSeq, range.sinceRepoSeq, after.recordId, after.version, through];
  const { rows, isFull } = await reader.take(ids === undefined ? 'all' : 'ids', params);
  const end = rows.at(-1);
  // Asked for again only where there can be more: however few there were, what is behind them may not have been looked at.
  const isLast = end === undefined || (!isFull && end.record_id >= (ids?.at(-1) ?? lastRecordId));
  for (const row of rows) requireIntactRow(range.repoId, row);
  if (ids !== undefined) requireRecords(rows, { ids, after, through: isFull ? end?.record_id : ids.at(-1) });
  const wanted = rows.filter(isWanted);
  const facts = await ExportFacts.load(reader, range, wanted);
  return {
    text: wanted.map((row) => exportLine(range.repoId, row, facts)).join(''),
    recordCount: wanted.length,
    seen: rows.length,
    place: isLast ? undefined : { recordId: end.record_id, version: end.version },
  };
}

interface ExpectedRecords {
  readonly ids: readonly number[];
  readonly after: ExportPlace;
  /** The last record that was looked at. */
  readonly through: number | undefined;
}

/** Each record that a commit changed has a row; a damaged page may leave it out. */
function requireRecords(rows: readonly VersionRow[], { ids, after, through = 0 }: ExpectedRecords): void {
  const found = new Set(rows.map(({ record_id }) => record_id));
  const missing = ids.find((id) => id > after.recordId && id <= through && !found.has(id));
  if (missing !== undefined) throw damaged(`Record ${missing} is damaged: it cannot be found.`);
}

// `$1` is the repository, `$2` the sequence of the export, `$3` the one since which, `$4` and `$5` the row after which.
// A name is looked up among renames only where there was one since, in the same statement: it may come meanwhile.
const LAST_RENAME = '(select renamed_seq from repo_sequence where repo_id = $1)';
const NAME = `case when ${LAST_RENAME} <= $2 then r.name else ${nameAt('r', '$2')} end`;
const IS_WANTED = `(v.from_seq > $3 or (${LAST_RENAME} > $3 and exists (select 1 from rename x
  where x.repo_id = $1 and x.record_id = r.record_id and x.repo_seq > $3 and x.repo_seq <= $2)))`;

/** `hash` spells the hash of the data in hex: bytes would be an object of their own for each row. */
export const exportColumns = (
  hash: string,
) => `r.record_id, r.kind, r.shape_id, r.created_seq, r.about, r.about_wref, ${NAME} as name,
  v.version, v.from_seq, v.op_index, v.operation, v.active, v.shape_version, v.reason, ${hash} as data_hash, v.crc,
  r.name as name_now, r.version as head_version, r.active as head_active, r.updated_seq, r.crc as head_crc,
  case when ${IS_WANTED} then v.data end as data, case when ${IS_WANTED} then v.refs end as refs`;

/** Of a shape all versions up to the one that was current, of others that one. */
export const EXPORT_VERSIONS = `version between case when r.kind = 'shape' then 1 else ${versionAt('r', '$2')} end
  and ${versionAt('r', '$2')}`;

export const EXPORT_AFTER = '(r.record_id > $4 or v.version > $5)';

const COUNT_BEFORE = `select
    (select count(*) from record where repo_id = $1 and record_id < $3 and shape_id <> 0 and created_seq <= $2)
    + (select count(*) from record r join version v on v.repo_id = $1 and v.record_id = r.record_id
      where r.repo_id = $1 and r.record_id < $3 and r.shape_id = 0 and v.from_seq <= $2)
    + (select count(*) from record r join version v on v.repo_id = $1 and v.record_id = r.record_id and v.${EXPORT_VERSIONS}
      where r.repo_id = $1 and r.record_id = $3 and v.version <= $4) as rows`;

/** How many rows an export of everything has through a place. */
export async function countExported(
  reader: Reader,
  { repoId, atRepoSeq }: ExportRange,
  place: ExportPlace,
): Promise<number> {
  const [count] = await reader.query<{ rows: number }>(COUNT_BEFORE, [
    repoId,
    atRepoSeq,
    place.recordId,
    place.version,
  ]);
  return count?.rows ?? 0;
}
