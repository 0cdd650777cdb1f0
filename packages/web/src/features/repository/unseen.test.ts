import { describe, expect, it } from 'vitest';
import { beginningOf, piecesOf } from '../../ui/unseen.ts';

describe('what is not seen', () => {
  it.each([
    ['plain', ['plain']],
    ['a\u202eb', ['a', 'U+202E', 'b']],
    ['\u0000\u200b\ufeff', ['U+0000', 'U+200B', 'U+FEFF']],
    ['two\nlines\tand a tab', ['two\nlines\tand a tab']],
    ['return\r', ['return', 'U+000D']],
    ['é 😀 שלום', ['é 😀 שלום']],
    ['👩‍👩‍👧 🏳️‍🌈 👩🏽‍🚀', ['👩‍👩‍👧 🏳️‍🌈 👩🏽‍🚀']],
    ['a\u200db 😀\u200dc \u200d😀', ['a', 'U+200D', 'b 😀', 'U+200D', 'c ', 'U+200D', '😀']],
    ['', []],
  ])('is told in %j', (text, expected) => {
    expect(piecesOf(text).map((piece) => piece.text)).toEqual(expected);
  });

  it('is no half of a character at the end', () => {
    expect(beginningOf('a😀b', 2)).toBe('a');
    expect(beginningOf('a😀b', 3)).toBe('a😀');
  });
});
