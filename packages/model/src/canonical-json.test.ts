import { isDeepStrictEqual } from 'node:util';
import { CairnError } from '@cairn/protocol/errors';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from './json.ts';

const canonicalText = (text: string) => canonicalJson(JSON.parse(text));

function refusalOf(value: unknown, options?: { maxDepth: number }): unknown {
  try {
    canonicalJson(value, options);
  } catch (error) {
    if (error instanceof CairnError) return error.fields;
    throw error;
  }
  return undefined;
}

describe('examples of RFC 8785', () => {
  it('section 3.2.2: numbers, strings and words', () => {
    const text = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`;
    expect(canonicalText(text)).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  it('section 3.2.3: keys by UTF-16 code units', () => {
    const text = String.raw`{
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face",
      "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis"
    }`;
    const names = [...canonicalText(text).matchAll(/:"([^"]*)"/g)].map(([, name]) => name);
    expect(names).toEqual([
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ]);
  });

  // RFC 8785, appendix B: the bits of the double, and its text.
  it.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('appendix B: %s is %s', (bits, text) => {
    expect(canonicalJson(Buffer.from(bits, 'hex').readDoubleBE())).toBe(text);
  });
});

describe('canonical JSON', () => {
  it.each([
    ['{"b":1,"a":{"d":[],"c":{}}}', '{"a":{"c":{},"d":[]},"b":1}'],
    ['{"a":{"d":1,"c":2},"b":1}', '{"a":{"c":2,"d":1},"b":1}'],
    ['[{"a":1},{"c":1,"b":2},[{"e":1,"d":2}]]', '[{"a":1},{"b":2,"c":1},[{"d":2,"e":1}]]'],
    ['{"9":1,"10":2}', '{"10":2,"9":1}'],
    ['{"a":{"9":1,"10":2},"1":[]}', '{"1":[],"a":{"10":2,"9":1}}'],
    ['{"b":[{"a":-0}],"9":1,"10":2}', '{"10":2,"9":1,"b":[{"a":0}]}'],
    ['{"":1,"A":2,"a":3,"B":4}', '{"":1,"A":2,"B":4,"a":3}'],
    ['{"toString":1,"constructor":2,"__proto__":3}', '{"__proto__":3,"constructor":2,"toString":1}'],
    ['{"toJSON":1,"__proto__":{"b":1,"a":2}}', '{"__proto__":{"a":2,"b":1},"toJSON":1}'],
    ['{"__proto__":{"b":1,"a":2},"c":null}', '{"__proto__":{"a":2,"b":1},"c":null}'],
    ['{"__proto__":null}', '{"__proto__":null}'],
    ['-0', '0'],
    ['"\\u2028\\ud83d\\ude00\\/\\u001f"', '"\u2028😀/\\u001f"'],
    ['null', 'null'],
  ])('of %s is %s', (text, canonical) => {
    expect(canonicalText(text)).toBe(canonical);
    expect(canonicalText(canonical)).toBe(canonical);
  });

  it('leaves its argument as it is', () => {
    const value = { b: [{ d: 1, c: 2 }], a: 1 };
    canonicalJson(value);
    expect(JSON.stringify(value)).toBe('{"b":[{"d":1,"c":2}],"a":1}');
  });

  it('refuses what is nested deeper than 64 levels, or than it is told, and says where', () => {
    const nested = (depth: number): unknown => (depth === 0 ? 'core' : { in: nested(depth - 1) });
    expect(refusalOf(nested(64))).toBeUndefined();
    const path = '/in'.repeat(64);
    expect(refusalOf(nested(65))).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ path }] });
    const message = 'The value at /b/1 is nested more than 2 levels deep. Flatten it.';
    expect(refusalOf({ b: [1, [2]], a: [[3], 4] }, { maxDepth: 2 })).toMatchObject({ details: [{ path: '/a/0' }] });
    expect(refusalOf({ b: [1, [2]], a: [3] }, { maxDepth: 2 })).toEqual({
      code: 'VALIDATION_ERROR',
      message,
      details: [{ path: '/b/1', message }],
    });
    expect(refusalOf([], { maxDepth: 0 })).toMatchObject({ details: [{ path: '' }] });
  });

  it.each([[undefined], [Number.NaN], [Number.POSITIVE_INFINITY], [1n], [() => 1]])('has no form for %s', (value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError);
    expect(() => canonicalJson({ b: [value], a: 1 })).toThrow(TypeError);
  });
});

describe('for any value', () => {
  // Text, so that keys such as `__proto__` and `10` come out of JSON.parse as they would from a request.
  const key = fc.oneof(
    fc.constantFrom('__proto__', 'constructor', 'toString', '9', '10', ''),
    fc.string({ unit: 'binary' }),
  );
  type Members = [string, unknown][];
  const { tree } = fc.letrec<{ tree: unknown; members: Members }>((tie) => ({
    members: fc.uniqueArray(fc.tuple(key, tie('tree')), {
      selector: ([name]) => name,
      maxLength: 6,
    }) as fc.Arbitrary<Members>,
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(
        fc.constant(null),
        fc.boolean(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.string({ unit: 'binary' }),
      ),
      fc.array(tie('tree'), { maxLength: 4 }),
      tie('members').map((members) => new Map(members)),
    ),
  }));

  type Order = (keys: string[]) => string[];

  function write(value: unknown, order: Order): string {
    if (Array.isArray(value)) return `[${value.map((item) => write(item, order)).join(',')}]`;
    if (!(value instanceof Map)) return JSON.stringify(value);
    const keys = order([...value.keys()]);
    return `{${keys.map((name) => `${JSON.stringify(name)}:${write(value.get(name), order)}`).join(',')}}`;
  }

  const asMade: Order = (keys) => keys;
  const sorted: Order = (keys) => keys.toSorted((left, right) => (left < right ? -1 : 1));

  it('parses back to the same value', () => {
    fc.assert(
      fc.property(tree, (value) => {
        const parsed = JSON.parse(write(value, asMade));
        return isDeepStrictEqual(JSON.parse(canonicalJson(parsed)), parsed);
      }),
    );
  });

  it('is the text with sorted keys, whatever order they came in', () => {
    fc.assert(
      fc.property(tree, fc.infiniteStream(fc.boolean()), (value, coins) => {
        const shuffled: Order = (keys) => keys.toSorted(() => (coins.next().value ? 1 : -1));
        for (const order of [asMade, shuffled, sorted]) {
          expect(canonicalText(write(value, order))).toBe(write(value, sorted));
        }
      }),
    );
  });
});
