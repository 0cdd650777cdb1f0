// How a choice of records that fits none can be loosened: by one thing that was chosen, each.
import type { RecordsChange, RecordsSearch } from '../../app/search.ts';
import { conditionOf, OP_WORDS } from './where.ts';

export interface Loosening {
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
