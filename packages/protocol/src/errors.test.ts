import { expect, it } from 'vitest';
import { ended } from './errors.ts';

it.each([
  ['it is missing', 'it is missing.'],
  ['It is missing.', 'It is missing.'],
  ['Is it there?', 'Is it there?'],
  ['one problem (and 2 more)', 'one problem (and 2 more).'],
])('%s ends once', (text, sentence) => {
  expect(ended(text)).toBe(sentence);
});
