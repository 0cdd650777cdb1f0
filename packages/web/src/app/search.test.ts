import { describe, expect, it } from 'vitest';
import { commitSearch, graphSearch, inTime, recordsSearch } from './search.ts';

describe('what an address says', () => {
  it.each([
    [{ at: 7 }, { at: 7 }],
    [{ at: '7' }, { at: 7 }],
    ...[{ at: 0 }, { at: -1 }, { at: 1.5 }, { at: 'now' }, { at: '' }, { at: null }, { at: {} }, {}].map((said) => [
      said,
      {},
    ]),
  ])('of the sequence, %j is %j', (said, understood) => {
    expect(inTime(said)).toEqual(understood);
  });

  it('of records is taken as it can be understood, and the rest left out', () => {
    const all = { shape: 'Location', kind: 'thing', q: 'cave', where: ['x:gte:3'], order: '-updated', retracted: true };
    expect(recordsSearch(all)).toEqual(all);
    expect(recordsSearch({ ...all, kind: 'other', order: 'size', retracted: 'yes', more: 1, q: '' })).toEqual({
      shape: 'Location',
      where: ['x:gte:3'],
    });
    expect(recordsSearch({ q: 42, where: 'x:gte:3' })).toEqual({ q: '42', where: ['x:gte:3'] });
  });

  it.each([
    [7, [7]],
    ['7', [7]],
    [
      [0, '3', 3, -1, 'x'],
      [0, 3],
    ],
    [[], []],
    ['all', undefined],
    [undefined, undefined],
  ])('of operations, %j is %j', (operation, understood) => {
    expect(commitSearch({ operation }).operation).toEqual(understood);
  });

  it('of the graph has lists of names', () => {
    expect(graphSearch({ from: 'Location/cave', opened: ['Location/hut', 3, {}], without: [] })).toEqual({
      from: 'Location/cave',
      opened: ['Location/hut', '3'],
    });
  });
});
