// How text is split into words for the search, the same on both engines: case and marks do not matter, and a word is a run
// of letters and digits.
import { fail } from '@cairn/protocol/errors';
import { pointerTo } from '@cairn/protocol/json-pointer';

const WORD_UNITS_MAX = 64;
/** Of a document's name, and of its data. */
const DOCUMENT_WORDS_MAX = 4_000;
const QUERY_WORDS_MAX = 16;

const ASCII_WORD = /[a-z0-9]+/g;
const WORD = /[\p{L}\p{N}]+/gu;
const MARKS = /\p{M}+/gu;

// A text of ASCII alone, which most are, is split many times faster.
export function isAscii(text: string): boolean {
  return !/[\u0080-\uffff]/.test(text);
}

/** Letter by letter, so that a part of a text folds to the same as within the whole: the sigma at a word's end is none. */
export function foldText(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return text.normalize('NFKD').toLowerCase().replaceAll(MARKS, '').replaceAll('ς', 'σ');
}

export interface FoundWord {
  readonly word: string;
  /** Where the whole run stands, of which the word may be the beginning. */
  readonly start: number;
  readonly end: number;
}

const wordPattern = (folded: string) => (isAscii(folded) ? ASCII_WORD : WORD);

/** The words of a text that was folded, in order. */
export function* findWords(folded: string): Generator<FoundWord> {
  for (const { 0: run, index } of folded.matchAll(wordPattern(folded))) {
    yield { word: cutWord(run), start: index, end: index + run.length };
  }
}

/** Not between the two halves of a letter. */
function cutWord(run: string): string {
  if (run.length <= WORD_UNITS_MAX) return run;
  const word = run.slice(0, WORD_UNITS_MAX);
  return word.isWellFormed() ? word : word.slice(0, -1);
}

export interface FoundText {
  /** A JSON pointer into the data. */
  readonly path: string;
  readonly text: string;
}

/** Every string value of the data, depth first, except at the paths of references, whose texts are names of others. */
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

/** What a record is found by. */
export interface SearchDocument {
  readonly name: ReadonlySet<string>;
  readonly text: ReadonlySet<string>;
}

export interface DocumentSource {
  /** The full name. */
  readonly name: string;
  readonly data: unknown;
  readonly referencePaths: ReadonlySet<string>;
}

export function toSearchDocument({ name, data, referencePaths }: DocumentSource): SearchDocument {
  const document = { name: new Set<string>(), text: new Set<string>() };
  addWords(document.name, name);
  for (const { text } of findTexts(data, referencePaths)) {
    if (document.text.size >= DOCUMENT_WORDS_MAX) break;
    addWords(document.text, text);
  }
  return document;
}

/** Without the places, which would take most of the time of indexing. */
function addWords(words: Set<string>, text: string): void {
  const folded = foldText(text);
  for (const run of folded.match(wordPattern(folded)) ?? []) {
    if (words.size >= DOCUMENT_WORDS_MAX) return;
    words.add(cutWord(run));
  }
}

export interface SearchWord {
  readonly word: string;
  /** Whether longer words that begin with it are meant too. */
  readonly prefix: boolean;
}

/** The words of a query; `cave*` means all that begin with `cave`. */
export function parseSearchWords(query: string): SearchWord[] {
  const folded = foldText(query);
  const words = new Map<string, SearchWord>();
  for (const { word, end } of findWords(folded)) {
    const prefix = folded[end] === '*';
    words.set(`${word}${prefix ? '*' : ''}`, { word, prefix });
  }
  if (words.size === 0) throw refusal('q has no word to search for. Write letters or digits, such as cave*.');
  if (words.size > QUERY_WORDS_MAX) {
    throw refusal(`q has ${words.size} words; ${QUERY_WORDS_MAX} are the most. Leave the commonest out.`);
  }
  return [...words.values()];
}

function refusal(message: string) {
  return fail('VALIDATION_ERROR', { message, details: [{ path: 'q', message }] });
}

/** Whether a word of a text is one that is searched for. */
export function isSearched(words: readonly SearchWord[], found: string): boolean {
  return words.some(({ word, prefix }) => (prefix ? found.startsWith(word) : found === word));
}
