import { describe, expect, it } from 'vitest';
import { emptyOf, fieldPointers, filledIn, formOf, unchosen, undeclaredIn, withField } from './form-field.ts';

const FIELDS = {
  label: { type: 'string', description: 'What people call it', minLength: 2 },
  'depth?': 'number',
  kind: { type: 'string', enum: ['cave', 'hut'] },
  'next?': { type: 'wref', shape: ['Location', 'Person'] },
  any: 'wref?',
  tags: ['string'],
  position: { x: 'number', 'y?': 'number' },
  'more?': 'json',
};

describe('a shape as a form', () => {
  const form = formOf(FIELDS);

  it('has a control for each field, those that must be filled in first', () => {
    expect(form.map(({ name, isOptional, input: { type } }) => [name, type, isOptional])).toEqual([
      ['label', 'text', false],
      ['kind', 'choice', false],
      ['tags', 'list', false],
      ['position', 'object', false],
      ['depth', 'number', true],
      ['next', 'wref', true],
      ['any', 'wref', true],
      ['more', 'json', true],
    ]);
    expect(form[0]).toMatchObject({ description: 'What people call it', constraints: ['at least 2 characters'] });
    expect(form[1]).toMatchObject({ constraints: [], input: { choices: ['cave', 'hut'] } });
    expect(form[2]?.input).toEqual({ type: 'list', item: { type: 'text' } });
    expect(form[5]?.input).toEqual({ type: 'wref', shapes: ['Location', 'Person'] });
    expect(form[6]?.input).toEqual({ type: 'wref' });
  });

  it('has one line for a text that is short by its limit', () => {
    const inputs = formOf({
      a: { type: 'string', maxLength: 200 },
      b: { type: 'string', maxLength: 201 },
      c: [{ type: 'string', maxLength: 3 }],
    });
    expect(inputs.map(({ input }) => input)).toEqual([
      { type: 'text', isLine: true },
      { type: 'text' },
      { type: 'list', item: { type: 'text', isLine: true } },
    ]);
  });

  it('has words for a choice that is not made', () => {
    const [, kind, tags] = form.map(({ input }) => input);
    if (kind === undefined || tags === undefined) throw new Error('The form lacks fields.');
    expect(unchosen(kind, undefined)).toBe('Choose one of cave, hut.');
    expect(unchosen(kind, 'barn')).toBeUndefined();
    expect(unchosen({ type: 'boolean' }, undefined)).toBe('Choose yes or no.');
    expect(unchosen(tags, undefined)).toBeUndefined();
  });

  it('knows where something can be said against it', () => {
    expect(fieldPointers(form, {})).toEqual([
      '/label',
      '/kind',
      '/tags',
      '/position',
      '/position/x',
      '/position/y',
      '/depth',
      '/next',
      '/any',
      '/more',
    ]);
    const [, , tags] = form;
    expect(fieldPointers(tags === undefined ? [] : [tags], { tags: ['a', null, 'b'] })).toEqual([
      '/tags',
      '/tags/0',
      '/tags/1',
    ]);
    const inside = formOf({ spots: [{ x: 'number' }] });
    expect(fieldPointers(inside, { spots: [{}] })).toEqual(['/spots', '/spots/0', '/spots/0/x']);
  });

  it('begins with what holds other fields, and shows what is not declared', () => {
    expect(emptyOf(form)).toEqual({ position: {} });
    expect(undeclaredIn({ label: 'A', colour: 'red' }, form)).toEqual(['colour']);
    expect(formOf('nonsense')).toEqual([]);
  });

  it('keeps the order of data, and leaves out what was emptied', () => {
    expect(Object.keys(withField({ a: 1, b: 2 }, 'a', 3))).toEqual(['a', 'b']);
    expect(withField({ a: 1, b: 2 }, 'a', undefined)).toEqual({ b: 2 });
    expect(withField(undefined, 'a', 1)).toEqual({ a: 1 });
  });

  it('leaves out what was added to a list and never filled in', () => {
    const data = { label: 'A', tags: ['x', null], position: { x: 1 } };
    expect(filledIn(data, form)).toEqual({ label: 'A', tags: ['x'], position: { x: 1 } });
    expect(filledIn({ tags: [null] }, form)).toEqual({});
  });
});
