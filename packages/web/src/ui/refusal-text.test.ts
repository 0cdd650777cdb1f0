import { expect, it } from 'vitest';
import { detailText, joined, refusalText } from './refusal-text.ts';

it('a field is named as the form of a record has it', () => {
  const message = 'expected a number';
  expect(detailText({ path: '/data/stars', message })).toBe('stars: expected a number');
  expect(detailText({ path: '/near', message })).toBe('near: expected a number');
  expect(detailText({ path: 'filter.shape', message })).toBe('filter.shape: expected a number');
  expect(detailText({ path: '/data', message })).toBe('data: expected a number');
  expect(detailText({ path: '', message })).toBe('expected a number');
});

it('a refusal without details is told by its message', () => {
  expect(refusalText({ message: 'It is taken.', details: { name: 'a' } })).toBe('It is taken.');
  const details = [
    { path: '/a', message: 'one' },
    { path: '/b/c', message: 'two' },
  ];
  expect(refusalText({ message: '/a: one; /b/c: two', details })).toBe('a: one; b.c: two');
  expect(joined(['There is none.', 'Nor here.', 'wrong'])).toBe('There is none. Nor here. wrong');
});
