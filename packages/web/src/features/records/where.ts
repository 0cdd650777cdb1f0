// Conditions on fields: as an address holds them, as people put them together, as JSON, and as the API takes them. In an
// address each is `path:op:value`, or a JSON array of conditions where that form cannot say it, as REST takes both.

import { parseShortCondition, WHERE_OPS } from '@cairn/model/where';
import type { Order } from '@cairn/protocol/read-choice';
import { CairnError, type WhereOp, type WherePredicate } from '@cairn/sdk';
import type { RecordsChange, RecordsSearch } from '../../app/search.ts';
import { readJson } from '../change/json-text.ts';
import type { DeclaredField, FieldType } from '../shape/declaration.ts';

/** As people say them. */
export const OP_WORDS: Readonly<Record<WhereOp, string>> = {
  eq: 'is',
  ne: 'is not',
  gt: 'is greater than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  prefix: 'begins with',
  in: 'is one of',
  exists: 'exists',
};
/** So many the server takes. */
export const CONDITIONS_MOST = 8;

/** As it is put together from a field, an operator and a value. */
export interface Condition {
  readonly path: string;
  readonly op: WhereOp;
  readonly value: string;
}

/** `undefined` for what is written as JSON, or as nothing that is known. */
export function conditionOf(text: string): Condition | undefined {
  const read = text.startsWith('[') ? undefined : parseShortCondition(text);
  return read && { path: read.fieldPath, op: read.op, value: read.rhs ?? '' };
}

/** Whether the server could make anything of it. */
export const isCondition = (text: string): boolean =>
  conditionOf(text) !== undefined || (text.startsWith('[') && parsed(text)?.every(isPredicate) === true);

/** As an address holds it. */
export function textOf({ path, op, value: written }: Condition): string {
  // The server takes spaces for a part of the values.
  const value =
    op === 'in'
      ? written
          .split(',')
          .map((one) => one.trim())
          .join(',')
      : written;
  const text = op === 'exists' && value !== 'false' ? `${path}:exists` : `${path}:${op}:${value}`;
  const again = conditionOf(text);
  // A path that looks like a condition itself.
  return again?.path === path && again.op === op ? text : jsonOf({ fieldPath: path, op, rhs: value });
}

const jsonOf = (predicate: WherePredicate): string => JSON.stringify([predicate]);

/** What the SDK is given. */
export function whereOf(texts: readonly string[]): (string | WherePredicate)[] {
  return texts.flatMap<string | WherePredicate>((text) => (text.startsWith('[') && parsed(text)) || [text]);
}

function parsed(text: string): WherePredicate[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? (value as WherePredicate[]) : undefined;
  } catch {
    return undefined;
  }
}

/** A record that a condition names. */
export interface NamedInCondition {
  readonly name: string;
  /** Of the condition, among all. */
  readonly index: number;
  readonly field: DeclaredField;
}

/** The records that conditions on references ask for. */
export function namedIn(texts: readonly string[], fields: readonly DeclaredField[]): NamedInCondition[] {
  return texts.flatMap((text, index) => predicatesOf(text).flatMap((one) => namesOf(one, index, fields)));
}

function predicatesOf(text: string): WherePredicate[] {
  const condition = conditionOf(text);
  if (condition === undefined) return parsed(text) ?? [];
  return [{ fieldPath: condition.path, op: condition.op, rhs: rhsOf(condition, 'wref') }];
}

function namesOf({ fieldPath, op, rhs }: WherePredicate, index: number, fields: readonly DeclaredField[]) {
  const field = fields.find(({ path, type }) => path === fieldPath && type === 'wref');
  if (field === undefined || (op !== 'eq' && op !== 'in')) return [];
  const names = [rhs].flat().filter((name): name is string => typeof name === 'string' && name !== '');
  return names.map((name) => ({ name, index, field }));
}

