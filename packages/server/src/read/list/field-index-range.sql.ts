// SQL conditions on fields, and the ranges of their index that can match.

import { prefixEnd } from '@cairn/model/text-range';
import { formatDurableId } from '@cairn/model/wref';
import type { Grant } from '../../access/grant.rule.ts';
import type { AddParameter, BulkStatement, DataDialect, Reader } from '../../engine/database.ts';
import { indexKey } from '../../shape/index-key.rule.ts';
import { PROBE_MAX } from './collected.sql.ts';
import type { FieldCondition, PointedRecord } from './list-request.sql.ts';

interface Spelling {
  readonly data: DataDialect;
  readonly add: AddParameter;
}

const COMPARISONS: Readonly<Record<string, string>> = { gt: '>', gte: '>=', lt: '<', lte: '<=' };

/** Missing values and values of another type match only `ne`, the exact opposite of `eq`. */
export function fieldConditionSql(condition: FieldCondition, spelling: Spelling): string {
  const { data, add } = spelling;
  if (condition.type === 'any') return existsSql(condition, condition.exists, spelling);
  if (condition.type === 'wref') {
    if (condition.op === 'exists') return existsSql(condition, condition.exists ?? true, spelling);
    return negatedIf(
      condition.op === 'ne',
      either(condition.values.map((value) => pointsTo(condition, value, spelling))),
    );
  }
  const value = valueSql(condition, spelling);
  const place = (operand: string | number | boolean) => `${add(operandOf(operand, data))}${data.cast[condition.type]}`;
  const [first] = condition.values;
  const comparison = COMPARISONS[condition.op];
  if (comparison !== undefined && first !== undefined) return known(`${value} ${comparison} ${place(first)}`);
  if (condition.op === 'prefix' && typeof first === 'string') {
    const end = prefixEnd(first);
    return known(`${value} >= ${place(first)}${end === undefined ? '' : ` and ${value} < ${place(end)}`}`);
  }
  const equal =
    condition.values.length === 0 ? 'false' : known(`${value} in (${condition.values.map(place).join(', ')})`);
  return negatedIf(condition.op === 'ne', equal);
}

function valueSql({ type, tokens, pointer }: Comparison, spelling: Spelling): string {
  const { data, add } = spelling;
  const value = data.value[type](data.path(tokens, add));
  return type === 'string' ? `case when not ${hasPointerSql(pointer, spelling)} then ${value} end` : `(${value})`;
}

type Comparison = Extract<FieldCondition, { type: 'number' | 'string' | 'boolean' }>;

function existsSql({ tokens }: FieldCondition, wanted: boolean, { data, add }: Spelling): string {
  return negatedIf(!wanted, data.exists(data.path(tokens, add)));
}

const operandOf = (value: string | number | boolean, data: DataDialect) =>
  typeof value === 'boolean' ? Number(value) : typeof value === 'string' ? data.text(value) : value;

const known = (condition: string) => `coalesce(${condition}, false)`;
const negatedIf = (negated: boolean, condition: string) => (negated ? `not (${condition})` : condition);
const either = (conditions: readonly string[]) => (conditions.length === 0 ? 'false' : `(${conditions.join(' or ')})`);

export function hasPointerSql(pointer: string, { data, add }: Spelling): string {
  return data.holds(`coalesce(v.refs, '')`, add(`[${JSON.stringify(pointer)},"`));
}

function pointsTo({ pointer }: FieldCondition, target: PointedRecord, { data, add }: Spelling): string {
  const { version } = target;
  const identity = `[${JSON.stringify(pointer)},"${formatDurableId(target)}@v${version === undefined ? '' : `${version}"]`}`;
  return data.holds(`coalesce(v.refs, '')`, add(identity));
}

/** Long texts share a key, so matches must still be checked against the condition. */
export interface KeyRange {
  readonly from: Uint8Array;
  readonly to: Uint8Array;
  readonly single: boolean;
}

/** `undefined` where most records would match, or records without a value do. */
export function keyRanges(condition: FieldCondition): KeyRange[] | undefined {
  const { op } = condition;
  if (condition.type === 'any' || op === 'ne' || op === 'exists') return undefined;
  if (condition.type === 'wref') return condition.values.map(pointedRange);
  const keys = condition.values.flatMap((value) => indexKey(value) ?? []);
  if (op === 'eq' || op === 'in') return keys.map((from) => ({ from, to: next(from), single: true }));
  return keys.map((key) => ({ ...rangeOf(op, key), single: false }));
}

