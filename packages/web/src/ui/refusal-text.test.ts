import { expect, it } from 'vitest';
import { fieldDetailText, joinTexts, refusalText } from './refusal-text.ts';

it('a field is named as the form of a record has it', () => {
  const message = 'expected a number';
  expect(fieldDetailText({ path: '/data/stars', message })).toBe('stars: expected a number');
  expect(fieldDetailText({ path: '/near', message })).toBe('near: expected a number');
  expect(fieldDetailText({ path: 'filter.shape', message })).toBe('filter.shape: expected a number');
  expect(fieldDetailText({ path: '/data', message })).toBe('data: expected a number');
  expect(fieldDetailText({ path: '', message })).toBe('expected a number');
});

it('a refusal without details is told by its message', () => {
  expect(refusalText({ message: 'It is taken.', details: { name: 'a' } })).toBe('It is taken.');
  const details = [
    { path: '/a', message: 'one' },
    { path: '/b/c', message: 'two' },
  ];
  expect(refusalText({ message: '/a: one; /b/c: two', details })).toBe('a: one; b.c: two');
  expect(joinTexts(['There is none.', 'Nor here.', 'wrong'])).toBe('There is none. Nor here. wrong');
});
