import { expect, it } from 'vitest';
import { hasOthers, othersIn } from './shape.ts';

const shapes = [
  { name: 'Person', count: 2 },
  { name: 'Place', count: 3 },
];

it('there are other shapes where more records are counted than those that are described have', () => {
  const counts = { thing: 4, assertion: 1, collection: 0, shape: 2 };
  expect(hasOthers({ counts, shapes })).toBe(false);
  expect(hasOthers({ counts: { ...counts, assertion: 3 }, shapes })).toBe(true);
});

it('others are those that are counted and not described', () => {
  expect(othersIn([...shapes, { name: 'Town', count: 2 }], shapes)).toEqual([{ name: 'Town', count: 2 }]);
});
