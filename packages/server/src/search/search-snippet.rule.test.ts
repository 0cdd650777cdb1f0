import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldText, parseSearchWords, snippetOf } from './search-text.rule.ts';

interface Given {
  readonly data?: unknown;
  readonly name?: string;
  readonly references?: readonly string[];
}

function find(query: string, { data = {}, name = 'Sensor/cellar', references = [] }: Given = {}) {
  return snippetOf({ name, data, referencePaths: new Set(references) }, parseSearchWords(query));
}

function hits(snippet: ReturnType<typeof find>): string[] {
  return snippet?.matches.map(([start, end]) => snippet.text.slice(start, end)) ?? [];
}

describe('a snippet', () => {
  it('is from the first text that holds a word, with every hit in it', () => {
    const data = { a: 'nothing', b: ['no', 'Hot, very HOT; hotter'], c: 'hot' };
    expect(find('hot cellar', { data })).toEqual({
      path: '/b/1',
      text: 'Hot, very HOT; hotter',
      matches: [
        [0, 3],
        [10, 13],
      ],
    });
    expect(hits(find('hot*', { data }))).toEqual(['Hot', 'HOT', 'hotter']);
  });

  it('is from the name when no text holds a word', () => {
    expect(find('cellar', { data: { a: 'attic' } })).toEqual({ path: '', text: 'Sensor/cellar', matches: [[7, 13]] });
    expect(find('gone', { data: { a: 'attic' } })).toBeUndefined();
  });

  it('never is from a reference', () => {
    const data = { room: 'Room/hot@v1', hidden: null };
    expect(find('hot', { data, references: ['/room'] })).toBeUndefined();
  });

  it('marks the text as it was written, whatever its marks', () => {
    for (const text of ['une crème brûlée', 'une cre\u0300me bru\u0302le\u0301e', '𠮷𠮷 CRÈME']) {
      expect(hits(find('creme', { data: text })).map((hit) => hit.normalize('NFC').toLowerCase())).toEqual(['crème']);
    }
    expect(hits(find('20', { data: 'year ２０!' }))).toEqual(['２０']);
    expect(hits(find('file', { data: 'a ﬁle' }))).toEqual(['ﬁle']);
  });

  it('is cut around the first hit, at letters', () => {
    const data = `${'𠮷 '.repeat(100)}needle ${'𠮷 '.repeat(100)}needle`;
    const snippet = find('needle', { data });
    expect(hits(snippet)).toEqual(['needle']);
    expect(snippet?.text.length).toBeLessThanOrEqual(161);
    expect(snippet?.text.isWellFormed()).toBe(true);
    const long = find('a*', { data: 'a'.repeat(1_000) });
    expect(long).toEqual({ path: '', text: 'a'.repeat(160), matches: [[0, 160]] });
  });

  it('has hits that fold to the word, within the text, in any text', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 300 });
    const property = fc.property(text, text, (before, after) => {
      const snippet = find('needle', { data: { t: `${before} Nèedle ${after}` } });
      expect(snippet?.text.length).toBeLessThanOrEqual(161);
      expect(snippet?.text.isWellFormed()).toBe(true);
      expect(hits(snippet).length).toBeGreaterThan(0);
      for (const hit of hits(snippet)) expect(foldText(hit)).toBe('needle');
    });
    fc.assert(property, { numRuns: 500 });
  });
});
