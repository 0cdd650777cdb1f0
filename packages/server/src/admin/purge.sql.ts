// Finds and removes a value that must be purged. Data of versions can be purged; other places can only be reported.

import { setTimeout as pause } from 'node:timers/promises';
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { SystemGrant } from '../access/grant.rule.ts';
import { PURGED_DATA } from '../commit/integrity.rule.ts';
import type { BulkStatement, Database, Reader, StoreLocation, Transaction, Value } from '../engine/database.ts';
import { SqliteConnection } from '../engine/sqlite/connection.ts';
import { removeSideFile, searchFile } from '../engine/sqlite/side-file.ts';
import type { NamedRow } from '../read/hidden-target.sql.ts';
import { fullName } from '../read/target-name.sql.ts';
import { replaceDocuments } from '../search/search-follow.sql.ts';
import { INSERT_MISSING, type IndexedVersion, intervalsOf, isSameKey, keysOf } from '../shape/field-index.sql.ts';

export interface PurgedRepository {
  readonly id: number;
  readonly organizationId: number;
}

export async function findPurged(
  reader: Reader,
  { orgName, name }: { orgName: string; name: string },
): Promise<PurgedRepository | undefined> {
  const [found] = await reader.query<PurgedRepository>(
    `select r.id, r.organization_id as "organizationId" from repository r join organization o on o.id = r.organization_id
     where o.name = $1 and r.name = $2`,
    [orgName, name],
  );
  return found;
}

export async function hasOpenImport(reader: Reader, repoId: number): Promise<boolean> {
  const rows = await reader.query(`select import_id from import where repo_id = $1 and state <> 'complete'`, [repoId]);
  return rows.length > 0;
}

export interface NamedRecord {
  readonly recordId: number;
  readonly kind: string;
  readonly name: string;
}

const NAMED = `select r.record_id, r.kind, r.name, s.name as shape_name from record r
  left join record s on s.repo_id = r.repo_id and s.record_id = r.shape_id where r.repo_id = $1`;

type PurgedRow = Pick<NamedRow, 'record_id' | 'kind' | 'name' | 'shape_name'>;

const toNamed = (row: PurgedRow): NamedRecord => ({ recordId: row.record_id, kind: row.kind, name: fullName(row) });

export async function findNamedRecord(
  reader: Reader,
  repoId: number,
  { shapeName, local }: { shapeName: string; local: string },
): Promise<NamedRecord | undefined> {
  const [row] = await reader.query<{ record_id: number }>(
    `select n.record_id from name s join name n on n.repo_id = s.repo_id and n.shape_id = s.record_id
     where s.repo_id = $1 and s.shape_id = 0 and s.name = $2 and s.to_seq is null and n.name = $3 and n.to_seq is null`,
    [repoId, shapeName, local],
  );
  return row && (await findRecordById(reader, repoId, row.record_id));
}

export async function findRecordById(reader: Reader, repoId: number, recordId: number): Promise<NamedRecord> {
  const [row] = await reader.query<PurgedRow>(`${NAMED} and r.record_id = $2`, [repoId, recordId]);
  return row === undefined ? { recordId, kind: 'thing', name: `record ${recordId}` } : toNamed(row);
}

export interface FoundVersion {
  readonly recordId: number;
  readonly version: number;
}

const POSITION = { sqlite: 'instr', postgres: 'strpos' } as const;
const ALL = 0;

/** Without a record it reads all data, because no index finds a text. */
export async function findVersions(
  database: Database,
  search: { repoId: number; recordId?: number | undefined; containing?: string | undefined },
): Promise<FoundVersion[]> {
  const { repoId, recordId = ALL, containing = '' } = search;
  return await database.beside.query<FoundVersion>(
    `select record_id as "recordId", version from version where repo_id = $1 and (record_id = $2 or $2 = ${ALL})
       and data <> '${PURGED_DATA}' and ${POSITION[database.engine]}(data, $3) > 0 order by record_id, version`,
    [repoId, recordId, asInJson(containing)],
  );
}

