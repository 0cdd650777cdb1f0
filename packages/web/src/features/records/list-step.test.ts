import { expect, it } from 'vitest';
import { stepTo } from './found-records.ts';

it('keys move within a list, and not beyond it', () => {
  const reached = (key: string, from: number) => stepTo(key, from, 25);
  expect([reached('ArrowDown', 3), reached('ArrowDown', 24)]).toEqual([4, 24]);
  expect([reached('ArrowUp', 3), reached('ArrowUp', 0)]).toEqual([2, 0]);
  expect([reached('PageDown', 3), reached('PageDown', 20)]).toEqual([13, 24]);
  expect([reached('PageUp', 13), reached('PageUp', 3)]).toEqual([3, 0]);
  expect([reached('Home', 9), reached('End', 9)]).toEqual([0, 24]);
  expect(reached('x', 9)).toBeUndefined();
});
