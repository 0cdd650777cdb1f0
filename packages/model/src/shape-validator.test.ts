import { pointerTo, pointerTokens } from '@cairn/model/json-pointer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyJson, shapeWithData } from '../../../test/support/shape-arbitrary.ts';
import { isJsonObject, valueAt } from './json.ts';
import { type Field, type Fields, parseShape } from './shape.ts';
import { compileShape } from './shape-validator.ts';

const validate = (fields: unknown, data: unknown) => compileShape(parseShape({ fields })).validate(data);
const problemsOf = (fields: unknown, data: unknown) => validate(fields, data).problems;
const messagesOf = (field: unknown, value: unknown) =>
  problemsOf({ v: field }, { v: value }).map(({ path, message }) => {
    expect(path).toBe('/v');
    return message;
  });

const ASTRAL = '🜁';

describe('a value', () => {
  it.each<[unknown, unknown[]]>([
    ['string', ['', 'text', ASTRAL]],
    ['number', [0, -0, 1.5, -1e300]],
    ['boolean', [true, false]],
    ['wref', ['Person/ada', 'x'.repeat(1024), ASTRAL.repeat(1024)]],
    ['array', [[], [1, null, 'x', {}]]],
    ['json', [0, '', false, [null], { a: { b: [] } }]],
    [['number'], [[], [1, 2]]],
    [['number?'], [[1, null]]],
    [['json'], [[1, {}]]],
    [{}, [{}]],
    [{ x: 'number' }, [{ x: 1 }]],
    ['string?', ['x', null, undefined]],
    [{ type: 'array?', items: 'string' }, [null, []]],
    [{ type: 'string', minLength: 2, maxLength: 3 }, ['ab', 'abc', ASTRAL.repeat(2), ASTRAL.repeat(3)]],
    [{ type: 'string', enum: ['a', 'b'] }, ['a', 'b']],
    [{ type: 'string', pattern: 'b+' }, ['b', 'abba']],
    [{ type: 'string', pattern: '^.$' }, [ASTRAL, 'a']],
    [{ type: 'number', minimum: 0, maximum: 1 }, [0, 0.5, 1]],
    [{ type: 'number', integer: true }, [3, -3, 1e300]],
    [{ type: 'number', enum: [0, 2] }, [0, -0, 2]],
    [{ type: 'boolean', enum: [true] }, [true]],
    [{ type: 'array', minItems: 1, maxItems: 2 }, [[0], [0, 0]]],
  ])('fits %j', (field, values) => {
    for (const value of values) expect(messagesOf(field, value)).toEqual([]);
  });

  it.each<[unknown, unknown, string]>([
    ['string', 3, 'expected a string, got 3'],
    ['string', null, 'expected a string, got null'],
    ['string', undefined, 'missing, expected a string'],
    ['string', ['a'], 'expected a string, got an array of 1 item'],
    ['string?', {}, 'expected a string, got an object'],
    ['number', 'three', 'expected a number, got "three"'],
    ['number', '3', 'expected a number, got "3"'],
    ['number', Number.NaN, 'expected a number, got NaN'],
    ['number', 'x'.repeat(100), `expected a number, got "${'x'.repeat(58)}…`],
    ['number', `${'x'.repeat(57)}${ASTRAL}${ASTRAL}`, `expected a number, got "${'x'.repeat(57)}…`],
    ['boolean', 0, 'expected true or false, got 0'],
    ['wref', '', 'expected a wref, got ""'],
    ['wref', 7, 'expected a wref, got 7'],
    ['wref', 'x'.repeat(1025), 'expected at most 1,024 characters, got 1,025'],
    ['array', { 0: 'x' }, 'expected an array, got an object'],
    ['json', null, 'expected a value, got null'],
    ['json', undefined, 'missing, expected a value'],
    [{ x: 'number?' }, [], 'expected an object, got an array of 0 items'],
    [{ x: 'number?' }, 'x', 'expected an object, got "x"'],
    [{ x: 'number' }, undefined, 'missing, expected an object'],
    [{ type: 'string', minLength: 3 }, 'ab', 'expected at least 3 characters, got "ab"'],
    [{ type: 'string', minLength: 3 }, ASTRAL.repeat(2), `expected at least 3 characters, got "${ASTRAL.repeat(2)}"`],
    [{ type: 'string', maxLength: 1 }, ASTRAL.repeat(2), 'expected at most 1 character, got 2'],
    [{ type: 'string', enum: ['open', 'done'] }, 'shut', 'expected one of "open", "done", got "shut"'],
    [{ type: 'string', enum: ['open', 'done'] }, undefined, 'missing, expected one of "open", "done"'],
    [{ type: 'number', enum: [0, 2] }, 'none', 'expected one of 0, 2, got "none"'],
    [{ type: 'string', pattern: '^a$' }, 'ba', 'expected a match of ^a$, got "ba"'],
    [{ type: 'number', minimum: 0 }, -1, 'expected at least 0, got -1'],
    [{ type: 'number', maximum: 1 }, 1.5, 'expected at most 1, got 1.5'],
    [{ type: 'number', integer: true }, 1.5, 'expected a whole number, got 1.5'],
    [{ type: 'number', enum: [1, 2] }, 3, 'expected one of 1, 2, got 3'],
    [{ type: 'boolean', enum: [true] }, false, 'expected one of true, got false'],
    [{ type: 'array', minItems: 1 }, [], 'expected at least 1 item, got an array of 0 items'],
    [{ type: 'array', maxItems: 1 }, [1, 2], 'expected at most 1 item, got an array of 2 items'],
  ])('does not fit %j: %j', (field, value, message) => {
    expect(messagesOf(field, value)).toEqual([message]);
  });

  it('has one problem for each constraint that fails', () => {
    const field = { type: 'string', minLength: 3, pattern: '^[A-Z]', enum: ['ABC', 'DEF'] };
    expect(messagesOf(field, 'x')).toEqual([
      'expected at least 3 characters, got "x"',
      'expected a match of ^[A-Z], got "x"',
      'expected one of "ABC", "DEF", got "x"',
    ]);
    expect(messagesOf({ type: 'number', minimum: 1, integer: true }, 0.5)).toHaveLength(2);
  });

  it('is told in short from a long list', () => {
    const choices = Array.from({ length: 1000 }, (_, index) => index);
    expect(messagesOf({ type: 'number', enum: choices }, -1)).toEqual([
      'expected one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, …, got -1',
    ]);
  });

  it('is matched in linear time, whatever the pattern', () => {
    const field = { type: 'string', pattern: '(a+)+$' };
    const text = 'a'.repeat(4_095);
    expect(messagesOf(field, text)).toEqual([]);
    expect(messagesOf(field, `${text}b`)).toHaveLength(1);
    expect(messagesOf(field, 'a'.repeat(4_097))).toEqual([expect.stringContaining('at most 4,096 characters')]);
  });
});

