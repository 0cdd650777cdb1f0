// Conditions on fields, in four forms: address, builder, JSON and API. An address has `path:op:value`, or JSON where
// that form is ambiguous.
import type { DeclaredField, FieldType } from '@cairn/model/declaration';
import { formatPredicate, isPredicate, parseJsonConditions, parseShortCondition } from '@cairn/model/where';
import { type Order, WHERE_OPS } from '@cairn/protocol/vocabulary';
import { CairnError, type WhereOp, type WherePredicate } from '@cairn/sdk';
import type { RecordsChange, RecordsSearch } from '../../app/search.ts';
import { readJson } from '../change/json-text.ts';

export const OP_WORDS: Readonly<Record<WhereOp, string>> = {
  eq: 'is',
  ne: 'is not',
  gt: 'is greater than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
  prefix: 'starts with',
  in: 'is one of',
  exists: 'exists',
};
/** The server's limit. */
export const CONDITIONS_MOST = 8;

export interface Condition {
  readonly path: string;
  readonly op: WhereOp;
  readonly value: string;
}

export function conditionOf(text: string): Condition | undefined {
  const read = text.startsWith('[') ? undefined : parseShortCondition(text);
  return read && { path: read.fieldPath, op: read.op, value: read.rhs ?? '' };
}

export const isCondition = (text: string): boolean =>
  conditionOf(text) !== undefined || parseJsonConditions(text)?.every(isPredicate) === true;

export const formatCondition = ({ path, op, value }: Condition): string =>
  formatPredicate({ fieldPath: path, op, rhs: value });

export const whereOf = (texts: readonly string[]): (string | WherePredicate)[] =>
  texts.flatMap<string | WherePredicate>((text) => parseJsonConditions(text) ?? [text]);

export interface NamedInCondition {
  readonly name: string;
  readonly index: number;
  readonly field: DeclaredField;
}

export const namedIn = (texts: readonly string[], fields: readonly DeclaredField[]): NamedInCondition[] =>
  texts.flatMap((text, index) => predicatesOf(text).flatMap((one) => namesOf(one, index, fields)));

function predicatesOf(text: string): WherePredicate[] {
  const condition = conditionOf(text);
  if (condition === undefined) return parseJsonConditions(text) ?? [];
  return [{ fieldPath: condition.path, op: condition.op, rhs: rhsOf(condition, 'wref') }];
}

function namesOf({ fieldPath, op, rhs }: WherePredicate, index: number, fields: readonly DeclaredField[]) {
  const field = fields.find(({ path, type }) => path === fieldPath && type === 'wref');
  if (field === undefined || (op !== 'eq' && op !== 'in')) return [];
  const names = [rhs].flat().filter((name): name is string => typeof name === 'string' && name !== '');
  return names.map((name) => ({ name, index, field }));
}

export function withName(texts: readonly string[], { name, index }: NamedInCondition, other: string): string[] {
  const put = (one: unknown) => (one === name ? other : one);
  return texts.map((text, place) => {
    if (place !== index) return text;
    const changed = predicatesOf(text).map(({ rhs, ...one }) => ({
      ...one,
      rhs: Array.isArray(rhs) ? rhs.map(put) : put(rhs),
    }));
    const [only, ...others] = changed;
    return only !== undefined && others.length === 0 ? formatPredicate(only) : JSON.stringify(changed);
  });
}

export function toJson(texts: readonly string[], fields: readonly DeclaredField[]): string {
  const predicates = texts.flatMap((text): WherePredicate[] => {
    const condition = conditionOf(text);
    if (condition === undefined) return parseJsonConditions(text) ?? [];
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

export function fromJson(json: string): { readonly texts: readonly string[] } | { readonly problem: string } {
  const found = json.trim() === '' ? { value: [] } : readJson(json);
  if ('problem' in found) return found;
  const { value } = found;
  if (!Array.isArray(value))
    return { problem: 'This is not a list of conditions. Write [ { "fieldPath": …, "op": …, "rhs": … } ].' };
  if (value.length > CONDITIONS_MOST)
    return { problem: `There are too many conditions. Use at most ${CONDITIONS_MOST}.` };
  const wrong = value.findIndex((one) => !isPredicate(one));
  if (wrong === -1) return { texts: value.map(formatPredicate) };
  return { problem: `Condition ${wrong + 1} needs a "fieldPath", and an "op" of ${WHERE_OPS.join(', ')}.` };
}

interface Loosening {
  readonly what: string;
  readonly change: RecordsChange;
}

export function looseningsOf({ q, shape, kind, where = [] }: RecordsSearch): readonly Loosening[] {
  const without = (index: number) => where.filter((_, place) => place !== index);
  const all: Loosening[] = [
    ...(q === undefined ? [] : [{ what: `the words “${q}”`, change: { q: undefined } }]),
    ...where.map((text, index) => ({
      what: conditionText(text),
      change: { where: where.length === 1 ? undefined : without(index) },
    })),
    ...(kind === undefined ? [] : [{ what: `the kind ${kind}`, change: { kind: undefined } }]),
    ...(shape === undefined ? [] : [{ what: `the shape ${shape}`, change: { shape: undefined, where: undefined } }]),
  ];
  return all.length > 1 ? all : [];
}

export function beginningsOf(q: string): string | undefined {
  const words = q.trim().split(/\s+/);
  if (!words.every((word) => /^[\p{L}\p{N}]+\*?$/u.test(word) && !isOperator(word))) return undefined;
  const beginnings = words.map((word) => (word.endsWith('*') ? word : `${word}*`)).join(' ');
  return beginnings === words.join(' ') ? undefined : beginnings;
}

/** The server searches operators as words. */
const isOperator = (word: string): boolean => ['AND', 'OR', 'NOT'].includes(word);
export const hasOperator = (q: string): boolean => q.split(/\s+/).some(isOperator);
const MOST_SINGLE = 5;

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

export const ORDER_WORDS: Readonly<Record<Order, string>> = {
  created: 'Oldest first',
  '-created': 'Newest first',
  updated: 'Least recently changed first',
  '-updated': 'Most recently changed first',
  name: 'By name',
};

export const BEST_FIRST = 'Best match first';
export const DEFAULT_ORDER: Order = 'created';

export function orderWords({ order, q }: { readonly order?: Order; readonly q?: string }): string {
  if (order !== undefined) return ORDER_WORDS[order];
  return q === undefined ? ORDER_WORDS[DEFAULT_ORDER] : BEST_FIRST;
}

type ProblemPlace = 'words' | 'filters' | 'list';

const PLACES: Readonly<Record<string, ProblemPlace>> = { q: 'words', where: 'filters', shape: 'filters' };

export function placeOfProblem(error: unknown, { q, where }: RecordsSearch): ProblemPlace | undefined {
  if (error === null || error === undefined) return undefined;
  if (!(error instanceof CairnError)) return 'list';
  const path = parameterOf(error.details);
  if (path !== undefined) return PLACES[path] ?? 'list';
  if (error.code !== 'UNAVAILABLE') return 'list';
  return where !== undefined ? 'filters' : q !== undefined ? 'words' : 'list';
}

function parameterOf(details: unknown): string | undefined {
  const [first] = Array.isArray(details) ? (details as { path?: unknown }[]) : [];
  return typeof first?.path === 'string' ? /^\/?(\w+)/.exec(first.path)?.[1] : undefined;
}

/** The server names the parameter, which the page does not show. */
export const wordsText = (advice: string): string => advice.replace(/^q\b/, 'Your search');
