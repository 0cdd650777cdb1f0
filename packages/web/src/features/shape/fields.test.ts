import { ANY_SHAPE } from '@cairn/model/declaration';
import { describe, expect, it } from 'vitest';
import { fieldsOf } from './fields.ts';

const plain = { isOptional: false, isIndexed: false, constraints: [] };

describe('the fields of a shape', () => {
  it('are read in every form that a shape can have', () => {
    const fields = fieldsOf({
      label: 'string',
      'severity?': 'number',
      note: 'string?',
      owner: { type: 'wref', shape: 'Person' },
      'tags?': ['string'],
      links: { type: 'array', items: 'wref', minItems: 1, maxItems: 10 },
      free: 'json',
      anything: 'array',
    });
    expect(fields).toEqual([
      { ...plain, path: 'label', pointer: '/label', type: 'string' },
      { ...plain, path: 'owner', pointer: '/owner', type: 'reference', refersTo: ['Person'] },
      {
        ...plain,
        path: 'links',
        pointer: '/links',
        type: 'array of references',
        refersTo: [ANY_SHAPE],
        constraints: ['1 to 10 items'],
      },
      { ...plain, path: 'free', pointer: '/free', type: 'json' },
      { ...plain, path: 'anything', pointer: '/anything', type: 'array' },
      { ...plain, path: 'severity', pointer: '/severity', type: 'number', isOptional: true },
      { ...plain, path: 'note', pointer: '/note', type: 'string', isOptional: true },
      { ...plain, path: 'tags', pointer: '/tags', type: 'array of string', isOptional: true },
    ]);
  });

  it('stand under their paths when they are nested, also within arrays', () => {
    const fields = fieldsOf({
      position: { x: 'number', 'y?': 'number' },
      stops: [{ place: { type: 'wref', shape: ['Location', 'Town'] }, 'days?': [['number']] }],
    });
    expect(fields.map(({ path, type, isOptional }) => [path, type, isOptional])).toEqual([
      ['position', 'object', false],
      ['position.x', 'number', false],
      ['position.y', 'number', true],
      ['stops', 'array of object', false],
      ['stops[].place', 'reference', false],
      ['stops[].days', 'array of array of number', true],
    ]);
    expect(fields[4]?.refersTo).toEqual(['Location', 'Town']);
  });

  it('say their constraints in words', () => {
    const fields = fieldsOf({
      status: { type: 'string', enum: ['open', 'done'], description: 'How far it is' },
      score: { type: 'number', minimum: 0, maximum: 1, integer: true, indexed: true },
      code: { type: 'string', pattern: '^[A-Z]{2}$', minLength: 3, maxLength: 12 },
      least: { type: 'number', minimum: 2 },
      most: { type: 'string', maxLength: 1 },
      ends: { type: 'array', items: { type: 'string?', enum: ['a'] }, minItems: 2, maxItems: 2 },
    });
    expect(fields.map(({ constraints }) => constraints)).toEqual([
      ['one of open, done'],
      ['a whole number', '0 to 1'],
      ['matches ^[A-Z]{2}$', '3 to 12 characters'],
      ['at least 2'],
      ['at most 1 character'],
      ['exactly 2 items', 'each one of a', 'each may be null'],
    ]);
    expect(fields[0]?.description).toBe('How far it is');
    expect(fields[1]?.isIndexed).toBe(true);
  });

  it('take the type of a nested object that has a field called so', () => {
    expect(fieldsOf({ a: { type: { type: 'string' } }, b: { 'type?': 'string' } }).map(({ path }) => path)).toEqual([
      'a',
      'a.type',
      'b',
      'b.type',
    ]);
  });

  it('name by pointer what dots would make ambiguous, and leave out shapes that are hidden', () => {
    const [dotted, hidden] = fieldsOf({ 'a.b': 'string', to: { type: 'wref', shape: [null, 'Person'] } });
    expect(dotted?.path).toBe('/a.b');
    expect(hidden?.refersTo).toEqual(['Person']);
  });

  it.each([[null], [undefined], ['string'], [[]], [7]])('are none of %j', (fields) => {
    expect(fieldsOf(fields)).toEqual([]);
  });

  it('do not stop at what no shape can have', () => {
    expect(fieldsOf({ a: null, b: 7, c: [] }).map(({ type }) => type)).toEqual(['unknown', 'unknown', 'array']);
    expect(fieldsOf(JSON.parse('{"__proto__":"string"}'))[0]?.path).toBe('__proto__');
  });
});
