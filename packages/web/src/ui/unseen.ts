// Characters that are invisible or change the direction of text, except line breaks, tabs and emoji joiners.
const CONTROLS = String.raw`[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]`;
const EMOJI = String.raw`\p{Extended_Pictographic}`;
const LOOSE_JOINER = String.raw`(?<!${EMOJI}[\ufe0f\p{Emoji_Modifier}]?)\u200d|\u200d(?!${EMOJI})`;
const UNSEEN = new RegExp(`(${CONTROLS}|${LOOSE_JOINER})`, 'u');

export const piecesOf = (text: string): { readonly text: string; readonly isUnseen: boolean }[] =>
  text
    .split(UNSEEN)
    .map((part, index) => {
      const isUnseen = index % 2 === 1;
      return { text: isUnseen ? codePoint(part) : part, isUnseen };
    })
    .filter((piece) => piece.text !== '');

export const hasUnseen = (text: string): boolean => UNSEEN.test(text);

export const unseenAs = (written: (character: string) => string, text: string): string =>
  text
    .split(UNSEEN)
    .map((part, index) => (index % 2 === 1 ? written(part) : part))
    .join('');

const codePoint = (character: string) =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** Never cuts a surrogate pair. */
export const beginningOf = (text: string, most: number): string => text.slice(0, most).replace(/[\ud800-\udbff]$/, '');

export function plain(text: string, most: number): string {
  const shown = text.length > most ? `${beginningOf(text, most)}…` : text;
  return piecesOf(shown)
    .map((piece) => piece.text)
    .join('');
}
