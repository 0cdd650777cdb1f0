import { CairnError, type ErrorFields } from '@cairn/protocol/errors';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isFaithfulJson, jsonText, mutatedJsonText } from '../../../test/support/json-text.ts';
import { amount } from '../../../test/support/suite.ts';
import { type DepthOptions, isExactNumber, scanJson } from './json.ts';

function refusalOf(text: string, options?: DepthOptions): ErrorFields | undefined {
  try {
    scanJson(text, options);
  } catch (error) {
    if (error instanceof CairnError) return error.fields;
    throw error;
  }
  return undefined;
}

describe('a JSON text passes', () => {
  it.each([
    'null',
    ' true ',
    '\t\r\n false\n',
    '""',
    '{}',
    '[]',
    '[ ]',
    '{ }',
    '[{}]',
    '"\u007f\u2028é😀"',
    '{"":0}',
    '[1.0, 1e2, 0.10, -0, 0.1, 0.30000000000000004, 5e-324, 9007199254740992]',
    String.raw`["\"\\\/\b\f\n\r\t\u00e9", "\ud83d\uDE00"]`,
    '{"a":{"a":[{"a":1},{"a":2}]},"A":1}',
    String.raw`{"a":1,"\u0062":2,"__proto__":3,"constructor":4}`,
  ])('%s', (text) => {
    expect(refusalOf(text)).toBeUndefined();
    JSON.parse(text);
  });

  it('when one half of a surrogate pair is escaped and the other is not', () => {
    for (const text of ['"\ud83d\\ude00"', '"\\ud83d\ude00"']) expect(refusalOf(text)).toBeUndefined();
  });
});

describe('what parsing would change is refused', () => {
  it.each([
    [
      '{"data":{"n":9007199254740993}}',
      '/data/n',
      'The number 9007199254740993 at /data/n cannot be stored exactly. Send it as a string.',
    ],
    ['1e400', '', 'The number 1e400 at the root cannot be stored exactly. Send it as a string.'],
    [
      '[0, 3.141592653589793238]',
      '/1',
      'The number 3.141592653589793238 at /1 cannot be stored exactly. Send it as a string.',
    ],
    ['[-1e-400]', '/0', 'The number -1e-400 at /0 cannot be stored exactly. Send it as a string.'],
    ['{"a":1,"b":2,"a":3}', '/a', 'The key at /a appears twice in its object. Send it once.'],
    [
      String.raw`[{"a/b":{"x":1,"\u0078":2}}]`,
      '/0/a~1b/x',
      'The key at /0/a~1b/x appears twice in its object. Send it once.',
    ],
    ['{"__proto__":1,"__proto__":1}', '/__proto__', 'The key at /__proto__ appears twice in its object. Send it once.'],
    ['{"":1,"":1}', '/', 'The key at / appears twice in its object. Send it once.'],
  ])('%s', (text, path, message) => {
    expect(refusalOf(text)).toEqual({ code: 'VALIDATION_ERROR', message, details: [{ path, message }] });
    JSON.parse(text);
  });

  it.each([
    [String.raw`{"a":["\ud800"]}`, '/a/0'],
    [String.raw`{"a":["x\uDFFFy"]}`, '/a/0'],
    [String.raw`["\ude00\ud83d"]`, '/0'],
    [String.raw`{"\ud83d\n":1}`, '/\ufffd\n'],
    ['"\ud800"', ''],
    ['["ok 😀", "\ude00"]', '/1'],
    ['{"k\udc00":1}', '/k\ufffd'],
  ])('half of a surrogate pair: %j', (text, path) => {
    const where = path === '' ? 'at the root' : `at ${path}`;
    const message = `The string ${where} contains an unpaired surrogate, which is not a character. Send both halves of the pair, or neither.`;
    expect(refusalOf(text)).toEqual({ code: 'VALIDATION_ERROR', message, details: [{ path, message }] });
    JSON.parse(text);
  });

  it('a key that comes twice among many, wherever it stands', () => {
    for (const count of [2, 7, 8, 9, 10, 1000]) {
      const members = Array.from({ length: count }, (_, index) => `"key${index}":0`);
      expect(refusalOf(`{${members.join()}}`)).toBeUndefined();
      for (const again of [0, 1, Math.floor(count / 2), count - 1]) {
        const details = [{ path: `/key${again}` }];
        expect(refusalOf(`{${members.join()},"key${again}":1}`)).toMatchObject({ details });
      }
    }
  });

  it('nesting beyond 80 levels, or beyond what is asked for', () => {
    const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;
    expect(refusalOf(nested(80))).toBeUndefined();
    expect(refusalOf(nested(82))).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ path: '/0/a'.repeat(40) }] });
    expect(refusalOf('[[],{},[]]', { maxDepth: 2 })).toBeUndefined();
    expect(refusalOf('{"a":[1,[2]]}', { maxDepth: 2 })?.message).toBe(
      'The value at /a/1 is nested more than 2 levels deep. Flatten it.',
    );
  });

  it('nesting without end, and other texts of many megabytes', () => {
    for (const many of [
      `[${'0,'.repeat(1_000_000)}0]`,
      `[${'[],'.repeat(250_000)}0]`,
      `[${'{"a":0},'.repeat(200_001)}0]`,
    ]) {
      expect(refusalOf(many)).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    }
    expect(refusalOf(`[${'0,'.repeat(999_990)}0]`)).toBeUndefined();
    expect(refusalOf('['.repeat(10_000_000))?.message).toContain('is nested more than 80 levels deep');
    expect(refusalOf('{"a":'.repeat(2_000_000))?.message).toContain('is nested more than 80 levels deep');
    const long = refusalOf(`{"n":${'9'.repeat(5_000_000)}}`);
    expect(long?.message).toBe(`The number ${'9'.repeat(80)}... at /n cannot be stored exactly. Send it as a string.`);
    expect(refusalOf(`1${'0'.repeat(5_000_000)}`)?.message).toContain('cannot be stored exactly');
    expect(refusalOf(`0.${'0'.repeat(5_000_000)}`)).toBeUndefined();
    expect(refusalOf(`"${'\\n'.repeat(5_000_000)}"`)).toBeUndefined();
    expect(refusalOf(`${'\n'.repeat(5_000_000)}]`)?.message).toContain('at line 5000001, column 1');
  });
});

