// A value as people read it, in a field or in a cell.
import type { Snippet } from '@cairn/sdk';
import { formatScope } from './scope.ts';

/** Lists of words as people write them. */
const WORD_LISTS = ['allowed', 'withheld'];

const isWords = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/** Where the words of a search were found. */
const isSnippet = (value: unknown): value is Snippet => typeof value === 'object' && value !== null && 'text' in value;

export function shown(name: string, value: unknown): string {
  if (typeof value === 'number' && /^at$|(At|Until)$/.test(name)) return new Date(value).toISOString();
  if (name === 'scopes' && Array.isArray(value)) return value.map(formatScope).join('; ');
  if (value === undefined) return '';
  if (name === 'snippet' && isSnippet(value)) return value.path === '' ? value.text : `${value.path}: ${value.text}`;
  if (isWords(value) && WORD_LISTS.includes(name)) return value.join(' ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** In one line, and without what a terminal would take for a command. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ');
}
