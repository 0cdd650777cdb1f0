// Splits text into words, the same on both engines. Case and diacritics do not matter.

import { pointerTo } from '@cairn/model/json-pointer';
import { invalidField } from '@cairn/model/operation';
import type { Snippet } from '@cairn/protocol/read';

const WORD_UNITS_MAX = 64;
const DOCUMENT_WORDS_MAX = 4_000;
const QUERY_WORDS_MAX = 16;

const ASCII_WORD = /[a-z0-9]+/g;
const WORD = /[\p{L}\p{N}]+/gu;
const MARKS = /\p{M}+/gu;

// Most texts are pure ASCII, which splits many times faster.
function isAscii(text: string): boolean {
  return !/[\u0080-\uffff]/.test(text);
}

// Folds letter by letter, so that a part folds the same as within the whole. A final sigma would differ.
export function foldText(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return text.normalize('NFKD').toLowerCase().replaceAll(MARKS, '').replaceAll('ς', 'σ');
}

const wordPattern = (folded: string) => (isAscii(folded) ? ASCII_WORD : WORD);

export function* findWords(folded: string): Generator<{ word: string; start: number; end: number }> {
  for (const { 0: run, index } of folded.matchAll(wordPattern(folded))) {
    yield { word: cutWord(run), start: index, end: index + run.length };
  }
}

function cutWord(run: string): string {
  if (run.length <= WORD_UNITS_MAX) return run;
  const word = run.slice(0, WORD_UNITS_MAX);
  return word.isWellFormed() ? word : word.slice(0, -1);
}

interface FoundText {
  readonly path: string;
  readonly text: string;
}

/** Skips references, because their texts are names of other records. */
export function* findTexts(data: unknown, referencePaths: ReadonlySet<string>): Generator<FoundText> {
  for (const found of textsIn(data, '')) if (!referencePaths.has(found.path)) yield found;
}

function* textsIn(value: unknown, path: string): Generator<FoundText> {
  if (typeof value === 'string') yield { path, text: value };
  else if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* textsIn(item, pointerTo(path, index));
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) yield* textsIn(item, pointerTo(path, key));
  }
}

interface DocumentSource {
  readonly name: string;
  readonly data: unknown;
  readonly referencePaths: ReadonlySet<string>;
}

export function toSearchDocument({ name, data, referencePaths }: DocumentSource): {
  name: ReadonlySet<string>;
  text: ReadonlySet<string>;
} {
  const document = { name: new Set<string>(), text: new Set<string>() };
  addWords(document.name, name);
  for (const { text } of findTexts(data, referencePaths)) {
    if (document.text.size >= DOCUMENT_WORDS_MAX) break;
    addWords(document.text, text);
  }
  return document;
}

/** Skips word positions, which would take most of the indexing time. */
function addWords(words: Set<string>, text: string): void {
  const folded = foldText(text);
  for (const run of folded.match(wordPattern(folded)) ?? []) {
    if (words.size >= DOCUMENT_WORDS_MAX) return;
    words.add(cutWord(run));
  }
}

export interface SearchWord {
  readonly word: string;
  readonly prefix: boolean;
}

export function parseSearchWords(query: string): SearchWord[] {
  const folded = foldText(query);
  const words = new Map<string, SearchWord>();
  for (const { word, end } of findWords(folded)) {
    const prefix = folded[end] === '*';
    words.set(`${word}${prefix ? '*' : ''}`, { word, prefix });
  }
  if (words.size === 0) throw invalidField('q', 'q contains no word. Write letters or digits, such as cave*.');
  if (words.size > QUERY_WORDS_MAX) {
    throw invalidField(
      'q',
      `q has ${words.size} words; the maximum is ${QUERY_WORDS_MAX}. Leave out the most common words.`,
    );
  }
  return [...words.values()];
}

export function isSearched(words: readonly SearchWord[], found: string): boolean {
  return words.some(({ word, prefix }) => (prefix ? found.startsWith(word) : found === word));
}

const SNIPPET_UNITS_MAX = 160;
const LEAD_UNITS = 40;

/** `undefined` if the record changed since it was indexed. The data is as the viewer sees it. */
export function snippetOf(record: DocumentSource, words: readonly SearchWord[]): Snippet | undefined {
  for (const { path, text } of findTexts(record.data, record.referencePaths)) {
    const found = cutAround(text, words);
    if (found !== undefined) return { path, ...found };
  }
  const found = cutAround(record.name, words);
  return found && { path: '', ...found };
}

function cutAround(text: string, words: readonly SearchWord[]): Omit<Snippet, 'path'> | undefined {
  const hits = findHits(text, words);
  const [first] = hits;
  if (first === undefined) return undefined;
  const start = boundary(text, Math.max(0, Math.min(first[0] - LEAD_UNITS, text.length - SNIPPET_UNITS_MAX)));
  const end = boundary(text, Math.min(text.length, start + SNIPPET_UNITS_MAX));
  const matches = hits
    .filter(([from]) => from < end)
    .map(([from, to]): [number, number] => [from - start, Math.min(to, end) - start]);
  return { text: text.slice(start, end), matches };
}

function boundary(text: string, place: number): number {
  return (text.codePointAt(place - 1) ?? 0) > 0xffff ? place - 1 : place;
}

type Hit = [start: number, end: number];

function findHits(text: string, words: readonly SearchWord[]): Hit[] {
  const found = [...findWords(foldText(text))].filter(({ word }) => isSearched(words, word));
  if (found.length === 0) return [];
  const places = letterSpans(text);
  return found.map(({ start, end }) => [places(start).start, places(end - 1).end]);
}

interface LetterSpan {
  readonly start: number;
  readonly end: number;
}

function letterSpans(text: string): (place: number) => LetterSpan {
  if (isAscii(text)) return (place) => ({ start: place, end: place + 1 });
  const letters: LetterSpan[] = [];
  let start = 0;
  for (const letter of text) {
    const end = start + letter.length;
    const length = foldText(letter).length;
    if (length === 0) extendLast(letters, end);
    for (let unit = 0; unit < length; unit++) letters.push({ start, end });
    start = end;
  }
  return (place) => letters[place] ?? { start, end: start };
}

function extendLast(letters: LetterSpan[], end: number): void {
  const last = letters.at(-1);
  if (last === undefined) return;
  for (let index = letters.length - 1; letters[index]?.start === last.start; index--) {
    letters[index] = { start: last.start, end };
  }
}
