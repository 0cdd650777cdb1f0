import { describe, expect, it } from 'vitest';
import { memberFields, membersOf } from './collection-member.ts';

describe('the members of a collection', () => {
  it('are one list, in the order of their fields', () => {
    expect(membersOf('arc', { to: 'A/b', from: 'A/a' })).toEqual(['A/a', 'A/b']);
    expect(membersOf('set', { members: ['A/a', 'A/b'] })).toEqual(['A/a', 'A/b']);
    expect(membersOf('pair', { second: 'A/b' })).toEqual(['A/b']);
    expect(membersOf('list', undefined)).toEqual([]);
  });

  it('are found in their fields again', () => {
    const both = { from: 'A/a', to: 'A/b' };
    expect(memberFields('arc', both, 1)).toEqual(['to']);
    expect(memberFields('arc', { to: 'A/b' }, 0)).toEqual(['to']);
    expect(memberFields('set', { members: ['A/a', 'A/b'] }, 1)).toEqual(['members']);
  });

  it('that are too few are missing where there is none', () => {
    expect(memberFields('arc', {})).toEqual(['from', 'to']);
    expect(memberFields('arc', { from: 'A/a' })).toEqual(['to']);
    expect(memberFields('bond', { ends: ['A/a'] })).toEqual(['ends']);
  });
});
