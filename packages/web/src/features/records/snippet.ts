import type { Snippet } from '@cairn/sdk';

interface Piece {
  readonly text: string;
  readonly isMatch: boolean;
  readonly start: number;
}

/** So much stands before the first match: more would push it out of a narrow column. */
const LEAD_CHARACTERS = 24;

/** A snippet cut into what was searched for and what stands between. */
export function piecesOf({ text, matches }: Pick<Snippet, 'text' | 'matches'>): Piece[] {
  const pieces: Piece[] = [];
  const [[first = 0] = []] = matches;
  let reached = first > LEAD_CHARACTERS ? leadStart(text, first) : 0;
  if (reached > 0) pieces.push({ text: '…', isMatch: false, start: -1 });
  for (const [start, end] of matches) {
    if (start > reached) pieces.push({ text: text.slice(reached, start), isMatch: false, start: reached });
    pieces.push({ text: text.slice(start, end), isMatch: true, start });
    reached = end;
  }
  if (reached < text.length) pieces.push({ text: text.slice(reached), isMatch: false, start: reached });
  return pieces;
}

/** At the beginning of a word, if there is one, and never between the two halves of a character. */
function leadStart(text: string, first: number): number {
  const earliest = first - LEAD_CHARACTERS;
  const space = text.slice(earliest - 1, first).search(/(?<=\s)\S/);
  if (space !== -1) return earliest - 1 + space;
  return /^[\udc00-\udfff]/.test(text.slice(earliest)) ? earliest + 1 : earliest;
}
