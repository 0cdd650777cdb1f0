import { expect, it } from 'vitest';
import { startAmong } from './walk-state.ts';

it('begins with the record that was typed or the only one, and else leaves the choice', () => {
  const found = (...names: string[]) => names.map((name) => ({ name }));
  expect(startAmong(found('Room/1', 'Room/12'), 'Room/1')).toBe('Room/1');
  expect(startAmong(found('Belief/storm'), 'storm')).toBe('Belief/storm');
  expect(startAmong(found('Room/1', 'Room/12'), 'Room')).toBeUndefined();
  expect(startAmong([], 'storm')).toBeUndefined();
  expect(startAmong([], 'Room/old')).toBe('Room/old');
});
