// Ranges of texts with a common prefix, in the order of code points, which is the order of their UTF-8 bytes.

/** Orders like UTF-8 bytes, as the engines do. */
export function compareText(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

const LAST = 0x10ffff;
const [SURROGATES_FIRST, SURROGATES_END] = [0xd800, 0xe000];

/** The first text after all texts with the prefix; `undefined` if there is none. */
export function prefixEnd(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    if (last === LAST) continue;
    const next = last + 1 === SURROGATES_FIRST ? SURROGATES_END : last + 1;
    return String.fromCodePoint(...points, next);
  }
  return undefined;
}
