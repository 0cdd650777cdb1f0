import { CairnError } from '@cairn/protocol/errors';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyField, anyJson } from '../../../test/support/shape-arbitrary.ts';
import type { Problem } from './problem.ts';
import { declaredField, parseShape } from './shape.ts';

function problemsOf(definition: unknown): readonly Problem[] {
  try {
    parseShape(definition);
  } catch (error) {
    if (!(error instanceof CairnError)) throw error;
    expect(error.code).toBe('VALIDATION_ERROR');
    return error.details as readonly Problem[];
  }
  return [];
}

const pathsOf = (definition: unknown) => problemsOf(definition).map(({ path }) => path);

function nested(levels: number): unknown {
  return levels === 0 ? 'string' : { inner: nested(levels - 1) };
}

function manyFields(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, 'number']));
}

describe('a shape', () => {
  it('is read in every form of the design', () => {
    const shape = parseShape({
      description: 'Things to do',
      fields: {
        label: 'string',
        'severity?': 'number',
        note: 'string?',
        status: { type: 'string', enum: ['open', 'done'], description: 'Where it stands' },
        score: { type: 'number?', minimum: 0, maximum: 1, integer: false, indexed: true },
        code: { type: 'string', pattern: '^[A-Z]{2}[0-9]+$', minLength: 3, maxLength: 12 },
        owner: { type: 'wref', shape: 'Person' },
        'tags?': ['string'],
        links: { type: 'array', items: { type: 'wref', shape: ['Page', 'Site'] }, minItems: 1, maxItems: 10 },
        position: { x: 'number', y: 'number' },
        extra: 'json',
      },
    });
    expect(shape.description).toBe('Things to do');
    expect([...shape.fields].filter(([, { optional }]) => optional).map(([name]) => name)).toEqual([
      ...['severity', 'note', 'score', 'tags'],
    ]);
    expect(shape.fields.get('status')).toMatchObject({ enum: ['open', 'done'], description: 'Where it stands' });
    expect(shape.fields.get('score')).toMatchObject({ minimum: 0, maximum: 1, integer: false, indexed: true });
    expect(shape.fields.get('code')).toMatchObject({ pattern: '^[A-Z]{2}[0-9]+$', minLength: 3, maxLength: 12 });
    expect(shape.fields.get('owner')).toMatchObject({ type: 'wref', shapes: ['Person'] });
    expect(shape.fields.get('tags')).toMatchObject({ type: 'array', items: { type: 'string', optional: false } });
    expect(shape.fields.get('links')).toMatchObject({ items: { shapes: ['Page', 'Site'] }, minItems: 1, maxItems: 10 });
    expect(declaredField(shape, 'position.x')).toMatchObject({ type: 'number' });
    expect(shape.fields.get('extra')).toMatchObject({ type: 'json', optional: false });
  });

  it('takes a field called type in long form, or as optional', () => {
    const shape = parseShape({
      fields: { a: { type: { type: 'string' }, x: 'number' }, b: { 'type?': 'string' }, c: { type: 'string?' } },
    });
    expect(declaredField(shape, 'a.type')).toMatchObject({ type: 'string', optional: false });
    expect(declaredField(shape, 'b.type')).toMatchObject({ type: 'string', optional: true });
    expect(declaredField(shape, 'c')).toMatchObject({ type: 'string', optional: true });
  });

  it.each<[string, unknown]>([
    ['no fields', {}],
    ['names that objects inherit', JSON.parse('{ "__proto__": "string", "constructor?": "number", "toString": {} }')],
    ['names of any characters', { 'a/b': 'string', '~': 'string', 'x.y': 'string', '?x': 'string', '🜁': 'string' }],
    ['a name of 256 characters', { ['🜁'.repeat(256)]: 'string' }],
    ['a name that ends in ?', { 'sure??': 'boolean' }],
    ['an array of arrays of objects', { grid: [[{ x: 'number' }]] }],
    ['items that may be null', { tags: ['string?'], more: { type: 'array', items: { type: 'number?' } } }],
    ['an object that only inherits a type', { a: Object.create({ type: 'text' }) }],
    ['bounds that are equal', { a: { type: 'number', minimum: 1, maximum: 1 } }],
    ['enums of each type', { a: { type: 'number', enum: [1, -2.5] }, b: { type: 'boolean', enum: [true] } }],
    ['indexed fields', { a: { type: 'wref', indexed: true }, b: { c: { type: 'boolean', indexed: true } } }],
    ['indexed false inside an array', { a: [{ type: 'string', indexed: false }] }],
    ['a pattern of 1,000 characters', { a: { type: 'string', pattern: 'a'.repeat(1000) } }],
    ['a description of 2,000 characters', { a: { type: 'json', description: '🜁'.repeat(2000) } }],
    ['nesting of 16', nested(16)],
    ['1,000 fields', manyFields(1000)],
  ])('may have %s', (_, fields) => {
    expect(problemsOf({ fields })).toEqual([]);
  });
});

