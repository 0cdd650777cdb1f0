import { describe, expect, it } from 'vitest';
import { inexactText, numberOf, objectProblem, readJson } from './json-text.ts';

describe('JSON that somebody writes', () => {
  it('is read, where nothing of it is lost', () => {
    expect(readJson('{"a":[1,"x",0.1]}')).toEqual({ value: { a: [1, 'x', 0.1] } });
    expect(readJson('{"a":\n  x}')).toEqual({
      problem: 'This is not JSON yet: expected a value at line 2, column 3, but found "x".',
    });
  });

  it.each([
    ['{"a":9007199254740993}', 'The number 9007199254740993 at /a cannot be stored exactly. Write it as a string.'],
    ['{"b":{"a":1,"a":2}}', 'The key at /b/a appears twice in its object. Write it once.'],
  ])('is not read where parsing would change it: %s', (text, problem) => {
    expect(readJson(text)).toEqual({ problem });
  });

  it.each([
    ['{"a":1}', undefined],
    ['{"a":', 'This is not JSON yet: expected a value at line 1, column 6, but found the end.'],
    [' ', 'This is no JSON object yet. Mend it to go on.'],
    ['[1]', 'This is no JSON object yet. Mend it to go on.'],
    ['{"a":1,"a":2}', 'The key at /a appears twice in its object. Write it once.'],
  ])('is the data of a record, or not yet: %s', (text, problem) => {
    expect(objectProblem(text)).toBe(problem);
  });
});

describe('a number that somebody types', () => {
  it('is a number, or what was typed', () => {
    expect([' 4.5 ', '+2', '-1e3', '', 'many', '9007199254740993'].map(numberOf)).toEqual([
      4.5,
      2,
      -1000,
      undefined,
      'many',
      '9007199254740993',
    ]);
  });

  it('is told where it would be another', () => {
    expect(inexactText('9007199254740993')).toContain('this would become 9007199254740992');
    expect(['9'.repeat(400), '-1e999'].map(inexactText)).toEqual(Array(2).fill(expect.stringContaining('No number')));
    expect([9, 'many', '12', undefined].map(inexactText)).toEqual([undefined, undefined, undefined, undefined]);
  });
});