describe('a text that is not JSON is refused with the place and what was expected', () => {
  it.each([
    ['', 'a value at line 1, column 1, but found the end.', ''],
    ['  \n  ', 'a value at line 2, column 3, but found the end.', ''],
    ['\ufeff{}', 'a value at line 1, column 1, but found "\ufeff".', ''],
    ['nul', 'a value at line 1, column 1, but found "n".', ''],
    ['truex', 'the end at line 1, column 5, but found "x".', ''],
    ['{} {}', 'the end at line 1, column 4, but found "{".', ''],
    ['[1,]', 'a value at line 1, column 4, but found "]".', '/1'],
    ['[1 2]', '"," or "]" at line 1, column 4, but found "2".', '/0'],
    ['[1', '"," or "]" at line 1, column 3, but found the end.', '/0'],
    ['{"a":1,}', 'a key in double quotes at line 1, column 8, but found "}".', ''],
    ["{'a':1}", 'a key in double quotes at line 1, column 2, but found "\'".', ''],
    ['{"a"}', '":" at line 1, column 5, but found "}".', '/a'],
    ['{"a":}', 'a value at line 1, column 6, but found "}".', '/a'],
    ['{"a":1 "b":2}', '"," or "}" at line 1, column 8, but found "\\"".', '/a'],
    ['{\n  "a": [\n    1,\n    x\n  ]\n}', 'a value at line 4, column 5, but found "x".', '/a/1'],
    ['{\r\n"a": 😀}', 'a value at line 2, column 6, but found "😀".', '/a'],
    ['"abc', 'the closing double quote of a string at line 1, column 5, but found the end.', ''],
    ['"a\\n', 'the closing double quote of a string at line 1, column 5, but found the end.', ''],
    ['"a\nb"', 'an escape such as \\n instead of a control character at line 1, column 3, but found "\\n".', ''],
    ['["\\x"]', 'one of " \\ / b f n r t u after a backslash at line 1, column 4, but found "x".', '/0'],
    ['"\\', 'one of " \\ / b f n r t u after a backslash at line 1, column 3, but found the end.', ''],
    ['"\\u12g4"', 'a hexadecimal digit at line 1, column 6, but found "g".', ''],
    ['{"\\u12"', 'a hexadecimal digit at line 1, column 7, but found "\\"".', ''],
    ['01', 'the end at line 1, column 2, but found "1".', ''],
    ['-', 'a digit at line 1, column 2, but found the end.', ''],
    ['+1', 'a value at line 1, column 1, but found "+".', ''],
    ['.5', 'a value at line 1, column 1, but found ".".', ''],
    ['1.', 'a digit at line 1, column 3, but found the end.', ''],
    ['1e', 'a digit at line 1, column 3, but found the end.', ''],
    ['1e+x', 'a digit at line 1, column 4, but found "x".', ''],
    ['NaN', 'a value at line 1, column 1, but found "N".', ''],
    ['[\u00a01]', 'a value at line 1, column 2, but found "\u00a0".', '/0'],
  ])('%j: expected %s', (text, expected, path) => {
    const message = `This is not JSON: expected ${expected}`;
    const [, line, column] = /line (\d+), column (\d+)/.exec(expected) ?? [];
    const details = [{ path, message, line: Number(line), column: Number(column) }];
    expect(refusalOf(text)).toEqual({ code: 'VALIDATION_ERROR', message, details });
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
  });
});