describe('what is no shape is refused where it is wrong', () => {
  it.each<[string, unknown, string[]]>([
    ['text', 'string', ['']],
    ['null', null, ['']],
    ['an array', [], ['']],
    ['no fields', {}, ['/fields']],
    ['fields that are a list', { fields: ['string'] }, ['/fields']],
    ['an unknown key', { fields: {}, 'indexes/x': [] }, ['/indexes~1x']],
    ['a description that is too long', { fields: {}, description: 'x'.repeat(2001) }, ['/description']],
    ['inherited fields', Object.create({ fields: {} }), ['/fields']],
  ])('%s', (_, definition, paths) => {
    expect(pathsOf(definition)).toEqual(paths);
  });

  it.each<[string, unknown, string[]]>([
    ['an unknown type', { a: 'text', 'b?': 'object' }, ['/fields/a', '/fields/b?']],
    ['an unknown type in an object', { a: { type: 'text', minimum: 1 } }, ['/fields/a/type']],
    ['two question marks', { a: 'string??' }, ['/fields/a']],
    ['a name that objects inherit as a type', { a: 'constructor', b: '__proto__' }, ['/fields/a', '/fields/b']],
    ['neither text nor array nor object', { a: null, b: 3, c: true }, ['/fields/a', '/fields/b', '/fields/c']],
    ['arrays of none and of two', { a: [], b: ['string', 'number'] }, ['/fields/a', '/fields/b']],
    ['a wrong item', { a: ['text'], b: [[7]] }, ['/fields/a/0', '/fields/b/0/0']],
    ['a wrong nested field', { a: { b: { 'c/d': 'x' } } }, ['/fields/a/b/c~1d']],
    ['a field declared twice', { a: 'string', 'a?': 'string' }, ['/fields/a?']],
    ['a nested field declared twice', { o: { 'a?': 'string', a: 'string' } }, ['/fields/o/a?']],
    ['empty names', { '': 'string', o: { '?': 'string' } }, ['/fields', '/fields/o']],
    ['a name of 257 characters', { ['a'.repeat(257)]: 'string' }, ['/fields']],
    ['nesting of 17', nested(17), [`/fields${'/inner'.repeat(17)}`]],
    [
      'arrays nested 17 deep',
      { a: JSON.parse(`${'['.repeat(17)}"string"${']'.repeat(17)}`) },
      [`/fields/a${'/0'.repeat(16)}`],
    ],
    ['1,001 fields', manyFields(1001), ['/fields']],
    ['1,001 fields in all', { a: manyFields(500), b: [manyFields(499)], c: 'text' }, ['/fields']],
  ])('fields: %s', (_, fields, paths) => {
    expect(pathsOf({ fields })).toEqual(paths);
  });

  it.each<[Record<string, unknown>, string[]]>([
    [{ type: 'string', foo: 1, 'min/imum': 2 }, ['/foo', '/min~1imum']],
    [JSON.parse('{ "type": "json", "__proto__": 1 }'), ['/__proto__']],
    [{ type: 'string', minimum: 1, maximum: 2, integer: true }, ['/minimum', '/maximum', '/integer']],
    [{ type: 'string', minItems: 1, maxItems: 2, items: 'string' }, ['/minItems', '/maxItems', '/items']],
    [{ type: 'string', shape: 'Person' }, ['/shape']],
    [{ type: 'number', minLength: 1, maxLength: 2, pattern: 'a' }, ['/minLength', '/maxLength', '/pattern']],
    [{ type: 'boolean', minimum: 0, pattern: 'a' }, ['/minimum', '/pattern']],
    [{ type: 'wref', enum: ['Person/ada'], pattern: 'a' }, ['/enum', '/pattern']],
    [{ type: 'array', enum: [[]], indexed: true, minLength: 1 }, ['/enum', '/indexed', '/minLength']],
    [{ type: 'json', indexed: false, enum: [1], items: 'json' }, ['/indexed', '/enum', '/items']],
    [{ type: 'number', minimum: '0', maximum: null, integer: 1 }, ['/minimum', '/maximum', '/integer']],
    [{ type: 'number', minimum: 2, maximum: 1 }, ['/minimum']],
    [{ type: 'string', minLength: -1, maxLength: 1.5 }, ['/minLength', '/maxLength']],
    [{ type: 'string', minLength: 3, maxLength: 2 }, ['/minLength']],
    [{ type: 'array', minItems: 3, maxItems: 2 }, ['/minItems']],
    [{ type: 'array', minItems: 2 ** 53, maxItems: '2' }, ['/minItems', '/maxItems']],
    [{ type: 'array', items: { type: 'number', minimum: 'x' } }, ['/items/minimum']],
    [{ type: 'array', items: null }, ['/items']],
    [{ type: 'string', enum: [] }, ['/enum']],
    [{ type: 'string', enum: 'open' }, ['/enum']],
    [{ type: 'string', enum: ['a', 1, null, ['b']] }, ['/enum/1', '/enum/2', '/enum/3']],
    [{ type: 'number', enum: ['1', 2] }, ['/enum/0']],
    [{ type: 'boolean', enum: [true, 0] }, ['/enum/1']],
    [{ type: 'string', pattern: 7 }, ['/pattern']],
    [{ type: 'string', pattern: '(' }, ['/pattern']],
    [{ type: 'string', pattern: '(?=lookahead)' }, ['/pattern']],
    [{ type: 'string', pattern: '(a)\\1' }, ['/pattern']],
    [{ type: 'string', pattern: 'a'.repeat(1001) }, ['/pattern']],
    [{ type: 'string', pattern: '\\pL{1000}'.repeat(3) }, ['/pattern']],
    [{ type: 'wref', shape: '' }, ['/shape']],
    [{ type: 'wref', shape: 'Person/ada' }, ['/shape']],
    [{ type: 'wref', shape: [] }, ['/shape']],
    [{ type: 'wref', shape: ['Person', '9', 7] }, ['/shape/1', '/shape/2']],
    [{ type: 'string', indexed: 'yes' }, ['/indexed']],
    [{ type: 'array', items: { type: 'string', indexed: true } }, ['/items/indexed']],
    [{ type: 'array', items: { x: { type: 'string', indexed: true } } }, ['/items/x/indexed']],
    [{ type: 'string', description: 7 }, ['/description']],
    [{ type: 'string', description: 'x'.repeat(2001) }, ['/description']],
  ])('keywords: %j', (definition, paths) => {
    expect(pathsOf({ fields: { a: definition } })).toEqual(paths.map((path) => `/fields/a${path}`));
  });

  it('with a message for each problem, and the first one in the error', () => {
    const definition = { fields: { score: { type: 'string', minimum: 0, minLenght: 1 }, kind: 'enum' } };
    const taken = 'which takes type, description, indexed, enum, pattern, minLength, maxLength';
    expect(problemsOf(definition)).toEqual([
      { path: '/fields/score/minimum', message: `minimum is not allowed with string, ${taken}` },
      { path: '/fields/score/minLenght', message: `unknown key "minLenght" of a string, ${taken}` },
      { path: '/fields/kind', message: 'expected one of string, number, boolean, wref, array, json, got "enum"' },
    ]);
    expect(() => parseShape(definition)).toThrow(
      `This is not a shape: /fields/score/minimum: minimum is not allowed with string, ${taken} (and 2 more problems).`,
    );
    expect(() => parseShape(7)).toThrow('This is not a shape: expected an object with fields, got 7.');
  });

  it('when its patterns are too large together', () => {
    const field = { type: 'string', pattern: 'a{350}b{350}' };
    const fields = { a: field, b: field, c: field, d: field, e: field, f: { ...field, pattern: 'a' } };
    expect(problemsOf({ fields })).toEqual([
      { path: '/fields/e/pattern', message: 'the pattern is too large together with the patterns before it' },
      { path: '/fields/f/pattern', message: 'not checked, because the patterns before it are too large together' },
    ]);
  });

  it('with at most 1,000 problems', () => {
    expect(problemsOf({ fields: { a: { type: 'number', enum: Array(5000).fill('x') } } })).toHaveLength(1000);
  });
});

describe('any JSON', () => {
  it('is either a shape or refused', () => {
    fc.assert(
      fc.property(anyJson, (json) => {
        problemsOf(json);
        problemsOf({ fields: json });
      }),
    );
  });

  it('beside a sound field leaves that field without a problem', () => {
    fc.assert(
      fc.property(anyField, anyJson, (field, json) => {
        const paths = pathsOf({ fields: { sound: field, other: json } });
        expect(paths.filter((path) => !path.startsWith('/fields/other'))).toEqual([]);
      }),
    );
  });
});