/** Data contains texts as JSON escapes. For an empty text, the brace matches all data. */
const asInJson = (text: string) => (text === '' ? '{' : JSON.stringify(text).slice(1, -1));

/** The commit chain contains these texts themselves, not their hashes, so they cannot be removed. */
const ELSEWHERE = {
  'the message of a commit': `"commit" where repo_id = $1 and {position}(message, $2) > 0`,
  'the reason of a retraction': 'version where repo_id = $1 and {position}(reason, $2) > 0',
  'the name of a record': 'record where repo_id = $1 and {position}(name, $2) > 0',
  'a former name of a record': 'rename where repo_id = $1 and {position}(old_name, $2) > 0',
} as const;

export async function findElsewhere(
  database: Database,
  { repoId, containing }: { repoId: number; containing: string },
): Promise<string[]> {
  const found: string[] = [];
  for (const [what, from] of Object.entries(ELSEWHERE)) {
    const sql = `select 1 as one from ${from.replace('{position}', POSITION[database.engine])} limit 1`;
    if ((await database.beside.query(sql, [repoId, containing])).length > 0) found.push(what);
  }
  return found;
}

interface Purge {
  readonly grant: SystemGrant;
  readonly recordId: number;
  readonly versions: readonly number[];
  /** Set if the search index is in this database. Otherwise the caller rebuilds it. */
  readonly searchHere: boolean;
}

/** Number, hash and references stay. Versions with the same data, such as a retraction, are purged too and returned. */
export async function purgeData(tx: Transaction, purge: Purge): Promise<number[]> {
  const { grant, recordId, searchHere } = purge;
  const { repoId } = grant;
  // Takes the lock of commits, so that nobody writes a version that copies the data.
  await tx.query(`select repo_seq from repo_sequence where repo_id = $1 ${tx.forUpdate}`, [repoId]);
  const shapeId = await findShape(tx, repoId, recordId);
  const before = await tx.query<VersionRow>(
    `select record_id, version, from_seq, to_seq, data, data_hash, refs from version
     where repo_id = $1 and record_id = $2 order by version`,
    [repoId, recordId],
  );
  const gone = sameAs(before, purge.versions);
  const after = before.map((row) => (gone.has(row) ? { ...row, data: PURGED_DATA } : row));
  await purgeValues(tx, { repoId, shapeId, recordId, before, after });
  const versions = [...gone].map(({ version }) => version);
  await tx.bulk(EMPTY_DATA, { common: [repoId, PURGED_DATA], rows: versions.map((version) => [recordId, version]) });
  if (searchHere) await replaceDocuments(tx, repoId, [recordId]);
  return versions;
}

interface VersionRow extends IndexedVersion {
  readonly version: number;
  readonly data_hash: Uint8Array;
}

const EMPTY_DATA: BulkStatement = {
  each: 'update version set data = $2 where repo_id = $1 and record_id = $3 and version = $4',
  set: `update version v set data = $2::text from unnest($3::bigint[], $4::bigint[]) as x (record_id, version)
    where v.repo_id = $1 and v.record_id = x.record_id and v.version = x.version`,
};

async function findShape(tx: Transaction, repoId: number, recordId: number): Promise<number> {
  const [record] = await tx.query<{ kind: string; shape_id: number }>(
    'select kind, shape_id from record where repo_id = $1 and record_id = $2',
    [repoId, recordId],
  );
  if (record === undefined) throw fail('NOT_FOUND', { message: `The record ${recordId} no longer exists.` });
  if (record.kind === 'shape') throw shapeRefused();
  return record.shape_id;
}

export function shapeRefused(): CairnError {
  return fail('VALIDATION_ERROR', {
    message:
      'A shape cannot be purged, because its records depend on its definition. Purge the records that contain the value.',
  });
}

