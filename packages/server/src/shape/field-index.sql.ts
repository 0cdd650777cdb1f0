// The index of field values: a row lasts as long as the value does, over as many versions as keep it.

import { valueAt } from '@cairn/model/json';
import { parseReferences } from '@cairn/model/wref';
import type { ShapeItem } from '@cairn/protocol/record';
import { type Grant, type SystemGrant, systemGrant } from '../access/grant.rule.ts';
import type { Content, Head, ShapeSet } from '../commit/record-set.sql.ts';
import type { BulkStatement, Reader, Transaction, Value } from '../engine/database.ts';
import { indexKey } from './index-key.rule.ts';

type IndexedContent = Pick<Content, 'data' | 'value' | 'written' | 'refs' | 'references'>;

interface Indexed {
  readonly repoSeq: number;
  readonly heads: readonly Head[];
  readonly shapes: ShapeSet;
}

export function indexRows({ repoSeq, heads, shapes }: Indexed): { closed: Value[][]; opened: Value[][] } {
  const closed: Value[][] = [];
  const opened: Value[][] = [];
  for (const head of heads) {
    const fields = shapes.fieldsOf(head.shapeId);
    if (head.data === head.before?.data && head.refs === head.before.refs) continue;
    const [keyWas, keyIs] = [keysOf(head.before), keysOf(head)];
    for (const { fieldId, path } of fields) {
      const [was, is] = [keyWas(path), keyIs(path)];
      if (isSameKey(was, is)) continue;
      if (was !== undefined) closed.push([head.shapeId, fieldId, was, head.recordId, repoSeq]);
      if (is !== undefined) opened.push([head.shapeId, fieldId, is, head.recordId, repoSeq]);
    }
  }
  return { closed, opened };
}

const noKey = () => undefined;

export function keysOf(content: IndexedContent | undefined): (path: string) => Uint8Array | undefined {
  if (content === undefined) return noKey;
  const { written } = content;
  let data = content.value;
  const references = content.references ?? parseReferences(content.refs);
  return (path) => {
    const known = written?.keyPaths.indexOf(path) ?? -1;
    if (known !== -1) return written?.keys[known];
    const reference = references.find((one) => one.path === path);
    if (reference !== undefined) return indexKey(undefined, reference);
    data ??= JSON.parse(content.data);
    return indexKey(valueAt(data, path));
  };
}

export function isSameKey(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && Buffer.compare(a, b) === 0);
}

// Indexes records from before a field was indexed, in bounded steps. Commits maintain the index meanwhile; both write
// the same rows, so their order does not matter.

const RECORDS_PER_STEP = 100;
const VERSIONS_PER_STEP = 3_000;

export interface FieldAddress {
  readonly grant: SystemGrant;
  readonly shapeId: number;
  readonly fieldId: number;
}

export async function findUnbuiltFields(reader: Reader): Promise<FieldAddress[]> {
  const rows = await reader.query<{ repoId: number; shapeId: number; fieldId: number }>(
    `select repo_id as "repoId", shape_id as "shapeId", field_id as "fieldId" from shape_field
     where built_to is not null and to_seq is null limit 100`,
  );
  return rows.map(({ repoId, ...field }) => ({ grant: systemGrant(repoId, 'index build'), ...field }));
}

/** One step; returns whether the index is complete. */
export async function buildFieldIndex(tx: Transaction, address: FieldAddress): Promise<boolean> {
  const { grant, shapeId, fieldId } = address;
  const { repoId } = grant;
  const field = await lockField(tx, address);
  if (field === undefined) return true;
  const versions = await nextVersions(tx, repoId, shapeId, field.built_to);
  const rows = intervalsOf(versions, field.path).map(({ value, recordId, from, to }) => [
    shapeId,
    fieldId,
    value,
    recordId,
    from,
    to,
  ]);
  await tx.bulk(INSERT_MISSING, { common: [repoId], rows });
  const last = versions.at(-1)?.record_id ?? null;
  await tx.query('update shape_field set built_to = $4 where repo_id = $1 and shape_id = $2 and field_id = $3', [
    repoId,
    shapeId,
    fieldId,
    last,
  ]);
  return last === null;
}

