// Whether a readme is so intricate that to lay it out would hold up the page. What reads markdown takes time that grows with the
// square of some signs, and a table has as many cells as its widest line times its lines: 64 KB are enough to stop a browser
// for minutes. What people write for people stays far below.

/** Stretches of text within which signs meet: blank lines end them, and so do headings and items of a list. */
const STRETCHES = /\n[ \t]*\n|\n(?= {0,3}(?:[-+*]|#{1,6})[ \t]+[^\s])/;

/** Signs that can begin or end an emphasis; within a word, an underscore cannot. */
const EMPHASIS = /[*~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;

/** How many of them a stretch has at most, and the whole. */
const LIMITS = [
  { signs: EMPHASIS, most: 600, mostInAll: 8_000 },
  { signs: /[[\]]/g, most: 2_000, mostInAll: 16_000 },
  { signs: /</g, most: 300, mostInAll: 3_000 },
] as const;

/** What begins a quote, or an item of a list. */
const BEGIN = String.raw`[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))`;
/** Several within each other, begun in one line. */
const NESTED = new RegExp(`^(?:${BEGIN}){6}`, 'm');
const NESTED_LINES = { lines: new RegExp(`^(?:${BEGIN}){2}`, 'gm'), most: 100 };
const ITEMS = { lines: new RegExp(`^${BEGIN}`, 'gm'), most: 2_000 };
/** An item so far within others that nobody could follow. */
const DEEP = /^(?: {4}|\t){12}[ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]/m;

const LINES_MAX = 5_000;
const CELLS_MAX = 20_000;

/** Conservative: what is taken for intricate is still shown, as it was written. */
export function isIntricate(text: string): boolean {
  return hasHardBlocks(text) || hasHardText(text);
}

function hasHardBlocks(text: string): boolean {
  if (countOf(text, /\n/g) > LINES_MAX || NESTED.test(text) || DEEP.test(text)) return true;
  if ([NESTED_LINES, ITEMS].some(({ lines, most }) => countOf(text, lines) > most)) return true;
  return text.split(/\n[ \t]*\n/).some((part) => cellsIn(part) > CELLS_MAX);
}

function hasHardText(text: string): boolean {
  const stretches = text.split(STRETCHES);
  return LIMITS.some(
    ({ signs, most, mostInAll }) =>
      countOf(text, signs) > mostInAll || stretches.some((stretch) => countOf(stretch, signs) > most),
  );
}

const countOf = (text: string, signs: RegExp): number => text.match(signs)?.length ?? 0;

function cellsIn(part: string): number {
  const lines = part.split('\n');
  const widest = lines.reduce((most, line) => Math.max(most, countOf(line, /\|/g)), 0);
  return widest * lines.length;
}
