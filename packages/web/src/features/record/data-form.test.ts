import { describe, expect, it } from 'vitest';
import { entriesOf, isOpenAtFirst, sizeOf, sizeWords } from './wref.ts';

describe('data for people', () => {
  it('has fields by name and items by place', () => {
    expect(entriesOf({ b: 1, a: null })).toEqual([
      ['b', 1],
      ['a', null],
    ]);
    expect(entriesOf(['x', 'y'])).toEqual([
      ['0', 'x'],
      ['1', 'y'],
    ]);
    expect(entriesOf('x')).toEqual([]);
  });

  it('has no size where it is no object and no list', () => {
    expect([{ a: 1 }, [1, 2], 'text', 3, null, undefined].map(sizeOf)).toEqual([1, 2, 0, 0, 0, 0]);
  });

  it('is folded where it is deep or long', () => {
    expect(isOpenAtFirst({ a: 1 }, 1)).toBe(true);
    expect(isOpenAtFirst({ a: 1 }, 3)).toBe(false);
    expect(isOpenAtFirst(Array.from({ length: 21 }), 1)).toBe(false);
  });

  it('is counted in words', () => {
    const all = [[1], [1, 2], { a: 1 }, { a: 1, b: 2 }, Array.from({ length: 1_200 })];
    expect(all.map(sizeWords)).toEqual(['1 item', '2 items', '1 field', '2 fields', '1,200 items']);
  });
});