describe('data', () => {
  it.each([null, undefined, 'x', 7, true, [], [{}]])('that is no object has one problem: %j', (data) => {
    const { problems, undeclaredFields } = validate({ a: 'string', b: 'string' }, data);
    expect(problems.map(({ path }) => path)).toEqual(['']);
    expect(undeclaredFields).toEqual([]);
  });

  it('has its problems where they are', () => {
    const fields = { a: { 'b/c': ['number'] }, rows: [{ x: 'number', 'y?': 'string' }], 'o?': { p: 'string' } };
    const data = { a: { 'b/c': [1, 'two', null] }, rows: [{ x: 1 }, { y: 2 }, 3], o: {} };
    expect(problemsOf(fields, data)).toEqual([
      { path: '/a/b~1c/1', message: 'expected a number, got "two"' },
      { path: '/a/b~1c/2', message: 'expected a number, got null' },
      { path: '/rows/1/x', message: 'missing, expected a number' },
      { path: '/rows/1/y', message: 'expected a string, got 2' },
      { path: '/rows/2', message: 'expected an object, got 3' },
      { path: '/o/p', message: 'missing, expected a string' },
    ]);
  });

  it('keeps fields that the shape does not declare, and names them', () => {
    const fields = { a: 'string', o: { x: 'number' }, rows: [{}], free: 'json', any: 'array' };
    const data = {
      a: '',
      z: 1,
      o: { x: 1, 'y/z': { deep: 1 } },
      rows: [{}, { q: 1 }],
      free: { p: 1 },
      any: [{ r: 1 }],
    };
    expect(validate(fields, data)).toEqual({ problems: [], undeclaredFields: ['/z', '/o/y~1z', '/rows/1/q'] });
  });

  it('lists at most 100 problems and 100 undeclared fields', () => {
    const rows = Array.from({ length: 500 }, () => ({ x: 'one', y: 1 }));
    const { problems, undeclaredFields } = validate({ rows: [{ x: 'number' }] }, { rows });
    expect(problems).toHaveLength(100);
    expect(undeclaredFields).toHaveLength(100);
  });

  it('is not mistaken for what objects inherit', () => {
    const fields: unknown = JSON.parse('{ "__proto__": "number", "constructor": "string", "toString?": "number" }');
    expect(problemsOf(fields, {}).map(({ path }) => path)).toEqual(['/__proto__', '/constructor']);
    expect(validate(fields, JSON.parse('{ "__proto__": 1, "constructor": "" }'))).toEqual({
      problems: [],
      undeclaredFields: [],
    });
    expect(validate({}, JSON.parse('{ "__proto__": {}, "constructor": 1 }')).undeclaredFields).toEqual([
      '/__proto__',
      '/constructor',
    ]);
    expect(validate({ a: 'string' }, Object.create({ a: 'inherited', b: 1 }))).toEqual({
      problems: [{ path: '/a', message: 'missing, expected a string' }],
      undeclaredFields: [],
    });
  });

  it('is validated each time anew', () => {
    const validator = compileShape(parseShape({ fields: { a: { b: 'number' } } }));
    expect(validator.validate({ a: { b: 'x' } }).problems).toHaveLength(1);
    expect(validator.validate({ a: { b: 1 } })).toEqual({ problems: [], undeclaredFields: [] });
  });
});

