// Editable rows of a shape's fields. Definitions that do not fit a row stay JSON.
import { declarationOf, fieldName } from '@cairn/model/declaration';
import { isJsonObject, type JsonObject } from '@cairn/model/json';
import { pointerTo } from '@cairn/model/json-pointer';
import { plain } from '../../ui/unseen.ts';
import { readJson } from '../change/json-text.ts';
import { constraintsOf } from './declaration.ts';
import { keywordsOf, type Limit, type Limits, limitProblems, limitsIn, misfitOf } from './shape-limit.ts';

export const SIMPLE_TYPES = ['string', 'number', 'boolean', 'wref', 'json'] as const;
type SimpleType = (typeof SIMPLE_TYPES)[number];

export interface FieldRow {
  readonly id: number;
  readonly name: string;
  readonly isOptional: boolean;
  readonly type: SimpleType | 'other';
  readonly isList: boolean;
  readonly isIndexed: boolean;
  readonly description: string;
  readonly choices: string;
  readonly limits: Limits;
  readonly shapes: string;
  readonly rest: JsonObject;
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

export const withRow = (rows: readonly FieldRow[]): readonly FieldRow[] => [
  ...rows,
  { ...EMPTY_ROW, id: Math.max(-1, ...rows.map(({ id }) => id)) + 1 },
];

export function rowsOf(fields: unknown): readonly FieldRow[] {
  if (!isJsonObject(fields)) return [];
  return Object.entries(fields).map(([key, definition], id) => ({ ...rowOf(key, definition), id }));
}

function rowOf(key: string, definition: unknown): FieldRow {
  const { type, isOptional, keywords, items } = declarationOf(definition);
  const asJson = JSON.stringify(definition, undefined, 2);
  const row = { ...EMPTY_ROW, name: fieldName(key), isOptional: key.endsWith('?') || isOptional };
  const own = partsOf(keywords);
  if (!fitsLines(keywords.enum) || !fitsLines(items?.keywords.enum)) return { ...row, type: 'other', json: asJson };
  if (isSimple(type)) return { ...row, ...own, type };
  // Items with their own description or index do not fit a row.
  if (type === 'array' && items !== undefined && isSimple(items.type) && !items.isOptional) {
    const { rest: each, shapes, choices, limits, isIndexed, description } = partsOf(items.keywords);
    const isPlain = Object.keys(each).length === 0 && !isIndexed && description === '' && own.choices === '';
    const { items: _items, ...rest } = own.rest;
    if (isPlain) return { ...row, ...own, rest, type: items.type, isList: true, shapes, choices, limits };
  }
  return { ...row, type: 'other', json: asJson };
}

const fitsLines = (choices: unknown): boolean =>
  !Array.isArray(choices) || choices.every((one) => one !== '' && partsAt(String(one), '\n').join() === String(one));

const isSimple = (type: string): type is SimpleType => SIMPLE_TYPES.some((one) => one === type);

function partsOf(keywords: JsonObject) {
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

export const fieldsOfRows = (rows: readonly FieldRow[]): JsonObject =>
  Object.fromEntries(rows.map((row) => [`${row.name}${row.isOptional ? '?' : ''}`, definitionOf(row)]));

function definitionOf(row: FieldRow): unknown {
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

const shortest = (definition: JsonObject): unknown =>
  Object.keys(definition).length === 1 ? definition.type : definition;

const partsAt = (text: string, between: string): string[] =>
  text
    .split(between)
    .map((one) => one.trim())
    .filter((one) => one !== '');

const splitOf = (text: string): string[] => partsAt(text, ',');

export const choicesIn = ({ choices }: Pick<FieldRow, 'choices'>): readonly string[] => partsAt(choices, '\n');

function choicesOf(row: FieldRow): JsonObject {
  const all = choicesIn(row);
  if (all.length === 0 || (row.type !== 'string' && row.type !== 'number')) return {};
  return { enum: row.type === 'number' ? all.map(Number) : all };
}

export const referredBy = ({ type, shapes }: FieldRow): readonly string[] => (type === 'wref' ? splitOf(shapes) : []);

export function suggestedShapes(shapes: string, known: readonly string[]): readonly string[] {
  const before = splitOf(shapes.slice(0, shapes.lastIndexOf(',') + 1));
  return known.filter((name) => !before.includes(name)).map((name) => [...before, name].join(', '));
}

function shapesOf(row: FieldRow): JsonObject {
  const all = referredBy(row);
  if (all.length === 0) return {};
  return { shape: all.length === 1 ? all[0] : all };
}

export type RowPart = Limit | 'enum' | 'shape';
const PARTS: readonly RowPart[] = ['minimum', 'maximum', 'minLength', 'maxLength', 'pattern', 'enum', 'shape'];
const rowPath = ({ name, isOptional }: FieldRow): string => pointerTo('/fields', `${name}${isOptional ? '?' : ''}`);

const partPaths = (row: FieldRow, part: RowPart): readonly string[] =>
  (row.isList ? ['/0', '/items'] : ['']).map((within) => `${rowPath(row)}${within}/${part}`);

export const pathsOf = (row: FieldRow): readonly string[] => [
  rowPath(row),
  ...PARTS.flatMap((part) => partPaths(row, part)),
];

export function saidAgainst(said: ReadonlyMap<string, string>, row: FieldRow, part?: RowPart): string | undefined {
  const paths = part === undefined ? [rowPath(row)] : partPaths(row, part);
  return paths.map((path) => said.get(path)).find((one) => one !== undefined);
}

const NAME_SHOWN = 60;

/** Sentence fragments that follow the name of the field, by control. */
type RowProblems = Readonly<Partial<Record<RowPart | 'json', string>>>;

function problemsIn(row: FieldRow): RowProblems {
  const { type, limits, json } = row;
  if (type === 'other') {
    if (json.trim() === '') return { json: 'the definition is missing' };
    const read = readJson(json);
    return 'problem' in read ? { json: withinSentence(read.problem) } : {};
  }
  const choice = choiceProblem(row);
  return { ...(choice !== undefined && { enum: choice }), ...limitProblems(type, limits) };
}

const withinSentence = (problem: string): string =>
  problem
    .replace(/^This is/, 'the definition is')
    .replace(/^The /, 'the ')
    .replace(/\.$/, '');

/** Only the server checks patterns. */
function choiceProblem(row: FieldRow): string | undefined {
  const { type, limits } = row;
  const told = (value: string, wrong: string) => `“${plain(value, NAME_SHOWN)}” ${wrong}`;
  const values = choicesIn(row);
  const odd = type === 'number' ? values.find((one) => !Number.isFinite(Number(one))) : undefined;
  if (odd !== undefined) return told(odd, 'is not a number: write one value per line');
  const [misfit] = values.flatMap((value) => {
    const wrong = misfitOf(type, limits, value);
    return wrong === undefined ? [] : [told(value, `${wrong}: change one of them`)];
  });
  return misfit;
}

export function besideIt(row: FieldRow, part: keyof RowProblems): string | undefined {
  const wrong = part === 'json' && row.json.trim() === '' ? undefined : problemsIn(row)[part];
  return wrong === undefined ? undefined : `${wrong.charAt(0).toUpperCase()}${wrong.slice(1)}.`;
}

export function rowProblems(rows: readonly FieldRow[]): readonly string[] {
  const names = rows.map(({ name }) => name);
  const twice = new Set(names.filter((name, index) => name.trim() !== '' && names.indexOf(name) !== index));
  return [
    ...(names.some((name) => name.trim() === '') ? ['A field has no name. Enter one, or remove the field.'] : []),
    ...[...twice].map((name) => `Two fields have the name ${plain(name, NAME_SHOWN)}. Rename one of them.`),
    ...rows.flatMap((row, index) =>
      Object.entries(problemsIn(row)).map(([part, wrong]) => {
        const called = row.name.trim() === '' ? `field ${index + 1}` : plain(row.name, NAME_SHOWN);
        return `In ${called}${part === 'json' ? '' : ', under “More”'}, ${wrong}.`;
      }),
    ),
  ];
}

const LIMITED: Readonly<Record<string, string>> = { string: 'values, length, pattern', number: 'values, limits' };

export function foldedWords(row: FieldRow): string {
  const { type, description, isIndexed } = row;
  const isWrong = Object.keys(problemsIn(row)).length > 0;
  const set = [
    ...(description.trim() === '' ? [] : [`“${description}”`]),
    ...(isWrong ? [] : constraintsOf(declarationOf(definitionOf(row)))),
    ...(isIndexed && canBeIndexed(row) ? ['indexed'] : []),
  ];
  const offered = ['description', LIMITED[type], canBeIndexed(row) ? 'index' : undefined];
  return (set.length > 0 ? set : offered.filter((one) => one !== undefined)).join(', ');
}

export const canBeIndexed = ({ type, isList }: FieldRow): boolean => !isList && type !== 'json';
