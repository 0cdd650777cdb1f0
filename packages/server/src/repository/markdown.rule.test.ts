import { describe, expect, it } from 'vitest';
import { codeSpan, plainText, urlPart } from './markdown.rule.ts';

describe('plainText', () => {
  it.each([
    ['a plain text, with (brackets) and https://a.example/x', 'a plain text, with (brackets) and https://a.example/x'],
    ['two\r\n\tlines \u2028 more', 'two lines more'],
    [
      '# [a](b) `c` *d* _e_ <f> &g; !h |i| ~j~ \\',
      '\\# \\[a\\](b) \\`c\\` \\*d\\* \\_e\\_ \\<f\\> \\&g; \\!h \\|i\\| \\~j\\~ \\\\',
    ],
    ['- a - b', '\\- a - b'],
    ['+ a', '\\+ a'],
    ['12. a', '12\\. a'],
    ['3) a', '3\\) a'],
    ['===', '\\==='],
    ['\u202eabc\u202c\u200b', 'abc'],
    ['👩\u200d🚀', '👩\u200d🚀'],
    [' \n ', ''],
  ])('%j', (text, expected) => {
    expect(plainText(text)).toBe(expected);
  });

  it('is cut between characters', () => {
    expect(plainText('𝄞𝄞𝄞', 2)).toBe('𝄞𝄞…');
    expect(plainText('𝄞𝄞', 2)).toBe('𝄞𝄞');
    expect(plainText('[[[', 2)).toBe('\\[\\[…');
  });
});

describe('codeSpan', () => {
  it.each([
    ['severity', '`severity`'],
    ['position.x', '`position.x`'],
    ['snake_case', '`snake_case`'],
    ['two words', '`"two words"`'],
    ['a\nb', '`"a\\nb"`'],
    ['\u2028\u202e\u0085', '`"\\u2028\\u202e\\u0085"`'],
    ['`', '`` "`" ``'],
    ['a``b`c', '``` "a``b`c" ```'],
    ['', '`""`'],
    ['\u{e0041}', '`"\\udb40\\udc41"`'],
  ])('%j', (text, expected) => {
    expect(codeSpan(text)).toBe(expected);
  });
});

describe('urlPart', () => {
  it('leaves nothing that ends an address, and filters readable', () => {
    expect(urlPart('severity:gte:3')).toBe('severity:gte:3');
    expect(urlPart("Room/a (b)'!*?#& ]")).toBe('Room%2Fa%20%28b%29%27%21%2A%3F%23%26%20%5D');
  });
});
