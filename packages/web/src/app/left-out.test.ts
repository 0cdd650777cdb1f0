import { describe, expect, it } from 'vitest';
import { commitSearch, inTime, leftOutOf, recordsSearch } from './search.ts';

type Said = Readonly<Record<string, unknown>>;

const leftOut = (said: Said, read: (said: Said) => object) =>
  leftOutOf(said, { ...said, ...inTime(said), ...read(said) });

describe('what an address says and no page understands', () => {
  it.each([
    [{ at: 'banana' }, ['at=banana']],
    [
      { at: 0, kind: 'nonsense', order: 'size', retracted: 'yes' },
      ['at=0', 'kind=nonsense', 'order=size', 'retracted=yes'],
    ],
    [{ where: ['x:gte:3', 'banana', '[{"op":"eq"}]'] }, ['where=banana', 'where=[{"op":"eq"}]']],
    [{ where: 'banana' }, ['where=banana']],
    [{ kind: { deep: 1 } }, ['kind={"deep":1}']],
    [
      { at: '7', kind: 'thing', q: 42, where: ['x:exists', '[{"fieldPath":"x","op":"eq","rhs":1}]'], retracted: true },
      [],
    ],
    [{ q: '', order: '', page: 'x', utm: 'y' }, []],
  ])('of %j is %j', (said, expected) => {
    expect(leftOut(said, recordsSearch).map((one) => one.said)).toEqual(expected);
  });

  it('is told of lists item by item, and with what is shown instead', () => {
    expect(leftOut({ operation: [0, '3', 'x'], page: -1, at: 'x' }, commitSearch)).toEqual([
      { said: 'operation=x', instead: 'ignored' },
      { said: 'page=-1', instead: 'showing the first page' },
      { said: 'at=x', instead: 'showing the latest state' },
    ]);
  });
});