/** With another record in the place of one that a condition names. */
export function withName(texts: readonly string[], { name, index }: NamedInCondition, other: string): string[] {
  const put = (one: unknown) => (one === name ? other : one);
  return texts.map((text, place) => {
    if (place !== index) return text;
    const changed = predicatesOf(text).map(({ rhs, ...one }) => ({
      ...one,
      rhs: Array.isArray(rhs) ? rhs.map(put) : put(rhs),
    }));
    const [only, ...others] = changed;
    return only !== undefined && others.length === 0 ? shortest(only) : JSON.stringify(changed);
  });
}

/** As JSON that can be edited: with the values of the types that the fields have. */
export function toJson(texts: readonly string[], fields: readonly DeclaredField[]): string {
  const predicates = texts.flatMap((text): WherePredicate[] => {
    const condition = conditionOf(text);
    if (condition === undefined) return parsed(text) ?? [];
    const type = fields.find(({ path }) => path === condition.path)?.type;
    return [{ fieldPath: condition.path, op: condition.op, rhs: rhsOf(condition, type) }];
  });
  if (predicates.length === 0) return '[\n  \n]';
  return `[\n${predicates.map((predicate) => `  ${oneLine(predicate)}`).join(',\n')}\n]`;
}

const oneLine = (predicate: WherePredicate) =>
  `{ ${Object.entries(predicate)
    .map(([name, value]) => `"${name}": ${JSON.stringify(value)}`)
    .join(', ')} }`;

function rhsOf({ op, value }: Condition, type: FieldType | undefined): unknown {
  if (op === 'exists') return value !== 'false';
  return op === 'in' ? value.split(',').map((one) => typedValue(one.trim(), type)) : typedValue(value, type);
}

