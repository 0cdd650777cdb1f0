import { expect, it } from 'vitest';
import { openedWithin } from './walk-state.ts';

it('an address names what was expanded first, and not too much', () => {
  expect(openedWithin(['A/1', 'A/2', 'A/1'])).toEqual(['A/1', 'A/2']);
  const many = Array.from({ length: 60 }, (_, index) => `A/${index}`);
  expect(openedWithin(many)).toEqual(many.slice(0, 50));
  const long = Array.from({ length: 20 }, (_, index) => `A/${'x'.repeat(500)}${index}`);
  expect(openedWithin(long)).toEqual(long.slice(0, 7));
});
