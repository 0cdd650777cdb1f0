// Removes the data of versions for good, with the values that indexes have of it. What is left of a version is its place in
// history: its number, its hash, which the chain of commits rests on, and whom it referred to.
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { SystemGrant } from '../access/grant.rule.ts';
import { PURGED_DATA } from '../commit/intact-data.rule.ts';
import type { BulkStatement, Transaction, Value } from '../engine/database.ts';
import { replaceDocuments } from '../search/search-follow.sql.ts';
import { isSameKey, keysOf } from '../shape/field-index.write.ts';
import { INSERT_MISSING, type IndexedVersion, intervalsOf } from '../shape/field-index-build.sql.ts';

export interface Purge {
  readonly grant: SystemGrant;
  readonly recordId: number;
  readonly versions: readonly number[];
  /** Whether the search index is in the same database; else whoever calls has it made anew. */
  readonly searchHere: boolean;
}

/** Answers which versions are without data now: also those that said the same, such as a retraction. */
export async function purgeData(tx: Transaction, purge: Purge): Promise<number[]> {
  const { grant, recordId, searchHere } = purge;
  const { repoId } = grant;
  // As a commit locks it: nobody writes another version meanwhile, with data that is about to go.
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
  if (record === undefined) throw fail('NOT_FOUND', { message: `There is no record ${recordId} any more.` });
  if (record.kind === 'shape') throw shapeRefused();
  return record.shape_id;
}

export function shapeRefused(): CairnError {
  return fail('VALIDATION_ERROR', {
    message: 'A shape cannot be purged: all its records rest on its definition. Purge the records that hold the value.',
  });
}

/** Those that are meant, and those with the same data. */
function sameAs(rows: readonly VersionRow[], versions: readonly number[]): Set<VersionRow> {
  const hashes = new Set(rows.filter(({ version }) => versions.includes(version)).map(hashOf));
  return new Set(rows.filter((row) => row.data !== PURGED_DATA && hashes.has(hashOf(row))));
}

const hashOf = ({ data_hash }: VersionRow) => Buffer.from(data_hash).toString('hex');

interface FieldRow {
  readonly field_id: number;
  readonly path: string;
}

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

/** A row may stand for several versions, of which some stay: those are written anew. */
async function purgeValues(tx: Transaction, history: History): Promise<void> {
  const { repoId, shapeId, recordId, before, after } = history;
  const fields = await tx.query<FieldRow>(
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

/** What was replaced within its own commit is in no index. */
const wasSeen = ({ from_seq, to_seq }: VersionRow) => to_seq === null || to_seq > from_seq;

/** The values that some version had, and has no more. */
function lostValues({ before, after }: Pick<History, 'before' | 'after'>, path: string): Uint8Array[] {
  const lost = new Map<string, Uint8Array>();
  for (const [index, row] of before.entries()) {
    const [was, is] = [keysOf(row)(path), keysOf(after[index])(path)];
    if (was !== undefined && !isSameKey(was, is)) lost.set(Buffer.from(was).toString('hex'), was);
  }
  return [...lost.values()];
}
