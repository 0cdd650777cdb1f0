// The index of field values holds the value of every visible version, at every sequence, for each field whose index is
// complete.
import { valueAt } from '../../../packages/server/src/model/json-pointer.ts';
import type { Identity } from '../../../packages/server/src/model/reference.ts';
import { hex, isVisible, type RepositoryRows, referencesOf, type ShapeFieldRow, type VersionRow } from './row.ts';
import { compareSpans, findOverlaps, type Span, toSpan } from './span.ts';

export function fieldDifferences(rows: RepositoryRows): string[] {
  const complete = rows.shapeFields.filter(({ to_seq, built_to }) => to_seq === null && built_to === null);
  const known = new Set(complete.map(fieldOf));
  const kept = rows.fieldIndex.filter((row) => known.has(fieldOf(row)));
  const found = kept.map((row) => toSpan(factOf(row, row), row));
  const byField = Map.groupBy(found, (_, index) => kept[index] && `${fieldOf(kept[index])} ${kept[index].record_id}`);
  return [
    ...kept.filter((row) => !isVisible(row)).map((row) => `the value ${factOf(row, row)} never was`),
    ...findOverlaps('the values', byField),
    ...compareSpans('the value', { rows: found, source: complete.flatMap((field) => spansOf(field, rows)) }),
  ];
}

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

function spansOf(field: ShapeFieldRow, { records, versions }: RepositoryRows): Span[] {
  const ofShape = [...records.values()].filter(({ shape_id }) => shape_id === field.shape_id);
  const visible = ofShape.flatMap(({ record_id }) => (versions.get(record_id) ?? []).filter(isVisible));
  return visible.flatMap((version) => {
    const value = keyIn(version, field.path);
    return value === undefined ? [] : [toSpan(factOf(field, { record_id: version.record_id, value }), version)];
  });
}

function keyIn(version: VersionRow, path: string): Uint8Array | undefined {
  const reference = referencesOf(version).find((one) => one.path === path);
  return reference === undefined ? valueKey(valueAt(JSON.parse(version.data), path)) : referenceKey(reference);
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
