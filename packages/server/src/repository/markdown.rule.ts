// Markdown made of what others wrote: whatever they wrote stays in its place, and is text there.

// Controls, what turns the direction of text or cannot be seen, and all that ends a line; not what joins letters.
const UNSEEN = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]--[\u200c\u200d]]+/gv;
const MEANING = /[\\`*_[\]<>&#!|~]/g;

/** On one line, and at most so many characters. At the beginning of a line some signs mean something that elsewhere do not. */
export function plainText(text: string, charactersMax = Number.POSITIVE_INFINITY): string {
  return clipped(text.replaceAll(UNSEEN, ' ').trim(), charactersMax)
    .replaceAll(MEANING, '\\$&')
    .replace(/^[-+=]/, '\\$&')
    .replace(/^(\d+)([.)])/, '$1\\$2');
}

/** Exactly the text, to be copied. What is no plain word is written as JSON writes it, so that it stays on its line. */
export function codeSpan(text: string, charactersMax = Number.POSITIVE_INFINITY): string {
  const short = clipped(text, charactersMax);
  const shown = /^[\w.:,/@=?&%-]+$/.test(short) ? short : escaped(JSON.stringify(short));
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  return longest === 0 ? `\`${shown}\`` : `${'`'.repeat(longest + 1)} ${shown} ${'`'.repeat(longest + 1)}`;
}

const escaped = (json: string) =>
  json.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (sign) => sign.split('').map(escapedUnit).join(''));

const escapedUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

function clipped(text: string, charactersMax: number): string {
  const signs = text.length > charactersMax ? [...text] : [];
  return signs.length > charactersMax ? `${signs.slice(0, charactersMax).join('')}…` : text;
}

/** A part of an address; the signs that filters are written with stay readable. */
export function urlPart(text: string): string {
  const unsafe = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text)
    .replaceAll(/[()!'*]/g, unsafe)
    .replaceAll('%3A', ':')
    .replaceAll('%2C', ',');
}
