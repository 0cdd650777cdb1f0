// Reads one page of an export: the next rows by key, as text. Nothing stays open between pages, because each page reads
// the state at the export's sequence.

import { type CommitEntry, damaged } from '../commit/integrity.rule.ts';
import type { BulkStatement, Reader, Value } from '../engine/database.ts';
import { findByKey } from '../engine/lookup.ts';
import { findLastRecord } from '../read/list/record-walk.sql.ts';
import type { CommitFacts } from '../read/record-item.sql.ts';
import { nameAt, versionAt } from '../read/target-name.sql.ts';
import { exportLine, isWanted, requireIntactRow, type VersionRow } from './export-row.rule.ts';

export interface ExportRange {
  readonly repoId: number;
  readonly sinceRepoSeq: number;
  readonly atRepoSeq: number;
}

export interface ExportPlace {
  readonly recordId: number;
  readonly version: number;
}

export interface ExportPageRequest {
  readonly range: ExportRange;
  readonly after: ExportPlace;
  readonly ids?: readonly number[] | undefined;
  readonly lastRecordId: number;
}

export interface ExportPage {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly recordCount: number;
  /** Includes rows that an increment skipped because they did not change. */
  readonly seen: number;
  readonly place: ExportPlace | undefined;
}

export interface ExportReader extends Reader {
  take(source: ExportSelection, params: readonly Value[]): Promise<TakenRows>;
}

export interface TakenRows {
  readonly rows: VersionRow[];
  readonly isFull: boolean;
}

export type ExportSelection = 'all' | 'ids';

const PAGE_BYTES = 512 * 1024;
/** Bounds a page of an increment that skips most rows. */
const PAGE_ROWS = 4_000;

/** Reads in small parts: larger ones survive the young generation of the heap and take much more memory. */
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
  // A short part does not mean the end: rows behind it may not have been read.
  const isLast = end === undefined || (!isFull && end.record_id >= (ids?.at(-1) ?? lastRecordId));
  for (const row of rows) requireIntactRow(range.repoId, row);
  if (ids !== undefined) requireRecords(rows, ids, after, isFull ? end?.record_id : ids.at(-1));
  const wanted = rows.filter(isWanted);
  const facts = await loadFacts(reader, range, wanted);
  return {
    text: wanted.map((row) => exportLine(range.repoId, row, facts)).join(''),
    recordCount: wanted.length,
    seen: rows.length,
    place: isLast ? undefined : { recordId: end.record_id, version: end.version },
  };
}

/** Every changed record must have a row, but a damaged database page may omit it. */
function requireRecords(rows: readonly VersionRow[], ids: readonly number[], after: ExportPlace, through = 0): void {
  const found = new Set(rows.map(({ record_id }) => record_id));
  const missing = ids.find((id) => id > after.recordId && id <= through && !found.has(id));
  if (missing !== undefined) throw damaged(`Record ${missing} is damaged: it cannot be found.`);
}

// `$1` is the repository, `$2` the export's sequence, `$3` the sequence since which, `$4` and `$5` the last row. The
// same statement checks for renames, because one may come between two statements.
const LAST_RENAME = '(select renamed_seq from repo_sequence where repo_id = $1)';
const NAME = `case when ${LAST_RENAME} <= $2 then r.name else ${nameAt('r', '$2')} end`;
const IS_WANTED = `(v.from_seq > $3 or (${LAST_RENAME} > $3 and exists (select 1 from rename x
  where x.repo_id = $1 and x.record_id = r.record_id and x.repo_seq > $3 and x.repo_seq <= $2)))`;

/** `hash` is the SQL for the data hash in hex, because a byte array per row would cost more. */
export const exportColumns = (
  hash: string,
) => `r.record_id, r.kind, r.shape_id, r.created_seq, r.about, r.about_wref, ${NAME} as name,
  v.version, v.from_seq, v.op_index, v.operation, v.active, v.shape_version, v.reason, ${hash} as data_hash, v.crc,
  r.name as name_now, r.version as head_version, r.active as head_active, r.updated_seq, r.crc as head_crc,
  case when ${IS_WANTED} then v.data end as data, case when ${IS_WANTED} then v.refs end as refs`;

/** Shapes export all versions up to the current one; other records only the current one. */
export const EXPORT_VERSIONS = `version between case when r.kind = 'shape' then 1 else ${versionAt('r', '$2')} end
  and ${versionAt('r', '$2')}`;

export const EXPORT_AFTER = '(r.record_id > $4 or v.version > $5)';

const COUNT_BEFORE = `select
    (select count(*) from record where repo_id = $1 and record_id < $3 and shape_id <> 0 and created_seq <= $2)
    + (select count(*) from record r join version v on v.repo_id = $1 and v.record_id = r.record_id
      where r.repo_id = $1 and r.record_id < $3 and r.shape_id = 0 and v.from_seq <= $2)
    + (select count(*) from record r join version v on v.repo_id = $1 and v.record_id = r.record_id and v.${EXPORT_VERSIONS}
      where r.repo_id = $1 and r.record_id = $3 and v.version <= $4) as rows`;

async function countExported(reader: Reader, { repoId, atRepoSeq }: ExportRange, place: ExportPlace): Promise<number> {
  const [count] = await reader.query<{ rows: number }>(COUNT_BEFORE, [
    repoId,
    atRepoSeq,
    place.recordId,
    place.version,
  ]);
  return count?.rows ?? 0;
}

