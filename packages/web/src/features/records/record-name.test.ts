import { describe, expect, it } from 'vitest';
import { isBareName, meantBy, pieceOf } from './found-records.ts';

describe('the name of a record that is typed', () => {
  it('is completed as a whole', () => {
    const { typed, take } = pieceOf('mara, and oda', false);
    expect([typed, take('Person/mara')]).toEqual(['mara, and oda', 'Person/mara']);
  });

  it('is the last one of a list', () => {
    const { typed, take } = pieceOf('Person/oda,ma', true);
    expect([typed, take('Person/mara')]).toEqual(['ma', 'Person/oda,Person/mara']);
    expect(pieceOf('ma', true).take('Person/mara')).toBe('Person/mara');
  });

  it.each([
    ['mara', true],
    [' mara ', true],
    ['', false],
    ['Person/mara', false],
    ['wh:acme/world/Person/mara', false],
    ['01ARZ3NDEKTSV4RRFFQ69G5FAV', false],
  ])('%j is bare: %s', (typed, isBare) => {
    expect(isBareName(typed)).toBe(isBare);
  });

  it('is meant by who leaves the shape away: called exactly so, or else the first that was found', () => {
    const found = [{ name: 'Person/maraline' }, { name: 'Person/mara' }];
    expect([meantBy(' mara ', found)?.name, meantBy('mar', found)?.name, meantBy('mar', [])]).toEqual([
      'Person/mara',
      'Person/maraline',
      undefined,
    ]);
  });
});
