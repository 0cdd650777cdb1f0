import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findTexts, findWords, foldText, parseSearchWords, toSearchDocument } from './search-text.rule.ts';

const wordsOf = (text: string) => [...findWords(foldText(text))].map(({ word }) => word);
const NONE: ReadonlySet<string> = new Set();

describe('the words of a text', () => {
  it.each([
    ['The cellar, and the Attic-2!', ['the', 'cellar', 'and', 'the', 'attic', '2']],
    ['Shape/some_name.v2', ['shape', 'some', 'name', 'v2']],
    ['Crème BRÛLÉE, naïve', ['creme', 'brulee', 'naive']],
    ['Cre\u0300me', ['creme']],
    ['ΟΔΟΣ οδός Σίσυφος', ['οδοσ', 'οδοσ', 'σισυφοσ']],
    ['İstanbul ﬁle ℌello ２０', ['istanbul', 'file', 'hello', '20']],
    ['½ cup', ['1', '2', 'cup']],
    ['温度 температура', ['温度', 'температура']],
    ['\u0000 — 🙂 ...', []],
    ['', []],
  ])('of %j are %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it('are cut at 64, and never within a letter', () => {
    expect(wordsOf('a'.repeat(65))).toEqual(['a'.repeat(64)]);
    expect(wordsOf(`a${'𠮷'.repeat(40)}`)).toEqual([`a${'𠮷'.repeat(31)}`]);
  });

  it('hold nothing that an engine would split, and fold as their letters do', () => {
    const property = fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
      expect([...text].map(foldText).join('')).toBe(foldText(text));
      for (const word of wordsOf(text)) expect(word).toMatch(/^[\p{L}\p{N}]{1,64}$/u);
    });
    fc.assert(property, { numRuns: 2_000 });
  });
});

describe('the document of a record', () => {
  it('has the words of its full name, and of the texts in its data, not of keys and references', () => {
    const document = toSearchDocument({
      name: 'Sensor/cellar-1',
      data: { label: 'Old cellar', room: 'Room/a@v1', list: [1, null, true, { deep: 'Attic' }], 'a/b': 'slash' },
      referencePaths: new Set(['/room']),
    });
    expect([...document.name]).toEqual(['sensor', 'cellar', '1']);
    expect([...document.text]).toEqual(['old', 'cellar', 'attic', 'slash']);
  });

  it('has so many words at most', () => {
    const data = Array.from({ length: 50 }, (_, part) =>
      Array.from({ length: 100 }, (_, n) => `w${part}x${n}`).join(' '),
    );
    const { text } = toSearchDocument({ name: 'Big/one', data, referencePaths: NONE });
    expect(text.size).toBe(4_000);
    expect(text.has('w39x99')).toBe(true);
  });

  it('knows the place of each text', () => {
    const texts = [...findTexts({ a: ['x', { '~/': 'y' }], b: 'z' }, new Set(['/b']))];
    expect(texts).toEqual([
      { path: '/a/0', text: 'x' },
      { path: '/a/1/~0~1', text: 'y' },
    ]);
  });
});

describe('a query', () => {
  it('is split as texts are, each word once, with a star for what begins with it', () => {
    expect(parseSearchWords('Temp* cellár "cellar" temp * x*y')).toEqual([
      { word: 'temp', prefix: true },
      { word: 'cellar', prefix: false },
      { word: 'temp', prefix: false },
      { word: 'x', prefix: true },
      { word: 'y', prefix: false },
    ]);
  });

  it.each(['', '*', '🙂 !', Array.from({ length: 17 }, (_, n) => `w${n}`).join(' ')])('%j is refused', (query) => {
    expect(() => parseSearchWords(query)).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR', details: [{ path: 'q', message: expect.any(String) }] }),
    );
  });
});
