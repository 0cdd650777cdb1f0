import { describe, expect, it } from 'vitest';
import { contestedOf, merged, sidesAtFirst } from './followed.ts';

const was = { label: 'A', depth: 1, tags: ['x'], gone: true };
const mine = { label: 'B', depth: 1, tags: ['x', 'y'], gone: true };
const theirs = { label: 'C', depth: 2, tags: ['x'] };

describe('two changes of the same record', () => {
  it('differ in the fields that either changed', () => {
    expect(contestedOf(was, mine, theirs).map(({ name, changedBy }) => [name, changedBy])).toEqual([
      ['label', 'both'],
      ['depth', 'them'],
      ['tags', 'me'],
      ['gone', 'them'],
    ]);
    expect(contestedOf(was, mine, structuredClone(mine))).toEqual([]);
  });

  it('come together field by field, and who chooses decides where both changed it', () => {
    const sides = new Map(sidesAtFirst(contestedOf(was, mine, theirs)));
    expect(sides.has('label')).toBe(false);
    sides.set('label', 'mine');
    expect(merged(mine, theirs, sides)).toEqual({ label: 'B', depth: 2, tags: ['x', 'y'] });
  });

  it('take a field away where that side has none', () => {
    expect(merged({ a: 1 }, { a: 1, b: 2 }, new Map([['b', 'mine']]))).toEqual({ a: 1 });
  });
});
