import { describe, expect, it } from 'vitest';
import { EMPTY_ROW, pathsOf, saidAgainst } from './shape-draft.ts';

const title = { ...EMPTY_ROW, name: 'title' };

describe('what the server says against a field of a shape', () => {
  it.each([
    [title, '/fields/title/pattern'],
    [{ ...title, isOptional: true }, '/fields/title?/pattern'],
    [{ ...title, isList: true }, '/fields/title/0/pattern'],
    [{ ...title, isList: true }, '/fields/title/items/pattern'],
  ])('is told at its part: %#', (row, path) => {
    expect(pathsOf(row)).toContain(path);
    const said = new Map([[path, 'not a pattern']]);
    expect(saidAgainst(said, row, 'pattern')).toBe('not a pattern');
    expect(saidAgainst(said, row, 'minLength')).toBeUndefined();
    expect(saidAgainst(said, row)).toBeUndefined();
  });

  it('is told at the field where it is of no part', () => {
    expect(saidAgainst(new Map([['/fields/title', 'not so']]), title)).toBe('not so');
  });
});
