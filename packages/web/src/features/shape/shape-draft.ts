// The field set of a shape while it is edited: a row for each field, with what most fields need; what a row has no place for
// is kept as JSON.
import { declarationOf, isObject, type Json } from './declaration.ts';
import { keywordsOf, type Limits, limitsIn } from './shape-limit.ts';

export const SIMPLE_TYPES = ['string', 'number', 'boolean', 'wref', 'json'] as const;
export type SimpleType = (typeof SIMPLE_TYPES)[number];

export interface FieldRow {
  /** Its own while it is edited, whatever it is called. */
  readonly id: number;
  readonly name: string;
  readonly isOptional: boolean;
  /** `other` is what only JSON can say, such as an object within. */
  readonly type: SimpleType | 'other';
  readonly isList: boolean;
  readonly isIndexed: boolean;
  readonly description: string;
  /** Of a string or a number, one on each line; none: any. */
  readonly choices: string;
  readonly limits: Limits;
  /** Of a reference, separated by commas; none: any. */
  readonly shapes: string;
  /** Constraints that have no place in a row. */
  readonly rest: Json;
  /** The definition, where the type is `other`. */
  readonly json: string;
}

export const EMPTY_ROW: FieldRow = {
  id: 0,
  name: '',
  isOptional: false,
  type: 'string',
  isList: false,
  isIndexed: false,
  description: '',
  choices: '',
  limits: {},
  shapes: '',
  rest: {},
  json: '',
};

/** One more, empty. */
export const withRow = (rows: readonly FieldRow[]): readonly FieldRow[] => [
  ...rows,
  { ...EMPTY_ROW, id: Math.max(-1, ...rows.map(({ id }) => id)) + 1 },
];

export function rowsOf(fields: unknown): readonly FieldRow[] {
  if (!isObject(fields)) return [];
  return Object.entries(fields).map(([key, definition], id) => ({ ...rowOf(key, definition), id }));
}

function rowOf(key: string, definition: unknown): FieldRow {
  const { type, isOptional, keywords, items } = declarationOf(definition);
  const asJson = JSON.stringify(definition, undefined, 2);
  const row = { ...EMPTY_ROW, name: key.replace(/\?$/, ''), isOptional: key.endsWith('?') || isOptional };
  const own = partsOf(keywords);
  if (!fitsLines(keywords.enum) || !fitsLines(items?.keywords.enum)) return { ...row, type: 'other', json: asJson };
  if (isSimple(type)) return { ...row, ...own, type };
  // A list whose items say more than their type has two places for what a row has one for.
  if (type === 'array' && items !== undefined && isSimple(items.type) && !items.isOptional) {
    const { rest: each, shapes, choices, limits, isIndexed, description } = partsOf(items.keywords);
    const isPlain = Object.keys(each).length === 0 && !isIndexed && description === '' && own.choices === '';
    const { items: _items, ...rest } = own.rest;
    if (isPlain) return { ...row, ...own, rest, type: items.type, isList: true, shapes, choices, limits };
  }
  return { ...row, type: 'other', json: asJson };
}

/** Whether each value is what its line would be read as. */
const fitsLines = (choices: unknown): boolean =>
  !Array.isArray(choices) || choices.every((one) => one !== '' && partsAt(String(one), '\n').join() === String(one));

const isSimple = (type: string): type is SimpleType => SIMPLE_TYPES.some((one) => one === type);

function partsOf(keywords: Json) {
  const { type: _type, shape, enum: choices, indexed, description, ...others } = keywords;
  const shapes = Array.isArray(shape) ? shape : typeof shape === 'string' ? [shape] : [];
  return {
    isIndexed: indexed === true,
    description: typeof description === 'string' ? description : '',
    choices: Array.isArray(choices) ? choices.join('\n') : '',
    shapes: shapes.join(', '),
    ...limitsIn(others),
  };
}

/** In the shortest form that says the same. */
export function fieldsOfRows(rows: readonly FieldRow[]): Json {
  return Object.fromEntries(rows.map((row) => [`${row.name}${row.isOptional ? '?' : ''}`, definitionOf(row)]));
}

/** Of a row that nothing is wrong with. */
export function definitionOf(row: FieldRow): unknown {
  if (row.type === 'other') return JSON.parse(row.json);
  const about = {
    ...(row.description.trim() !== '' && { description: row.description }),
    ...(row.isIndexed && { indexed: true }),
  };
  const value = { type: row.type, ...choicesOf(row), ...keywordsOf(row.type, row.limits), ...shapesOf(row) };
  if (!row.isList) return shortest({ ...value, ...row.rest, ...about });
  const items = shortest(value);
  const list = { ...row.rest, ...about };
  return Object.keys(list).length === 0 ? [items] : { type: 'array', items, ...list };
}

const shortest = (definition: Json): unknown => (Object.keys(definition).length === 1 ? definition.type : definition);

const partsAt = (text: string, between: string): string[] =>
  text
    .split(between)
    .map((one) => one.trim())
    .filter((one) => one !== '');

const splitOf = (text: string): string[] => partsAt(text, ',');

/** The values that are understood: a text may have commas in it. */
export const choicesIn = ({ choices }: Pick<FieldRow, 'choices'>): readonly string[] => partsAt(choices, '\n');

function choicesOf(row: FieldRow): Json {
  const all = choicesIn(row);
  if (all.length === 0 || (row.type !== 'string' && row.type !== 'number')) return {};
  return { enum: row.type === 'number' ? all.map(Number) : all };
}

/** The shapes that a field refers to. */
export const referredBy = ({ type, shapes }: FieldRow): readonly string[] => (type === 'wref' ? splitOf(shapes) : []);

/** What could stand where shapes are listed: what is there already, and one more. */
export function suggestedShapes(shapes: string, known: readonly string[]): readonly string[] {
  const before = splitOf(shapes.slice(0, shapes.lastIndexOf(',') + 1));
  return known.filter((name) => !before.includes(name)).map((name) => [...before, name].join(', '));
}

function shapesOf(row: FieldRow): Json {
  const all = referredBy(row);
  if (all.length === 0) return {};
  return { shape: all.length === 1 ? all[0] : all };
}
