import { describe, expect, it } from 'vitest';
import { EMPTY_ROW, type FieldRow } from './shape-draft.ts';
import { besideIt, rowProblem } from './shape-row-problem.ts';

describe('a field set that is edited', () => {
  it('is refused where a limit is none', () => {
    const said = (type: 'number' | 'string', limits: FieldRow['limits']) =>
      rowProblem([{ ...EMPTY_ROW, name: 'a', type, limits }]);
    expect(said('number', { minimum: 'few' })).toBe('In a, the minimum is not a number.');
    expect(said('number', { minimum: '5', maximum: '-5' })).toBe('In a, the minimum is more than the maximum.');
    expect(said('string', { maxLength: '1.5' })).toBe('In a, the maximum length is not a whole number.');
    expect(said('string', { minLength: '2', maxLength: '1' })).toMatch('the minimum length is more than');
    expect(said('string', { minimum: 'few', maxLength: '3' })).toBeUndefined();
  });

  it('is refused before it is sent where it cannot be one', () => {
    const row = { ...EMPTY_ROW, name: 'a' };
    expect(rowProblem([row, EMPTY_ROW])).toMatch('Give each field a name');
    expect(rowProblem([row, { ...row, name: ' ' }])).toMatch('Give each field a name');
    expect(rowProblem([row, row])).toMatch('Two fields are called a');
    expect(rowProblem([{ ...row, type: 'other', json: '{' }])).toMatch('is not JSON yet');
    expect(rowProblem([{ ...row, type: 'number', choices: '1, 2' }])).toMatch('In a, “1, 2” is not a number');
    expect(rowProblem([{ ...row, type: 'number', choices: '1\n2' }])).toBeUndefined();
    expect(rowProblem([row])).toBeUndefined();
  });

  it('says what is wrong beside its control too, once something is there', () => {
    const row = { ...EMPTY_ROW, name: 'a' };
    expect(besideIt({ ...row, type: 'number', limits: { minimum: 'few' } }, 'minimum')).toBe(
      'The minimum is not a number.',
    );
    expect(besideIt({ ...row, type: 'other', json: ' ' }, 'json')).toBeUndefined();
    expect(besideIt({ ...row, type: 'other', json: '{' }, 'json')).toBe('The definition is not JSON yet.');
    expect(besideIt(row, 'enum')).toBeUndefined();
  });
});