function typedValue(text: string, type: FieldType | undefined): unknown {
  if (type === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** What JSON that was edited says, as an address holds it; or what is wrong with it. */
export function fromJson(json: string): { readonly texts: readonly string[] } | { readonly problem: string } {
  const found = json.trim() === '' ? { value: [] } : readJson(json);
  if ('problem' in found) return found;
  const { value } = found;
  if (!Array.isArray(value))
    return { problem: 'Write a list of conditions: [ { "fieldPath": …, "op": …, "rhs": … } ]' };
  if (value.length > CONDITIONS_MOST) return { problem: `There can be ${CONDITIONS_MOST} conditions at most.` };
  const wrong = value.findIndex((one) => !isPredicate(one));
  if (wrong === -1) return { texts: value.map((one: WherePredicate) => shortest(one)) };
  return { problem: `Condition ${wrong + 1} needs a "fieldPath", and an "op" of ${WHERE_OPS.join(', ')}.` };
}

function isPredicate(value: unknown): value is WherePredicate {
  if (typeof value !== 'object' || value === null) return false;
  const { fieldPath, op } = value as Partial<WherePredicate>;
  return typeof fieldPath === 'string' && fieldPath !== '' && WHERE_OPS.some((known) => known === op);
}

/** The short form, where it means the same. */
function shortest(predicate: WherePredicate): string {
  const { fieldPath, op, rhs } = predicate;
  const value = Array.isArray(rhs) && op === 'in' ? listText(rhs) : scalarText(rhs);
  if (value === undefined) return jsonOf(predicate);
  return textOf({ path: fieldPath, op, value });
}

function listText(values: readonly unknown[]): string | undefined {
  const texts = values.map(scalarText);
  const fit = texts.length > 0 && texts.every((text) => text !== undefined && !text.includes(','));
  return fit ? texts.join(',') : undefined;
}

function scalarText(value: unknown): string | undefined {
  if (value === undefined) return '';
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
}

// How a choice of records that fits none can be loosened: by one thing that was chosen, each.

interface Loosening {
  /** What is left out. */
  readonly what: string;
  readonly change: RecordsChange;
}

/** None where only one thing is chosen: without it, nothing is. */
export function looseningsOf({ q, shape, kind, where = [] }: RecordsSearch): readonly Loosening[] {
  const without = (index: number) => where.filter((_, place) => place !== index);
  const all: Loosening[] = [
    ...(q === undefined ? [] : [{ what: `the words “${q}”`, change: { q: undefined } }]),
    ...where.map((text, index) => ({
      what: conditionText(text),
      change: { where: where.length === 1 ? undefined : without(index) },
    })),
    ...(kind === undefined ? [] : [{ what: `the kind ${kind}`, change: { kind: undefined } }]),
    // The conditions are about its fields.
    ...(shape === undefined ? [] : [{ what: `the shape ${shape}`, change: { shape: undefined, where: undefined } }]),
  ];
  return all.length > 1 ? all : [];
}

/** The same words as beginnings of words; none where they are already, or where more than words is asked for. */
export function beginningsOf(q: string): string | undefined {
  const words = q.trim().split(/\s+/);
  if (!words.every((word) => /^[\p{L}\p{N}]+\*?$/u.test(word) && !isOperator(word))) return undefined;
  const beginnings = words.map((word) => (word.endsWith('*') ? word : `${word}*`)).join(' ');
  return beginnings === words.join(' ') ? undefined : beginnings;
}

/** Other searches join words by them; here they are words, and all must be there. */
const isOperator = (word: string): boolean => ['AND', 'OR', 'NOT'].includes(word);
export const hasOperator = (q: string): boolean => q.split(/\s+/).some(isOperator);
const MOST_SINGLE = 5;

/** The words one by one; none where that is what was searched for. */
export function singlesOf(q: string): readonly string[] {
  const words = [...new Set(q.match(/[\p{L}\p{N}]+\*?/gu))].filter((word) => !isOperator(word));
  return words.length === 1 && words[0] === q.trim() ? [] : words.slice(0, MOST_SINGLE);
}

function conditionText(text: string): string {
  const condition = conditionOf(text);
  if (condition === undefined) return text;
  const { path, op, value } = condition;
  return op === 'exists'
    ? `${path} ${value === 'false' ? 'does not exist' : 'exists'}`
    : `${path} ${OP_WORDS[op]} ${value}`;
}

// The orders that lists can have, in words.

export const ORDER_WORDS: Readonly<Record<Order, string>> = {
  created: 'Oldest first',
  '-created': 'Newest first',
  updated: 'Longest unchanged first',
  '-updated': 'Latest changes first',
  name: 'By name',
};

/** What is found by words comes in the order of how well it fits, unless another is chosen. */
export const BEST_FIRST = 'Best match first';
export const DEFAULT_ORDER: Order = 'created';

/** The order in which the records of a search stand. */
export function orderWords({ order, q }: { readonly order?: Order; readonly q?: string }): string {
  if (order !== undefined) return ORDER_WORDS[order];
  return q === undefined ? ORDER_WORDS[DEFAULT_ORDER] : BEST_FIRST;
}

// Where a problem is told: beside what has to be chosen otherwise, or in place of the list.

type ProblemPlace = 'words' | 'filters' | 'list';

const PLACES: Readonly<Record<string, ProblemPlace>> = { q: 'words', where: 'filters', shape: 'filters' };

export function placeOfProblem(error: unknown, { q, where }: RecordsSearch): ProblemPlace | undefined {
  if (error === null || error === undefined) return undefined;
  if (!(error instanceof CairnError)) return 'list';
  const path = pathOf(error.details);
  if (path !== undefined) return PLACES[path] ?? 'list';
  // What takes too long does so because of what was asked.
  if (error.code !== 'UNAVAILABLE') return 'list';
  return where !== undefined ? 'filters' : q !== undefined ? 'words' : 'list';
}

/** The parameter that the server complains of: `where`, or `where[0].op`. */
function pathOf(details: unknown): string | undefined {
  const [first] = Array.isArray(details) ? (details as { path?: unknown }[]) : [];
  return typeof first?.path === 'string' ? /^\/?(\w+)/.exec(first.path)?.[1] : undefined;
}

/** The server names the parameter, which a page does not show. */
export const wordsText = (advice: string): string => advice.replace(/^q\b/, 'What you typed');