describe('exactly what JSON.parse takes and keeps is taken', () => {
  it('of what JSON.stringify writes', () => {
    fc.assert(fc.property(fc.json({ stringUnit: 'binary' }), (text) => refusalOf(text) === undefined));
  });

  it('of texts in every spelling', () => {
    fc.assert(
      fc.property(jsonText, (text) => (refusalOf(text) === undefined) === isFaithfulJson(text)),
      { numRuns: amount('JSON_TEXTS', { short: 500, long: 2_000 }) },
    );
  });

  it('of texts with a few characters changed', () => {
    fc.assert(
      fc.property(mutatedJsonText, (text) => (refusalOf(text) === undefined) === isFaithfulJson(text)),
      { numRuns: amount('JSON_MUTATIONS', { short: 1_500, long: 5_000 }) },
    );
  });
});

it.each([
  '0',
  '-0',
  '0.0',
  '-0.00',
  '0e400',
  '0E-400',
  '0e99999999999999999999',
  '1.0',
  '1e2',
  '1E+2',
  '100e-2',
  '0.10',
  '0.1',
  '-0.1',
  '0.30000000000000004',
  '5e-324',
  '0.5e-323',
  '4.9e-1',
  '1.7976931348623157e308',
  '9007199254740992',
  '-9007199254740992',
  '1e23',
  '100000000000000000000000',
  '123456789012345',
])('%s is exact', (text) => {
  expect(isExactNumber(text)).toBe(true);
});

it.each([
  '1e400',
  '-1e400',
  '1e-400',
  '1e99999999999999999999',
  '1e-99999999999999999999',
  '9007199254740993',
  '-9007199254740993',
  '3.141592653589793238',
  '0.1000000000000000055511151231257827',
  '4.9e-324',
  '2e-324',
  '1.7976931348623159e308',
  '123456789012345678',
])('%s is not exact', (text) => {
  expect(isExactNumber(text)).toBe(false);
});

it('a long number is exact when all but a few of its digits are zeros', () => {
  const zeros = (count: number) => '0'.repeat(count);
  for (const text of [`1${zeros(308)}`, `1.${zeros(5000)}`, `0.${zeros(323)}5`]) expect(isExactNumber(text)).toBe(true);
  for (const text of [`1${zeros(309)}`, `1.${zeros(5000)}1`, '9'.repeat(5000)]) expect(isExactNumber(text)).toBe(false);
});

it('every double is exact as it is written, in any spelling', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.nat(400), (number, zeros) => {
      expect(isExactNumber(String(number))).toBe(true);
      const [mantissa = '', exponent = ''] = number.toExponential().split('e');
      const padding = '0'.repeat(zeros);
      const more = mantissa.includes('.') ? padding : `.${padding}0`;
      expect(isExactNumber(`${mantissa}${more}E${exponent}`)).toBe(true);
    }),
  );
});