// Locks the repository's sequence as commits do, so that no commit changes the records of this step.
async function lockField(
  tx: Transaction,
  { grant, shapeId, fieldId }: FieldAddress,
): Promise<{ path: string; built_to: number } | undefined> {
  const { repoId } = grant;
  await tx.query(`select repo_seq from repo_sequence where repo_id = $1 ${tx.forUpdate}`, [repoId]);
  const [field] = await tx.query<{ path: string; built_to: number }>(
    `select path, built_to from shape_field
     where repo_id = $1 and shape_id = $2 and field_id = $3 and built_to is not null and to_seq is null`,
    [repoId, shapeId, fieldId],
  );
  return field;
}

export interface IndexedVersion {
  readonly record_id: number;
  readonly from_seq: number;
  readonly to_seq: number | null;
  readonly data: string;
  readonly refs: string | null;
}

const nextRecords = (active: string, by = '') => `select record_id, version from record ${by}
  where repo_id = $1 and shape_id = $2 and active = ${active} and record_id > $3
  order by record_id limit ${RECORDS_PER_STEP}`;

/** Active and retracted records are in separate parts of the index, so each part is read on its own. */
const NEXT_RECORDS: BulkStatement = {
  each: nextRecords('$4', 'indexed by record_by_shape'),
  set: `select k.ord::int as ord, r.* from unnest($4::bigint[]) with ordinality as k (active, ord)
    cross join lateral (${nextRecords('k.active')}) as r`,
};

/** Returns whole records only, and few enough to keep the step short. */
async function nextVersions(reader: Reader, repoId: number, shapeId: number, after: number): Promise<IndexedVersion[]> {
  const found = await reader.bulk<{ record_id: number; version: number }>(NEXT_RECORDS, {
    common: [repoId, shapeId, after],
    rows: [[1], [0]],
  });
  const records = found.sort((a, b) => a.record_id - b.record_id).slice(0, RECORDS_PER_STEP);
  let versions = 0;
  const taken = records.filter(({ version }, index) => {
    versions += version;
    return index === 0 || versions <= VERSIONS_PER_STEP;
  });
  const last = taken.at(-1)?.record_id;
  if (last === undefined) return [];
  // Versions that their own commit replaced were never visible.
  return await reader.query<IndexedVersion>(
    `select v.record_id, v.from_seq, v.to_seq, v.data, v.refs
     from record r join version v on v.repo_id = $1 and v.record_id = r.record_id
     where r.repo_id = $1 and r.shape_id = $2 and r.record_id > $3 and r.record_id <= $4
       and (v.to_seq is null or v.to_seq > v.from_seq)
     order by v.record_id, v.version`,
    [repoId, shapeId, after, last],
  );
}

interface Interval {
  readonly value: Uint8Array;
  readonly recordId: number;
  readonly from: number;
  to: number | null;
}

/** The interval of each value of a record. Consecutive versions with the same value share one interval. */
export function intervalsOf(versions: readonly IndexedVersion[], path: string): Interval[] {
  const intervals: Interval[] = [];
  for (const { record_id, from_seq, to_seq, data, refs } of versions) {
    const value = keysOf({ data, refs })(path);
    const last = intervals.at(-1);
    if (last?.recordId === record_id && last.to === from_seq && isSameKey(last.value, value)) last.to = to_seq;
    else if (value !== undefined) intervals.push({ value, recordId: record_id, from: from_seq, to: to_seq });
  }
  return intervals;
}

const FIELD_INDEX_COLUMNS: Value[] = ['shape_id', 'field_id', 'value', 'record_id', 'from_seq', 'to_seq'];

export const INSERT_MISSING: BulkStatement = {
  each: `insert into field_index (repo_id, ${FIELD_INDEX_COLUMNS.join(', ')}) values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
  set: `insert into field_index (repo_id, ${FIELD_INDEX_COLUMNS.join(', ')})
    select $1::bigint, * from unnest($2::bigint[], $3::bigint[], $4::bytea[], $5::bigint[], $6::bigint[], $7::bigint[])
    on conflict do nothing`,
};

// The index states that `shape.get` reports.

interface IndexedShape {
  readonly shapeId: number;
  readonly repoSeq: number;
}

export async function listIndexes(
  reader: Reader,
  { repoId }: Grant,
  { shapeId, repoSeq }: IndexedShape,
): Promise<ShapeItem['indexes']> {
  const rows = await reader.query<{ path: string; built_to: number | null }>(
    `select path, built_to from shape_field
     where repo_id = $1 and shape_id = $2 and from_seq <= $3 and (to_seq is null or to_seq > $3) order by field_id`,
    [repoId, shapeId, repoSeq],
  );
  return rows.map(({ path, built_to }) => ({ path, state: built_to === null ? 'ready' : 'building' }));
}
