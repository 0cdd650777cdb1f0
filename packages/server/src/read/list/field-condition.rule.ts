// Conditions on fields, as SQL over `v.data` and `v.refs` of a version.

import type { AddParameter, DataDialect } from '../../engine/database.ts';
import { formatDurableId } from '../../model/durable-id.ts';
import { prefixEnd } from '../../model/text-range.ts';
import type { FieldCondition, PointedRecord } from './list-request.sql.ts';

interface Spelling {
  readonly data: DataDialect;
  readonly add: AddParameter;
}

const COMPARISONS: Readonly<Record<string, string>> = { gt: '>', gte: '>=', lt: '<', lte: '<=' };

/** What has no value, or one of another type, fulfils nothing but `ne`, which is all that `eq` leaves out. */
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

/** A reference that stands where a text is declared by now is none. */
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

/** Whether a reference stands at a place. */
export function hasPointerSql(pointer: string, { data, add }: Spelling): string {
  return data.holds(`coalesce(v.refs, '')`, add(`[${JSON.stringify(pointer)},"`));
}

/** The identities beside data are one text, in which each stands behind its place. */
function pointsTo({ pointer }: FieldCondition, target: PointedRecord, { data, add }: Spelling): string {
  const { version } = target;
  const identity = `[${JSON.stringify(pointer)},"${formatDurableId(target)}@v${version === undefined ? '' : `${version}"]`}`;
  return data.holds(`coalesce(v.refs, '')`, add(identity));
}
