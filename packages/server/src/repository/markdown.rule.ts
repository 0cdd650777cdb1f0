// Escapes user text for Markdown, so that it stays in place and plain.

// Controls, direction marks, invisible characters and line ends, but not the joiners that scripts need.
const UNSEEN = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]--[\u200c\u200d]]+/gv;
const MEANING = /[\\`*_[\]<>&#!|~]/g;

/** One line of at most `charactersMax` characters. Some signs need escapes only at the start of a line. */
export function plainText(text: string, charactersMax = Number.POSITIVE_INFINITY): string {
  return clipped(text.replaceAll(UNSEEN, ' ').trim(), charactersMax)
    .replaceAll(MEANING, '\\$&')
    .replace(/^[-+=]/, '\\$&')
    .replace(/^(\d+)([.)])/, '$1\\$2');
}

/** Text for copying. Anything but plain words is JSON-escaped, so that it stays on one line. */
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

export function urlPart(text: string): string {
  const unsafe = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text)
    .replaceAll(/[()!'*]/g, unsafe)
    .replaceAll('%3A', ':')
    .replaceAll('%2C', ',');
}
