import { type Declaration, type DeclaredField, declarationsIn, type FieldType } from '@cairn/model/declaration';
import { isJsonObject, type JsonObject } from '@cairn/model/json';
import { whereOpsOf } from '@cairn/model/where';
import type { WhereOp } from '@cairn/sdk';
import type { Change } from '../change/change.ts';
import { type FormField, undeclaredIn } from '../change/form-field.ts';

export function inFieldOrder(data: unknown, fields: unknown): unknown {
  if (!isJsonObject(data) || !isJsonObject(fields)) return data;
  const declared = declarationsIn(fields);
  const known = new Set(declared.map(({ name }) => name));
  return Object.fromEntries([
    ...declared
      .filter(({ name }) => Object.hasOwn(data, name))
      .map((field) => [field.name, orderWithin(data[field.name], field)]),
    ...Object.entries(data).filter(([name]) => !known.has(name)),
  ]);
}

function orderWithin(value: unknown, { items, members }: Declaration): unknown {
  if (items === undefined) return inFieldOrder(value, members);
  return Array.isArray(value) ? value.map((one) => orderWithin(one, items)) : value;
}

export function constraintsOf({ type, keywords, items }: Declaration): string[] {
  const own = type === 'array' ? [between(keywords.minItems, keywords.maxItems, 'item')] : valueConstraints(keywords);
  const each = items === undefined ? [] : constraintsOf(items).map((constraint) => `each ${constraint}`);
  if (items?.isOptional) each.push('each may be null');
  return [...own.filter((constraint) => constraint !== undefined), ...each];
}

function valueConstraints(keywords: JsonObject): (string | undefined)[] {
  const { enum: choices, pattern, minLength, maxLength, minimum, maximum, integer } = keywords;
  return [
    Array.isArray(choices) ? `one of ${choices.join(', ')}` : undefined,
    typeof pattern === 'string' ? `matches ${pattern}` : undefined,
    between(minLength, maxLength, 'character'),
    integer === true ? 'a whole number' : undefined,
    between(minimum, maximum),
  ];
}

function between(least: unknown, most: unknown, unit?: string): string | undefined {
  const has = { least: typeof least === 'number', most: typeof most === 'number' };
  const units = (count: unknown) => (unit === undefined ? '' : ` ${unit}${count === 1 ? '' : 's'}`);
  if (has.least && least === most) return `exactly ${least}${units(least)}`;
  if (has.least && has.most) return `${least} to ${most}${units(most)}`;
  if (has.least) return `at least ${least}${units(least)}`;
  return has.most ? `at most ${most}${units(most)}` : undefined;
}

export const opsOf = (type: FieldType): readonly WhereOp[] =>
  whereOpsOf(type).filter((op) => type !== 'boolean' || op !== 'in');

const FLAT_MOST = 12;
const COLUMNS_MOST = 24;

export function columnsOf(fields: readonly DeclaredField[]): readonly DeclaredField[] {
  const leaves = fields.filter(({ type }) => type !== 'object');
  const top = fields.filter(({ steps }) => steps.length === 1);
  return (leaves.length <= FLAT_MOST ? leaves : top).slice(0, COLUMNS_MOST);
}

/** Shape names have no slash, so this glob matches all other records. */
export const ALL_BUT_SHAPES = '*/**';

// Undeclared data stays in records until somebody removes it.

export type Undeclared = Readonly<Record<string, number>>;

export function withUndeclared(
  before: Undeclared,
  records: readonly { readonly data?: unknown }[],
  form: readonly FormField[],
): Undeclared {
  const counts = new Map(Object.entries(before));
  for (const name of records.flatMap(({ data }) => undeclaredIn(data, form))) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

export const addedShapes = (changes: readonly Change[]): readonly string[] =>
  changes.flatMap((change) => (change.step === 'add' && change.kind === 'shape' ? [change.name] : []));

export function draftedFields(changes: readonly Change[], shapeName: string | undefined): unknown {
  const drafted = changes.find((change) => {
    if (change.name !== shapeName) return false;
    return change.step === 'add' ? change.kind === 'shape' : change.step === 'revise' && change.base.kind === 'shape';
  });
  return drafted !== undefined && 'data' in drafted && isJsonObject(drafted.data) ? drafted.data.fields : undefined;
}
