import { describe, expect, it } from 'vitest';
import { besideIt, EMPTY_ROW, type FieldRow, rowProblems } from './shape-draft.ts';

describe('a field set that is edited', () => {
  it('is refused where a limit is none', () => {
    const said = (type: 'number' | 'string', limits: FieldRow['limits']) =>
      rowProblems([{ ...EMPTY_ROW, name: 'a', type, limits }]).join(' ');
    expect(said('number', { minimum: 'few' })).toBe('In a, under “More”, the minimum is not a number.');
    expect(said('number', { minimum: '5', maximum: '-5' })).toBe(
      'In a, under “More”, the minimum is greater than the maximum.',
    );
    expect(said('string', { maxLength: '1.5' })).toBe('In a, under “More”, the maximum length is not a whole number.');
    expect(said('string', { minLength: '2', maxLength: '1' })).toMatch('the minimum length is greater than');
    expect(said('string', { minimum: 'few', maxLength: '3' })).toBe('');
  });

  it('is refused before it is sent where it cannot be one', () => {
    const row = { ...EMPTY_ROW, name: 'a' };
    const said = (...rows: readonly FieldRow[]) => rowProblems(rows).join(' ');
    expect(said(row, EMPTY_ROW)).toMatch('A field has no name');
    expect(said(row, { ...row, name: ' ' })).toMatch('A field has no name');
    expect(said(row, row)).toBe('Two fields have the name a. Rename one of them.');
    expect(said({ ...row, type: 'other', json: '{' })).toMatch('In a, the definition is not JSON yet: expected');
    expect(said({ ...row, type: 'number', choices: '1, 2' })).toMatch('In a, under “More”, “1, 2” is not a number');
    expect(said({ ...row, type: 'number', choices: '1\n2' })).toBe('');
    expect(said(row)).toBe('');
  });

  it('is refused where its JSON would lose something', () => {
    const row: FieldRow = { ...EMPTY_ROW, name: 'a', type: 'other', json: '{"x":"string","x":"number"}' };
    expect(rowProblems([row])).toEqual(['In a, the key at /x appears twice in its object. Write it once.']);
  });

  it.each([
    ['string', 'new\nolder', { minLength: '5' }, '“new” is shorter than the minimum length'],
    ['string', '🌍🌍🌍', { maxLength: '2' }, '“🌍🌍🌍” is longer than the maximum length'],
    ['string', 'new', { minLength: '3', maxLength: '3' }, undefined],
    ['number', '1\n7', { minimum: '5' }, '“1” is less than the minimum'],
    ['number', '9', { maximum: '5' }, '“9” is more than the maximum'],
    ['number', '1.5', { integer: true }, '“1.5” is not a whole number'],
    ['number', '2', { integer: true, minLength: '5' }, undefined],
  ] as const)('is refused where nobody could write a value: %s %s', (type, choices, limits, wrong) => {
    const told = wrong === undefined ? undefined : `${wrong}: change one of them.`;
    expect(besideIt({ ...EMPTY_ROW, name: 'a', type, choices, limits }, 'enum')).toBe(told);
  });

  it('is told with all that is wrong with it', () => {
    const limits = { minimum: 'few' };
    expect(
      rowProblems([
        { ...EMPTY_ROW, type: 'number', limits },
        { ...EMPTY_ROW, name: 'a', type: 'number', choices: 'x', limits },
      ]),
    ).toHaveLength(4);
  });

  it('says what is wrong beside its control too, once something is there', () => {
    const row = { ...EMPTY_ROW, name: 'a' };
    expect(besideIt({ ...row, type: 'number', limits: { minimum: 'few' } }, 'minimum')).toBe(
      'The minimum is not a number.',
    );
    expect(besideIt({ ...row, type: 'other', json: ' ' }, 'json')).toBeUndefined();
    expect(besideIt({ ...row, type: 'other', json: '{' }, 'json')).toMatch('The definition is not JSON yet: expected');
    expect(besideIt(row, 'enum')).toBeUndefined();
  });
});