function requiredPaths(fields: Fields, data: unknown, path = ''): string[] {
  return [...fields].flatMap(([name, field]) => {
    const at = pointerTo(path, name);
    const value = valueAt(data, pointerTo('', name));
    return [...(field.optional ? [] : [at]), ...requiredInside(field, value, at)];
  });
}

function requiredInside(field: Field, value: unknown, path: string): string[] {
  if (field.type === 'object' && isJsonObject(value)) return requiredPaths(field.fields, value, path);
  const { items } = field.type === 'array' ? field : {};
  if (items === undefined || !Array.isArray(value)) return [];
  return value.flatMap((item, index) => requiredInside(items, item, pointerTo(path, index)));
}

function without(data: unknown, pointer: string): unknown {
  const copy = structuredClone(data);
  const name = pointerTokens(pointer).at(-1) ?? '';
  const parent = valueAt(copy, pointer.slice(0, pointer.lastIndexOf('/')));
  expect(Reflect.deleteProperty(parent as object, name)).toBe(true);
  return copy;
}

describe('any shape', () => {
  it('takes the data that was made for it', () => {
    fc.assert(
      fc.property(shapeWithData, ({ definition, data }) => {
        expect(compileShape(parseShape(definition)).validate(data)).toEqual({ problems: [], undeclaredFields: [] });
      }),
    );
  });

  it('misses a required field exactly where it was', () => {
    fc.assert(
      fc.property(shapeWithData, fc.nat(), ({ definition, data }, choice) => {
        const shape = parseShape(definition);
        const required = requiredPaths(shape.fields, data);
        const path = required[choice % required.length];
        fc.pre(path !== undefined);
        const { problems } = compileShape(shape).validate(without(data, path));
        expect(problems).toEqual([{ path, message: expect.stringMatching(/^missing, expected /) }]);
      }),
    );
  });

  it('gives an answer about any JSON', () => {
    fc.assert(
      fc.property(shapeWithData, anyJson, ({ definition, data }, json) => {
        const validator = compileShape(parseShape(definition));
        const mixed = isJsonObject(json) ? { ...data, ...json } : json;
        for (const value of [json, mixed]) {
          const { problems, undeclaredFields } = validator.validate(value);
          expect(isJsonObject(value) || problems.length === 1).toBe(true);
          // Every pointer exists in the data: it names the problem, or at least the parent of a missing field.
          for (const path of undeclaredFields) expect(valueAt(value, path)).toBeDefined();
          for (const { path } of problems) expect(valueAt(value, path.slice(0, path.lastIndexOf('/')))).toBeDefined();
        }
      }),
    );
  });
});
