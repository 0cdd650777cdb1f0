import { expect, it } from 'vitest';
import { EMPTY_ROW, type FieldRow, foldedWords } from './shape-draft.ts';

const row = (parts: Partial<FieldRow>): FieldRow => ({ ...EMPTY_ROW, name: 'a', ...parts });

it.each([
  [row({}), 'description, values, length, pattern, index'],
  [row({ type: 'number' }), 'description, values, limits, index'],
  [row({ type: 'wref', isList: true }), 'description'],
  [row({ type: 'json', isIndexed: true }), 'description'],
  [row({ choices: 'open\ndone' }), 'one of open, done'],
  [
    row({ type: 'number', limits: { minimum: '0', maximum: '1' }, isIndexed: true, description: '0 is safe' }),
    '“0 is safe”, 0 to 1, indexed',
  ],
  [row({ type: 'number', limits: { minimum: 'few' }, isIndexed: true }), 'indexed'],
])('a row says what is folded in it: %#', (folded, words) => {
  expect(foldedWords(folded)).toBe(words);
});
