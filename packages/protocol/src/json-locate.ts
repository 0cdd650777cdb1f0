// JSON pointers (RFC 6901): how an error names a value inside a document.

/** A key, or an index of an array. */
export type PointerSegment = string | number;

export function toJsonPointer(segments: readonly PointerSegment[]): string {
  return segments.map((segment) => `/${escapeSegment(segment)}`).join('');
}

// Half of a surrogate pair cannot be sent as UTF-8; a pointer goes into answers and logs, and so shows U+FFFD there.
function escapeSegment(segment: PointerSegment): string {
  return String(segment).replaceAll('~', '~0').replaceAll('/', '~1').toWellFormed();
}

/**
 * The value or key at an offset of a text that is JSON up to there. Reads the text again from its start, so that a
 * scanner that mostly finds nothing wrong need not keep track of where it is.
 */
export function jsonPointerAt(text: string, offset: number): string {
  const open: OpenSegment[] = [];
  let at = 0;
  while (at < offset || (at === offset && text[at] === '"')) {
    if (text[at] === '"') {
      const end = endOfString(text, at);
      if (at < offset && end > offset) break;
      if (open.length > 0 && open.at(-1) === undefined) open[open.length - 1] = JSON.parse(text.slice(at, end));
      at = end;
    } else {
      follow(open, text[at]);
      at += 1;
    }
  }
  return toJsonPointer(open.filter((segment) => segment !== undefined));
}

/** One for each open array or object; `undefined` in an object that is between two of its members. */
type OpenSegment = PointerSegment | undefined;

function follow(open: OpenSegment[], character: string | undefined): void {
  if (character === '[') open.push(0);
  else if (character === '{') open.push(undefined);
  else if (character === ']' || character === '}') open.pop();
  else if (character === ',') open.push(segmentAfter(open.pop()));
}

function segmentAfter(segment: OpenSegment): OpenSegment {
  return typeof segment === 'number' ? segment + 1 : undefined;
}

/** Where the string that starts at `start` is over; past the text when it is never closed. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}
