// The fields that a shape declares, as the API gives them: which there are, of which type, and what can be asked of each.
import { pointerTo } from '@cairn/protocol/json-pointer';
import type { WhereOp } from '@cairn/sdk';
import { orderedFields } from '../record/field-order.ts';
import { isObject } from './declaration.ts';

const TYPES = ['string', 'number', 'boolean', 'wref', 'array', 'json'] as const;
export type FieldType = (typeof TYPES)[number] | 'object';
export type Choice = string | number | boolean;

export interface DeclaredField {
  /** As filters and lists take it: dotted, or a JSON pointer where a name has a dot of its own. */
  readonly path: string;
  readonly steps: readonly string[];
  readonly type: FieldType;
  /** Where it may hold only some values. */
  readonly choices?: readonly Choice[];
  /** Of a reference: the shapes that its target may have; absent where any may be. */
  readonly refersTo?: readonly string[];
}

/** All of them, each object before what is in it. What is in arrays has no place of its own. */
export function declaredFields(fields: unknown, parents: readonly string[] = []): DeclaredField[] {
  if (!isObject(fields)) return [];
  return orderedFields(fields).flatMap(([key, definition]) => {
    const steps = [...parents, key.replace(/\?$/, '')];
    const field = { path: pathOf(steps), steps, ...typeOf(definition) };
    return field.type === 'object' ? [field, ...declaredFields(definition, steps)] : [field];
  });
}

function typeOf(definition: unknown): Pick<DeclaredField, 'type' | 'choices' | 'refersTo'> {
  if (typeof definition === 'string') return { type: named(definition) };
  if (Array.isArray(definition)) return { type: 'array' };
  if (!isObject(definition) || typeof definition.type !== 'string') return { type: 'object' };
  const type = named(definition.type);
  const { shape } = definition;
  // A shape that the reader may not see is null.
  if (type === 'wref' && shape !== undefined)
    return { type, refersTo: [shape].flat().filter((name) => typeof name === 'string') };
  return Array.isArray(definition.enum) ? { type, choices: definition.enum as Choice[] } : { type };
}

const named = (text: string): FieldType => TYPES.find((type) => type === text.replace(/\?$/, '')) ?? 'json';

const pathOf = (steps: readonly string[]): string =>
  steps.some((step) => step.includes('.')) || steps[0]?.startsWith('/')
    ? steps.reduce<string>(pointerTo, '')
    : steps.join('.');

const ORDERED = ['gt', 'gte', 'lt', 'lte'] as const;
const OPS: Readonly<Record<FieldType, readonly WhereOp[]>> = {
  number: ['eq', 'ne', ...ORDERED, 'in', 'exists'],
  string: ['eq', 'ne', ...ORDERED, 'prefix', 'in', 'exists'],
  boolean: ['eq', 'ne', 'exists'],
  wref: ['eq', 'ne', 'in', 'exists'],
  array: ['exists'],
  json: ['exists'],
  object: ['exists'],
};

/** What filters can ask of a field. */
export const opsOf = (type: FieldType): readonly WhereOp[] => OPS[type];

/** So many columns at most have the fields within objects beside each other. */
const FLAT_MOST = 12;
const COLUMNS_MOST = 24;

/** The fields that a table has columns for: those within objects too, if they are few. */
export function columnsOf(fields: readonly DeclaredField[]): readonly DeclaredField[] {
  const leaves = fields.filter(({ type }) => type !== 'object');
  const top = fields.filter(({ steps }) => steps.length === 1);
  return (leaves.length <= FLAT_MOST ? leaves : top).slice(0, COLUMNS_MOST);
}