const COMMIT = 'created_at, created_by, committer, committer_identity';
const FIND_COMMITS = findByKey('"commit"', COMMIT, ['repo_seq']);

const FIND_SHAPE_NAMES: BulkStatement = {
  each: `select ${nameAt('s', '$2')} as name from record s where s.repo_id = $1 and s.record_id = $3`,
  set: `select k.ord::int as ord, ${nameAt('s', '$2')} as name
    from unnest($3::bigint[]) with ordinality as k (record_id, ord)
    cross join lateral (select repo_id, record_id, name from record
      where repo_id = $1 and record_id = k.record_id limit 1) as s`,
};

export interface ExportFacts {
  commit(repoSeq: number): CommitFacts;
  shapeName(shapeId: number): string;
}

async function loadFacts(
  reader: Reader,
  { repoId, atRepoSeq }: { repoId: number; atRepoSeq: number },
  rows: readonly VersionRow[],
): Promise<ExportFacts> {
  const seqs = [...new Set(rows.flatMap(({ from_seq, created_seq }) => [from_seq, created_seq]))];
  const shapeIds = [...new Set(rows.map(({ shape_id }) => shape_id))].filter((id) => id !== 0);
  const found = await reader.bulk<CommitFacts>(FIND_COMMITS, { common: [repoId], rows: seqs.map((seq) => [seq]) });
  const named = await reader.bulk<{ name: string }>(FIND_SHAPE_NAMES, {
    common: [repoId, atRepoSeq],
    rows: shapeIds.map((id) => [id]),
  });
  const commits = new Map(found.map((commit) => [seqs[commit.ord], commit]));
  const names = new Map(named.map(({ ord, name }) => [shapeIds[ord], name]));
  return {
    commit: (repoSeq) => commits.get(repoSeq) ?? missing(`commit ${repoSeq}`),
    shapeName: (shapeId) => names.get(shapeId) ?? missing(`shape ${shapeId}`),
  };
}

function missing(what: string): never {
  throw new Error(`there is no ${what}`);
}

const BYTES_AT_FIRST = 1024 * 1024;

/** Collects text in one buffer. The garbage collector underestimates small buffers that are joined later. */
class GrowingBytes {
  #bytes = new ArrayBuffer(BYTES_AT_FIRST);
  length = 0;

  add(text: string): void {
    const size = Buffer.byteLength(text);
    if (this.length + size > this.#bytes.byteLength) {
      this.#bytes = this.#bytes.transfer(2 * (this.length + size));
    }
    Buffer.from(this.#bytes, this.length, size).write(text);
    this.length += size;
  }

  taken(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#bytes.transfer(this.length));
  }
}

export interface ExportPlan {
  readonly lastRecordId: number;
  readonly ids: readonly number[] | undefined;
  readonly rows: number | undefined;
}

/** Beyond these limits, reading all records takes less memory and hardly more time. */
const COMMITS_FEW = 20_000;
const OPERATIONS_FEW = 100_000;
const COMMITS_A_STEP = 500;

export interface PlanRequest extends ExportRange {
  readonly after?: ExportPlace | undefined;
}

export async function planExport(reader: Reader, { after, ...range }: PlanRequest): Promise<ExportPlan> {
  const lastRecordId = await findLastRecord(reader, range);
  const ids = (await isOfFew(reader, range)) ? await changedRecords(reader, range) : undefined;
  if (ids !== undefined) return { lastRecordId, ids, rows: undefined };
  const [commit] = await reader.query<{ export_rows: number | null }>(
    'select export_rows from "commit" where repo_id = $1 and repo_seq = $2',
    [range.repoId, range.atRepoSeq],
  );
  if (commit?.export_rows == null) return { lastRecordId, ids, rows: undefined };
  const before = after === undefined ? 0 : await countExported(reader, range, after);
  return { lastRecordId, ids, rows: commit.export_rows - before };
}

async function isOfFew(reader: Reader, { repoId, sinceRepoSeq, atRepoSeq }: ExportRange): Promise<boolean> {
  if (sinceRepoSeq === 0 || atRepoSeq - sinceRepoSeq > COMMITS_FEW) return false;
  const [sum] = await reader.query<{ operations: number }>(
    `select cast(coalesce(sum(operation_count), 0) as bigint) as operations from "commit"
     where repo_id = $1 and repo_seq > $2 and repo_seq <= $3`,
    [repoId, sinceRepoSeq, atRepoSeq],
  );
  return sum !== undefined && sum.operations <= OPERATIONS_FEW;
}

async function changedRecords(reader: Reader, { repoId, sinceRepoSeq, atRepoSeq }: ExportRange): Promise<number[]> {
  const ids = new Set<number>();
  for (let since = sinceRepoSeq; since < atRepoSeq; since += COMMITS_A_STEP) {
    const commits = await reader.query<{ entries: string }>(
      'select entries from "commit" where repo_id = $1 and repo_seq > $2 and repo_seq <= $3',
      [repoId, since, Math.min(since + COMMITS_A_STEP, atRepoSeq)],
    );
    for (const { entries } of commits) {
      for (const [, recordId] of JSON.parse(entries) as CommitEntry[]) ids.add(recordId);
    }
  }
  return [...ids].sort((a, b) => a - b);
}
