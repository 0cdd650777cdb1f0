// The meaning of a condition on a field: whether it is valid for the shape, and which records match.
import type { WhereOp } from '@cairn/protocol/read';
import type { RecordItem } from '@cairn/protocol/record';
import type { FieldType } from './field.ts';
import { type Identity, isObject, referenceAt, stepsOf, valueAt } from './path.ts';
import type { SentPredicate } from './request.ts';

const COMPARISONS = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'exists'] as const;
export const OPS: Readonly<Record<FieldType, readonly WhereOp[]>> = {
  string: [...COMPARISONS, 'prefix'],
  number: COMPARISONS,
  boolean: ['eq', 'ne', 'in', 'exists'],
  wref: ['eq', 'ne', 'in', 'exists'],
  array: ['exists'],
  object: ['exists'],
  json: ['exists'],
};

export function declaredType(shapeData: unknown, path: string): FieldType | undefined {
  let fields = isObject(shapeData) ? shapeData.fields : undefined;
  let type: FieldType | undefined;
  for (const step of stepsOf(path)) {
    if (!isObject(fields)) return undefined;
    const definition = fieldIn(fields, step);
    if (definition === undefined) return undefined;
    type = typeOf(definition);
    fields = type === 'object' ? definition : undefined;
  }
  return type;
}

function fieldIn(fields: Readonly<Record<string, unknown>>, name: string): unknown {
  if (name.endsWith('?')) return undefined;
  return Object.hasOwn(fields, name)
    ? fields[name]
    : Object.hasOwn(fields, `${name}?`)
      ? fields[`${name}?`]
      : undefined;
}

function typeOf(definition: unknown): FieldType {
  if (Array.isArray(definition)) return 'array';
  const type = isObject(definition) ? definition.type : definition;
  return typeof type === 'string' ? (type.replace('?', '') as FieldType) : 'object';
}

export function fitsType({ op, rhs }: SentPredicate, type: FieldType): boolean {
  if (op === 'exists') return rhs === undefined || typeof rhs === 'boolean';
  const fits = (value: unknown) => typeof value === (type === 'wref' ? 'string' : type);
  return op === 'in' ? Array.isArray(rhs) && rhs.every(fits) : fits(rhs);
}

/** The target of a wref; `undefined` if there is none. */
export type Resolve = (wref: string) => Identity | undefined;

export function holds(item: RecordItem, predicate: SentPredicate, { type, resolve }: Typed): boolean {
  const { op, rhs } = predicate;
  const steps = stepsOf(predicate.fieldPath);
  const value = valueAt(item.data, steps);
  const equals = (one: unknown) =>
    type === 'wref'
      ? isSameRecord(referenceAt(item, steps), resolve(String(one)))
      : isOfType(item, { value, steps, type }) && value === one;
  const order = () => (isOfType(item, { value, steps, type }) ? compare(value, rhs) : Number.NaN);
  switch (op) {
    case 'exists':
      return (value !== undefined && value !== null) === (rhs ?? true);
    case 'eq':
      return equals(rhs);
    case 'ne':
      return !equals(rhs);
    case 'in':
      return (rhs as readonly unknown[]).some(equals);
    case 'prefix':
      return isOfType(item, { value, steps, type }) && String(value).startsWith(String(rhs));
    case 'gt':
      return order() > 0;
    case 'gte':
      return order() >= 0;
    case 'lt':
      return order() < 0;
    case 'lte':
      return order() <= 0;
  }
}

interface Typed {
  readonly type: FieldType;
  readonly resolve: Resolve;
}

/** A wref is stored as text but does not count as a string. */
function isOfType(
  item: RecordItem,
  { value, steps, type }: { value: unknown; steps: readonly string[]; type: FieldType },
): boolean {
  return typeof value === type && referenceAt(item, steps) === undefined;
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a === b ? 0 : a < b ? -1 : 1;
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
}

function isSameRecord(value: Identity | undefined, asked: Identity | undefined): boolean {
  if (value === undefined || asked === undefined || value.durableId !== asked.durableId) return false;
  return asked.version === undefined || asked.version === value.version;
}
