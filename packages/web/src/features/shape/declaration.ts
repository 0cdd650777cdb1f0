// Reads declarations leniently in every form that the server accepts; hidden or unknown parts stay visible.

import { isJsonObject, type JsonObject } from '@cairn/model/json';
import { formatFieldPath, whereOpsOf } from '@cairn/model/where';
import type { WhereOp } from '@cairn/sdk';
import type { Change } from '../change/change.ts';
import { type FormField, undeclaredIn } from '../change/form-field.ts';

export interface Declaration {
  readonly type: string;
  readonly isOptional: boolean;
  readonly keywords: JsonObject;
  readonly items?: Declaration;
  readonly members?: JsonObject;
}

export function declarationOf(definition: unknown): Declaration {
  if (typeof definition === 'string') return { ...typed(definition), keywords: {} };
  if (Array.isArray(definition)) {
    return { type: 'array', isOptional: false, keywords: {}, ...itemsIn(definition[0]) };
  }
  if (!isJsonObject(definition)) return { type: 'unknown', isOptional: false, keywords: {} };
  const { type, items } = definition;
  if (typeof type !== 'string') return { type: 'object', isOptional: false, keywords: {}, members: definition };
  return { ...typed(type), keywords: definition, ...itemsIn(items) };
}

const itemsIn = (items: unknown) => (items === undefined ? {} : { items: declarationOf(items) });

const typed = (type: string) =>
  type.endsWith('?') ? { type: type.slice(0, -1), isOptional: true } : { type, isOptional: false };

/** The order in which people are shown fields: the required ones first. They are stored by name. */
export function orderedFields(fields: JsonObject): readonly (readonly [string, unknown])[] {
  const all = Object.entries(fields);
  return [...all.filter((field) => !isOptional(field)), ...all.filter(isOptional)];
}

const isOptional = ([key, definition]: readonly [string, unknown]): boolean =>
  key.endsWith('?') || declarationOf(definition).isOptional;

export function inFieldOrder(data: unknown, fields: unknown): unknown {
  if (!isJsonObject(data) || !isJsonObject(fields)) return data;
  const declared = orderedFields(fields).map(([key, definition]) => [key.replace(/\?$/, ''), definition] as const);
  const known = new Set(declared.map(([name]) => name));
  return Object.fromEntries([
    ...declared
      .filter(([name]) => Object.hasOwn(data, name))
      .map(([name, definition]) => [name, orderWithin(data[name], declarationOf(definition))]),
    ...Object.entries(data).filter(([name]) => !known.has(name)),
  ]);
}

function orderWithin(value: unknown, { items, members }: Declaration): unknown {
  if (items === undefined) return inFieldOrder(value, members);
  return Array.isArray(value) ? value.map((one) => orderWithin(one, items)) : value;
}

/** No shape can have this name. */
export const ANY_SHAPE = '*';

/** Hidden shapes are null. */
export function targetsOf(shape: unknown): readonly string[] {
  if (shape === undefined) return [ANY_SHAPE];
  return (Array.isArray(shape) ? shape : [shape]).filter((name) => typeof name === 'string');
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

export const FIELD_TYPES = ['string', 'number', 'boolean', 'wref', 'array', 'json'] as const;
export type FieldType = (typeof FIELD_TYPES)[number] | 'object';
export type ChoiceValue = string | number | boolean;

export interface DeclaredField {
  /** Dotted, or a JSON pointer where a name has a dot. */
  readonly path: string;
  readonly steps: readonly string[];
  readonly type: FieldType;
  readonly choices?: readonly ChoiceValue[];
  /** Absent if any shape is allowed. */
  readonly refersTo?: readonly string[];
}

/** Fields within arrays have no path of their own. */
export function declaredFields(fields: unknown, parents: readonly string[] = []): DeclaredField[] {
  if (!isJsonObject(fields)) return [];
  return orderedFields(fields).flatMap(([key, definition]) => {
    const steps = [...parents, key.replace(/\?$/, '')];
    const field = { path: formatFieldPath(steps), steps, ...typeOf(definition) };
    return field.type === 'object' ? [field, ...declaredFields(definition, steps)] : [field];
  });
}

function typeOf(definition: unknown): Pick<DeclaredField, 'type' | 'choices' | 'refersTo'> {
  const { type: name, keywords, members } = declarationOf(definition);
  if (members !== undefined || name === 'unknown') return { type: 'object' };
  const type = FIELD_TYPES.find((known) => known === name) ?? 'json';
  if (type === 'wref') return keywords.shape === undefined ? { type } : { type, refersTo: targetsOf(keywords.shape) };
  return Array.isArray(keywords.enum) ? { type, choices: keywords.enum as ChoiceValue[] } : { type };
}

/** What the page offers to ask of a field. Of a boolean, a list of values says no more than one. */
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

export interface Definition {
  readonly fields: unknown;
  readonly description?: string;
}

export function definitionOf(data: unknown): Definition {
  if (typeof data !== 'object' || data === null) return { fields: undefined };
  const { fields, description } = data as { fields?: unknown; description?: unknown };
  return { fields, ...(typeof description === 'string' && { description }) };
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
