// Shapes of a world: field sets whose types and indexes change between revisions, and matching data.
import type { Random } from '../random.ts';
import { NUMBERS, randomJson, TEXTS } from './value.ts';

export type FieldType = 'string' | 'number' | 'boolean' | 'wref' | 'array' | 'object' | 'json';

export interface WorldField {
  readonly type: FieldType;
  readonly indexed: boolean;
  /** True for an array of wrefs. */
  readonly holdsWrefs: boolean;
  readonly fields: WorldFields;
}

export type WorldFields = ReadonlyMap<string, WorldField>;

const USUAL: Readonly<Record<string, FieldType>> = {
  text: 'string',
  word: 'string',
  num: 'number',
  flag: 'boolean',
  to: 'wref',
  by: 'wref',
  tags: 'array',
  pos: 'object',
  any: 'json',
  'a.b': 'string',
  'c/d': 'number',
  '~t': 'string',
};
const NESTED: Readonly<Record<string, FieldType>> = { x: 'number', label: 'string', who: 'wref' };
const SIMPLE = ['string', 'number', 'boolean', 'wref'] as const;
const TYPES = [...SIMPLE, ...SIMPLE, 'array', 'object', 'json'] as const;

export const FIELD_NAMES = Object.keys(USUAL);
export const NESTED_NAMES = Object.keys(NESTED);

export function randomFields(random: Random, names: Readonly<Record<string, FieldType>> = USUAL): WorldFields {
  const chosen = Object.entries(names).filter(() => !random.once(6));
  return new Map(chosen.map(([name, usual]) => [name, randomField(random, random.once(5) ? undefined : usual)]));
}

function randomField(random: Random, usual: FieldType | undefined): WorldField {
  const type = usual ?? random.pick(TYPES);
  const isSimple = (SIMPLE as readonly string[]).includes(type);
  const fields: WorldFields = type === 'object' ? randomFields(random, NESTED) : new Map();
  return { type, indexed: isSimple && random.once(2), holdsWrefs: random.once(2), fields };
}

/** The fields as a shape's definition. All are optional. */
export function definitionOf(fields: WorldFields): Record<string, unknown> {
  return Object.fromEntries([...fields].map(([name, field]) => [`${name}?`, fieldDefinition(field)]));
}

function fieldDefinition({ type, indexed, holdsWrefs, fields }: WorldField): unknown {
  if (type === 'object') return definitionOf(fields);
  if (type === 'array') return [holdsWrefs ? 'wref' : 'string'];
  return indexed ? { type, indexed } : type;
}

export interface DataWriter {
  readonly random: Random;
  readonly target: () => string;
}

export function randomData(writer: DataWriter, fields: WorldFields): Record<string, unknown> {
  const { random } = writer;
  const declared = [...fields].filter(() => !random.once(4)).map(([name, field]) => [name, fieldValue(writer, field)]);
  const undeclared = FIELD_NAMES.filter((name) => !fields.has(name) && random.once(3));
  return Object.fromEntries([...declared, ...undeclared.map((name) => [name, randomJson(random)])]);
}

function fieldValue(writer: DataWriter, field: WorldField): unknown {
  const { random, target } = writer;
  if (random.once(9)) return null;
  switch (field.type) {
    case 'string':
      return random.pick(TEXTS);
    case 'number':
      return random.pick(NUMBERS);
    case 'boolean':
      return random.once(2);
    case 'wref':
      return target();
    case 'array':
      return Array.from({ length: random.below(3) }, () => (field.holdsWrefs ? target() : random.pick(TEXTS)));
    case 'object':
      return randomData({ random, target }, field.fields);
    case 'json':
      return randomJson(random);
  }
}