function sameAs(rows: readonly VersionRow[], versions: readonly number[]): Set<VersionRow> {
  const hashes = new Set(rows.filter(({ version }) => versions.includes(version)).map(hashOf));
  return new Set(rows.filter((row) => row.data !== PURGED_DATA && hashes.has(hashOf(row))));
}

const hashOf = ({ data_hash }: VersionRow) => Buffer.from(data_hash).toString('hex');

interface History {
  readonly repoId: number;
  readonly shapeId: number;
  readonly recordId: number;
  readonly before: readonly VersionRow[];
  readonly after: readonly VersionRow[];
}

const REMOVE_VALUES: BulkStatement = {
  each: 'delete from field_index where repo_id = $1 and shape_id = $2 and field_id = $3 and value = $4 and record_id = $5',
  set: `delete from field_index i using unnest($2::bigint[], $3::bigint[], $4::bytea[], $5::bigint[])
      as x (shape_id, field_id, value, record_id)
    where i.repo_id = $1 and i.shape_id = x.shape_id and i.field_id = x.field_id and i.value = x.value
      and i.record_id = x.record_id`,
};

/** An index row may cover several versions, so rows for the remaining ones are inserted again. */
async function purgeValues(tx: Transaction, history: History): Promise<void> {
  const { repoId, shapeId, recordId, before, after } = history;
  const fields = await tx.query<{ field_id: number; path: string }>(
    'select field_id, path from shape_field where repo_id = $1 and shape_id = $2',
    [repoId, shapeId],
  );
  const removed: Value[][] = [];
  const kept: Value[][] = [];
  for (const { field_id, path } of fields) {
    const lost = lostValues({ before, after }, path);
    removed.push(...lost.map((value) => [shapeId, field_id, value, recordId]));
    const intervals = intervalsOf(after.filter(wasSeen), path);
    for (const { value, from, to } of intervals.filter(({ value: one }) =>
      lost.some((other) => isSameKey(one, other)),
    )) {
      kept.push([shapeId, field_id, value, recordId, from, to]);
    }
  }
  await tx.bulk(REMOVE_VALUES, { common: [repoId], rows: removed });
  await tx.bulk(INSERT_MISSING, { common: [repoId], rows: kept });
}

/** Indexes skip versions that were replaced within their own commit. */
const wasSeen = ({ from_seq, to_seq }: VersionRow) => to_seq === null || to_seq > from_seq;

function lostValues({ before, after }: Pick<History, 'before' | 'after'>, path: string): Uint8Array[] {
  const lost = new Map<string, Uint8Array>();
  for (const [index, row] of before.entries()) {
    const [was, is] = [keysOf(row)(path), keysOf(after[index])(path)];
    if (was !== undefined && !isSameKey(was, is)) lost.set(Buffer.from(was).toString('hex'), was);
  }
  return [...lost.values()];
}

const EMPTY_LOG_WITHIN_MS = 10_000;
const LOOK_AGAIN_MS = 50;

/** No removed data stays on the disk. Returns false if a reader of an older state keeps the SQLite log. */
export async function rewriteStorage(location: StoreLocation): Promise<boolean> {
  if (location.engine === 'postgres') {
    const { rewritePostgres } = await import('../engine/postgres/postgres.ts');
    await rewritePostgres(location.url);
    return true;
  }
  removeSideFile(searchFile(location.file));
  using connection = new SqliteConnection(location.file, { readOnly: false });
  connection.exec('vacuum');
  return await emptyLog(connection);
}

async function emptyLog(connection: SqliteConnection): Promise<boolean> {
  const end = performance.now() + EMPTY_LOG_WITHIN_MS;
  for (;;) {
    const [state] = connection.all<{ busy: number }>('pragma wal_checkpoint(truncate)');
    if (state?.busy === 0) return true;
    if (performance.now() > end) return false;
    await pause(LOOK_AGAIN_MS);
  }
}