function rangeOf(op: FieldCondition['op'], key: Uint8Array): Pick<KeyRange, 'from' | 'to'> {
  const tag = key.slice(0, 1);
  switch (op) {
    case 'gt':
    case 'gte':
      return { from: key, to: end(tag) };
    case 'prefix':
      return { from: key, to: end(key) };
    default:
      return { from: tag, to: next(key) };
  }
}

function pointedRange(target: PointedRecord): KeyRange {
  const { version } = target;
  if (version !== undefined) {
    const key = pointedKey(target, version);
    return { from: key, to: next(key), single: true };
  }
  return {
    from: pointedKey(target, 0),
    to: pointedKey({ ...target, recordId: target.recordId + 1 }, 0),
    single: false,
  };
}

function pointedKey({ repoId, recordId }: PointedRecord, version: number): Uint8Array {
  return indexKey('', { repoId, recordId, version }) ?? new Uint8Array();
}

const next = (key: Uint8Array) => Uint8Array.from([...key, 0]);

function end(key: Uint8Array): Uint8Array {
  const last = key.findLastIndex((byte) => byte < 0xff);
  return Uint8Array.from([...key.slice(0, last), (key[last] ?? 0) + 1]);
}

export async function findFieldIndex(
  reader: Reader,
  { repoId }: Grant,
  { shapeId, pointer, atRepoSeq }: { shapeId: number; pointer: string; atRepoSeq: number },
): Promise<number | undefined> {
  const [row] = await reader.query<{ field_id: number }>(
    `select field_id from shape_field where repo_id = $1 and shape_id = $2 and path = $3 and built_to is null
     and from_seq <= $4 and (to_seq is null or to_seq > $4) order by field_id desc limit 1`,
    [repoId, shapeId, pointer, atRepoSeq],
  );
  return row?.field_id;
}

export interface IndexedCondition {
  readonly shapeId: number;
  readonly fieldId: number;
  readonly ranges: readonly KeyRange[];
}

interface FieldProbe extends IndexedCondition {
  readonly now: boolean;
}

const inRange = (now: boolean, range: { from: string; to: string }, by = '') => `select record_id from field_index ${by}
  where repo_id = $1 and shape_id = $2 and field_id = $3 and value >= ${range.from} and value < ${range.to}
  ${now ? 'and to_seq is null' : ''}`;

const onSqlite = (now: boolean) => inRange(now, { from: '$5', to: '$6' }, now ? 'indexed by field_index_open' : '');

/** One JSON text, because transferring thousands of rows takes longer than finding them. Null at the limit. */
const probeStatement = (now: boolean): BulkStatement => ({
  // Skipping rows with OFFSET takes half as long as counting them.
  each: `select case when not exists (${onSqlite(now)} limit 1 offset $4 - 1)
    then (select json_group_array(record_id) from (${onSqlite(now)} limit $4)) end as ids`,
  set: `select k.ord::int as ord, i.ids
    from unnest($5::bytea[], $6::bytea[]) with ordinality as k (lowest, beyond, ord)
    cross join lateral (select case when count(*) < $4 then coalesce(json_agg(record_id)::text, '[]') end as ids
      from (${inRange(now, { from: 'k.lowest', to: 'k.beyond' })} limit $4) as few) as i`,
});

const PROBE_NOW = probeStatement(true);
const PROBE_EVER = probeStatement(false);

export async function probeField(reader: Reader, { repoId }: Grant, probe: FieldProbe): Promise<number[] | undefined> {
  const { shapeId, fieldId, ranges, now } = probe;
  const share = Math.ceil(PROBE_MAX / Math.max(1, ranges.length)) + 1;
  const rows = await reader.bulk<{ ids: string | null }>(now ? PROBE_NOW : PROBE_EVER, {
    common: [repoId, shapeId, fieldId, share],
    rows: ranges.map(({ from, to }) => [from, to]),
  });
  const found = new Set<number>();
  for (const { ids } of rows) {
    if (ids === null) return undefined;
    for (const id of JSON.parse(ids) as number[]) found.add(id);
  }
  return [...found];
}
