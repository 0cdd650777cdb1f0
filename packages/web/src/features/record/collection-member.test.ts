import { describe, expect, it } from 'vitest';
import { memberPaths, membersOf } from './wref.ts';

describe('the members of a collection', () => {
  it('are one list, in the order of their fields', () => {
    expect(membersOf('arc', { to: 'A/b', from: 'A/a' })).toEqual(['A/a', 'A/b']);
    expect(membersOf('set', { members: ['A/a', 'A/b'] })).toEqual(['A/a', 'A/b']);
    expect(membersOf('pair', { second: 'A/b' })).toEqual(['A/b']);
    expect(membersOf('list', undefined)).toEqual([]);
  });

  it('are found in their fields again', () => {
    const pathOf = (...asked: Parameters<typeof memberPaths>) => memberPaths(...asked).map(({ path }) => path);
    const both = { from: 'A/a', to: 'A/b' };
    expect(pathOf('arc', both, 1)).toEqual(['to']);
    expect(pathOf('arc', { to: 'A/b' }, 0)).toEqual(['to']);
    expect(pathOf('set', { members: ['A/a', 'A/b'] }, 1)).toEqual(['members/1']);
  });

  it('that are too few are missing where there is none', () => {
    expect(memberPaths('arc', {})).toEqual([
      { path: 'from', isUnchosen: true },
      { path: 'to', isUnchosen: true },
    ]);
    expect(memberPaths('arc', { from: 'A/a' })).toEqual([{ path: 'to', isUnchosen: true }]);
    expect(memberPaths('bond', { ends: ['A/a'] })).toEqual([{ path: 'ends', isUnchosen: false }]);
    expect(memberPaths('bond', {})).toEqual([{ path: 'ends', isUnchosen: false }]);
  });
});
