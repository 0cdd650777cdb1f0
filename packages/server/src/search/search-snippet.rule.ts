// The piece of a record that shows why it was found.
import type { Snippet } from '@cairn/protocol/read';
import {
  type DocumentSource,
  findTexts,
  findWords,
  foldText,
  isAscii,
  isSearched,
  type SearchWord,
} from './search-text.rule.ts';

const SNIPPET_UNITS_MAX = 160;
/** How much of it stands before the first hit. */
const LEAD_UNITS = 40;

/**
 * From the first text of the data that holds one of the words, or else from the name. The data is as the caller may see
 * it; nothing when the record has changed since it was indexed and holds none any more.
 */
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

/** The place itself, or the one before it when it is between the two halves of a letter. */
function boundary(text: string, place: number): number {
  return (text.codePointAt(place - 1) ?? 0) > 0xffff ? place - 1 : place;
}

type Hit = [start: number, end: number];

/** Where words that are searched for stand in the text. */
function findHits(text: string, words: readonly SearchWord[]): Hit[] {
  const found = [...findWords(foldText(text))].filter(({ word }) => isSearched(words, word));
  if (found.length === 0) return [];
  const places = placesOf(text);
  return found.map(({ start, end }) => [places(start).start, places(end - 1).end]);
}

interface Place {
  readonly start: number;
  readonly end: number;
}

/** From a place in the folded text to the letter of the text that it came from, with the marks that follow it. */
function placesOf(text: string): (place: number) => Place {
  // Most texts fold in place; the letters of others are looked at one by one.
  if (isAscii(text)) return (place) => ({ start: place, end: place + 1 });
  const letters: Place[] = [];
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

/** A mark belongs to the letter before it. */
function extendLast(letters: Place[], end: number): void {
  const last = letters.at(-1);
  if (last === undefined) return;
  for (let index = letters.length - 1; letters[index]?.start === last.start; index--) {
    letters[index] = { start: last.start, end };
  }
}
