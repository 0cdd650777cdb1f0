// JSON pointers (RFC 6901), which locate problems, indexes, filters and differences in a JSON document.
import type { Difference } from '@cairn/protocol/read';

export function pointerTo(parent: string, token: string | number): string {
  if (typeof token === 'number' || !/[~/]/.test(token)) return `${parent}/${token}`;
  return `${parent}/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The tokens of a pointer; none for '', which denotes the whole document. */
export function pointerTokens(pointer: string): string[] {
  const tokens = pointer.split('/').slice(1);
  return pointer.includes('~') ? tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~')) : tokens;
}

export type PointerSegment = string | number;

/** For answers and logs, which are UTF-8: half of a surrogate pair becomes U+FFFD. */
export function toJsonPointer(segments: readonly PointerSegment[]): string {
  return segments.reduce<string>(pointerTo, '').toWellFormed();
}

/**
 * The pointer of the value or key at an offset of a text that is valid JSON up to there. Parses the text again from its
 * start, so that the scanner need not track its path while everything is valid.
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

/** One for each open array or object; `undefined` in an object between two of its members. */
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

/** The offset after the string that starts at `start`; past the text if the string is never closed. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

const isJsonObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Ordered like `before`, with new members last. */
export function findDifferences(before: unknown, after: unknown, path = ''): Difference[] {
  if (isJsonObject(before) && isJsonObject(after))
    return differencesOfMembers(membersOf(before), membersOf(after), path);
  if (Array.isArray(before) && Array.isArray(after)) {
    return differencesOfMembers(new Map(before.entries()), new Map(after.entries()), path);
  }
  return before === after ? [] : [{ path, change: 'changed', before, after }];
}

const membersOf = (value: object) => new Map<string, unknown>(Object.entries(value));

function differencesOfMembers<Token extends string | number>(
  before: ReadonlyMap<Token, unknown>,
  after: ReadonlyMap<Token, unknown>,
  path: string,
): Difference[] {
  const kept = [...before].flatMap(([token, value]): Difference[] => {
    const place = pointerTo(path, token);
    if (!after.has(token)) return [{ path: place, change: 'removed', before: value }];
    return findDifferences(value, after.get(token), place);
  });
  const added = [...after].filter(([token]) => !before.has(token));
  return [
    ...kept,
    ...added.map(([token, value]): Difference => ({ path: pointerTo(path, token), change: 'added', after: value })),
  ];
}
