// Checks the index of field values against the visible versions, and names against renames.

import { hash } from 'node:crypto';
import { valueAt } from '@cairn/model/json';
import type { Identity } from '@cairn/model/wref';
import type { BulkStatement, Reader, Value } from '../../engine/database.ts';
import {
  type FieldIndexRow,
  hex,
  isSooner,
  isVisible,
  type Moment,
  type NamedRecords,
  type NameRow,
  parsed,
  type RecordRow,
  type RecordStretch,
  type RenameRow,
  referencesOf,
  type ShapeFieldRow,
  type VersionRow,
} from './row.ts';
import { compareSpans, findOverlaps, type Span, toSpan } from './stretch.ts';

const VALUES: BulkStatement = {
  each: `select * from field_index where repo_id = $1 and shape_id = $2 and field_id = $3 and value = $4
    and record_id = $5`,
  set: `select k.ord::int as ord, i.* from unnest($2::bigint[], $3::bigint[], $4::bytea[], $5::bigint[])
      with ordinality as k (shape_id, field_id, value, record_id, ord)
    cross join lateral (select * from field_index where repo_id = $1 and shape_id = k.shape_id
      and field_id = k.field_id and value = k.value and record_id = k.record_id) as i`,
};

export const isComplete = ({ to_seq, built_to }: ShapeFieldRow) => to_seq === null && built_to === null;

export async function fieldDifferences(reader: Reader, stretch: RecordStretch): Promise<FoundFieldRows> {
  const byShape = Map.groupBy(stretch.shapeFields.filter(isComplete), ({ shape_id }) => shape_id);
  const source = stretch.own.flatMap((record) =>
    (byShape.get(record.shape_id) ?? []).flatMap((field) => spansOf(field, record, stretch)),
  );
  const keys = new Map(source.map(({ key, fact }) => [fact, key]));
  const kept = await reader.bulk<FieldIndexRow>(VALUES, { common: [stretch.repoId], rows: [...keys.values()] });
  const found = kept.map((row) => toSpan(factOf(row, row), row));
  const byField = Map.groupBy(found, (_, index) => kept[index] && `${fieldOf(kept[index])} ${kept[index].record_id}`);
  const differences = [
    ...kept.filter((row) => !isVisible(row)).map((row) => `the value ${factOf(row, row)} was never valid`),
    ...findOverlaps('the values', byField, stretch.importedSeq),
    ...compareSpans('the value', found, source, stretch.importedSeq),
  ];
  return { differences, rows: kept.length };
}

type ValueSpan = Span & { readonly key: readonly Value[] };

const fieldOf = ({ shape_id, field_id }: { shape_id: number; field_id: number }) => `${shape_id}/${field_id}`;

const factOf = (
  field: { shape_id: number; field_id: number },
  { record_id, value }: { record_id: number; value: Uint8Array },
) => `${hex(value)} in field ${fieldOf(field)} of record ${record_id}`;

function spansOf(field: ShapeFieldRow, { record_id }: RecordRow, { versions }: RecordStretch): ValueSpan[] {
  const visible = (versions.get(record_id) ?? []).filter(isVisible);
  return visible.flatMap((version) => {
    const value = keyIn(version, field.path);
    if (value === undefined) return [];
    const key = [field.shape_id, field.field_id, value, record_id];
    return [{ ...toSpan(factOf(field, { record_id, value }), version), key }];
  });
}

function keyIn(version: VersionRow, path: string): Uint8Array | undefined {
  const reference = referencesOf(version).find((one) => one.path === path);
  return reference === undefined ? valueKey(valueAt(parsed(version.data), path)) : referenceKey(reference);
}

/** 0x40, then six bytes each for repository, record and version. */
function referenceKey({ repoId, recordId, version }: Identity): Uint8Array {
  const digits = [repoId, recordId, version].map((number) => number.toString(16).padStart(12, '0'));
  return Buffer.from(`40${digits.join('')}`, 'hex');
}

function valueKey(value: unknown): Uint8Array | undefined {
  if (typeof value === 'boolean') return Buffer.from([0x10, Number(value)]);
  if (typeof value === 'string') return Buffer.concat([Buffer.from([0x30]), Buffer.from(value).subarray(0, 256)]);
  return typeof value === 'number' ? numberKey(value) : undefined;
}

/** 0x20, then the bits of the double: all inverted for a negative number, otherwise only the sign bit. */
function numberKey(value: number): Uint8Array {
  const bits = Buffer.alloc(8);
  bits.writeDoubleBE(value === 0 ? 0 : value);
  const unsigned = bits.readBigUInt64BE();
  const sorted = unsigned ^ (value < 0 ? 0xffff_ffff_ffff_ffffn : 1n << 63n);
  bits.writeBigUInt64BE(sorted);
  return Buffer.concat([Buffer.from([0x20]), bits]);
}

