// The index of field values holds the value of every visible version, at every sequence, for each field whose index is
// complete.
import type { BulkStatement, Reader, Value } from '../../engine/database.ts';
import { valueAt } from '../../model/json-value.ts';
import type { Identity } from '../../model/reference.ts';
import type { Found } from './name.ts';
import {
  type FieldIndexRow,
  hex,
  isVisible,
  parsed,
  type RecordRow,
  type RecordStretch,
  referencesOf,
  type ShapeFieldRow,
  type VersionRow,
} from './row.ts';
import { compareSpans, findOverlaps, type Span, toSpan } from './span.ts';

const VALUES: BulkStatement = {
  each: `select * from field_index where repo_id = $1 and shape_id = $2 and field_id = $3 and value = $4
    and record_id = $5`,
  set: `select k.ord::int as ord, i.* from unnest($2::bigint[], $3::bigint[], $4::bytea[], $5::bigint[])
      with ordinality as k (shape_id, field_id, value, record_id, ord)
    cross join lateral (select * from field_index where repo_id = $1 and shape_id = k.shape_id
      and field_id = k.field_id and value = k.value and record_id = k.record_id) as i`,
};

/** Fields whose index is to be complete. */
export const isComplete = ({ to_seq, built_to }: ShapeFieldRow) => to_seq === null && built_to === null;

export async function fieldDifferences(reader: Reader, stretch: RecordStretch): Promise<Found> {
  const byShape = Map.groupBy(stretch.shapeFields.filter(isComplete), ({ shape_id }) => shape_id);
  const source = stretch.own.flatMap((record) =>
    (byShape.get(record.shape_id) ?? []).flatMap((field) => spansOf(field, record, stretch)),
  );
  const keys = new Map(source.map(({ key, fact }) => [fact, key]));
  const kept = await reader.bulk<FieldIndexRow>(VALUES, { common: [stretch.repoId], rows: [...keys.values()] });
  const found = kept.map((row) => toSpan(factOf(row, row), row));
  const byField = Map.groupBy(found, (_, index) => kept[index] && `${fieldOf(kept[index])} ${kept[index].record_id}`);
  const differences = [
    ...kept.filter((row) => !isVisible(row)).map((row) => `the value ${factOf(row, row)} never was`),
    ...findOverlaps('the values', byField, stretch.importedSeq),
    ...compareSpans('the value', { rows: found, source, after: stretch.importedSeq }),
  ];
  return { differences, rows: kept.length };
}

type ValueSpan = Span & { readonly key: readonly Value[] };

interface FieldId {
  readonly shape_id: number;
  readonly field_id: number;
}

interface IndexedValue {
  readonly record_id: number;
  readonly value: Uint8Array;
}

const fieldOf = ({ shape_id, field_id }: FieldId) => `${shape_id}/${field_id}`;

const factOf = (field: FieldId, { record_id, value }: IndexedValue) =>
  `${hex(value)} in field ${fieldOf(field)} of record ${record_id}`;

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

/** 0x40, then six bytes each of repository, record and version. */
function referenceKey({ repoId, recordId, version }: Identity): Uint8Array {
  const digits = [repoId, recordId, version].map((number) => number.toString(16).padStart(12, '0'));
  return Buffer.from(`40${digits.join('')}`, 'hex');
}

function valueKey(value: unknown): Uint8Array | undefined {
  if (typeof value === 'boolean') return Buffer.from([0x10, Number(value)]);
  if (typeof value === 'string') return Buffer.concat([Buffer.from([0x30]), Buffer.from(value).subarray(0, 256)]);
  return typeof value === 'number' ? numberKey(value) : undefined;
}

/** 0x20, then the double's bits: all turned round for a negative number, the sign alone for another. */
function numberKey(value: number): Uint8Array {
  const bits = Buffer.alloc(8);
  bits.writeDoubleBE(value === 0 ? 0 : value);
  const unsigned = bits.readBigUInt64BE();
  const sorted = unsigned ^ (value < 0 ? 0xffff_ffff_ffff_ffffn : 1n << 63n);
  bits.writeBigUInt64BE(sorted);
  return Buffer.concat([Buffer.from([0x20]), bits]);
}