/** A second implementation of RFC 8785, so that this check does not share bugs with the code that wrote the data. */
export function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const keys = Object.keys(value).sort((a, b) => (a < b ? -1 : 1));
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(Reflect.get(value, key))}`).join(',')}}`;
}

export const sha256 = (text: string): Uint8Array => hash('sha256', text, 'buffer');

export function fullNameAt(rows: NamedRecords, recordId: number, moment: Moment): string {
  const record = rows.records.get(recordId);
  if (record === undefined) return `no record ${recordId}`;
  const name = nameAt(rows, record, moment);
  return record.shape_id === 0 ? name : `${fullNameAt(rows, record.shape_id, moment)}/${name}`;
}

function nameAt(rows: NamedRecords, { record_id, name }: RecordRow, moment: Moment): string {
  const renames = rows.renames.get(record_id) ?? [];
  const last = renames.findLast(({ repo_seq, op_index }) => !isSooner(moment, { seq: repo_seq, op: op_index }));
  return last?.new_name ?? renames[0]?.old_name ?? name;
}

export interface FoundFieldRows {
  readonly differences: readonly string[];
  readonly rows: number;
}

const UNDER_NAME: BulkStatement = {
  each: 'select * from name where repo_id = $1 and shape_id = $2 and name = $3',
  set: `select k.ord::int as ord, n.* from unnest($2::bigint[], $3::text[]) with ordinality as k (shape_id, name, ord)
    cross join lateral (select * from name where repo_id = $1 and shape_id = k.shape_id
      and name = k.name collate "C") as n`,
};

export async function nameDifferences(reader: Reader, stretch: RecordStretch): Promise<FoundFieldRows> {
  const { own, repoId, renames } = stretch;
  const source = own.flatMap((record) => spansOfName(record, stretch));
  const keys = new Map(source.map(({ shape_id, name }) => [`${shape_id}/${name}`, [shape_id, name]]));
  const rows = await reader.bulk<NameRow>(UNDER_NAME, { common: [repoId], rows: [...keys.values()] });
  const byName = Map.groupBy(rows, ({ shape_id, name }) => `${shape_id}/${name}`);
  const ids = new Set(own.map(({ record_id }) => record_id));
  const theirs = rows.filter(({ record_id }) => ids.has(record_id));
  const byRecord = Map.groupBy(theirs, ({ record_id }) => record_id);
  const differences = [
    ...own.flatMap((record) => renameDifferences(record, renames.get(record.record_id) ?? [])),
    ...findOverlaps('two records with a name:', spansIn(byName), stretch.importedSeq),
    ...findOverlaps('two names of a record:', spansIn(byRecord), stretch.importedSeq),
    ...compareSpans('the name', theirs.map(spanOf), source, stretch.importedSeq),
  ];
  return { differences, rows: theirs.length };
}

const spanOf = (row: NameRow): Span => toSpan(factOfName(row), row);
const spansIn = (groups: ReadonlyMap<unknown, readonly NameRow[]>) =>
  new Map([...groups].map(([key, rows]) => [key, rows.map(spanOf)]));

type NameSpan = Span & Pick<NameRow, 'shape_id' | 'name'>;

const factOfName = ({ record_id, shape_id, name }: { record_id: number; shape_id: number; name: string }) =>
  `${JSON.stringify(name)} under shape ${shape_id} of record ${record_id}`;

function spansOfName(record: RecordRow, stretch: RecordStretch): NameSpan[] {
  const { record_id, shape_id, created_seq } = record;
  const renamed = (stretch.renames.get(record_id) ?? []).map(({ repo_seq }) => repo_seq);
  const sequences = [...new Set([created_seq, ...renamed])];
  return sequences.map((seq, index) => {
    const name = nameAt(stretch, record, { seq, op: Number.POSITIVE_INFINITY });
    const fact = factOfName({ record_id, shape_id, name });
    return { fact, from: seq, to: sequences[index + 1] ?? null, shape_id, name };
  });
}

function renameDifferences({ record_id, name, created_seq }: RecordRow, renames: readonly RenameRow[]): string[] {
  const [first] = renames;
  if (first === undefined) return [];
  const differences = renames.flatMap(({ repo_seq, old_name, new_name }, index) => {
    const next = renames[index + 1]?.old_name ?? name;
    const place = `the rename of record ${record_id} in commit ${repo_seq}`;
    return [
      ...(next === new_name ? [] : [`${place} set ${new_name}, but the next name was ${next}`]),
      ...(old_name === new_name ? [`${place} changes nothing`] : []),
    ];
  });
  return first.repo_seq < created_seq
    ? [...differences, `record ${record_id} was renamed before it was added`]
    : differences;
}
