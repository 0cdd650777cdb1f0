import { pointerTo, pointerTokens } from '@cairn/model/json-pointer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { valueAt, withValues } from './json.ts';

const data: unknown = JSON.parse(
  '{ "a": { "b": [10, { "c": null }] }, "x/y": 1, "m~n": 2, "~1": 3, "": { "": 4 }, "__proto__": { "z": 5 }, "s": "text" }',
);

describe('a JSON pointer', () => {
  it.each<[string, unknown]>([
    ['', data],
    ['/a/b/0', 10],
    ['/a/b/1/c', null],
    ['/x~1y', 1],
    ['/m~0n', 2],
    ['/~01', 3],
    ['/', { '': 4 }],
    ['//', 4],
    ['/__proto__/z', 5],
  ])('%j reads a value', (pointer, value) => {
    expect(valueAt(data, pointer)).toEqual(value);
  });

  it.each([
    ...['a', '/A', '/a/b/2', '/a/b/-1', '/a/b/00', '/a/b/1.0', '/a/b/length', '/a/b/1/c/d', '/s/0', '/s/length'],
    ...['/constructor', '/a/__proto__', '/a/toString', '/a/b/map', '/a/b/constructor', '/__proto__/__proto__'],
  ])('%j reads nothing', (pointer) => {
    expect(valueAt(data, pointer)).toBeUndefined();
  });

  it('goes through any names, and back', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (names) => {
        expect(pointerTokens(names.reduce(pointerTo, ''))).toEqual(names);
      }),
    );
  });
});

describe('data with other values', () => {
  const source = JSON.parse('{"a":{"b":[1,2,{"c":3}],"kept":{}},"__proto__":{"d":4},"e~/":5}');

  it('has them, shares the rest, and leaves the source alone', () => {
    const before = JSON.stringify(source);
    const values = new Map([
      ['/a/b/2/c', 'x'],
      ['/a/b/0', 'y'],
      ['/__proto__/d', 'z'],
      ['/e~0~1', 'w'],
    ]);
    const made = withValues(source, values) as typeof source;
    expect(JSON.stringify(made)).toBe('{"a":{"b":["y",2,{"c":"x"}],"kept":{}},"__proto__":{"d":"z"},"e~/":"w"}');
    expect(made.a.kept).toBe(source.a.kept);
    expect(JSON.stringify(source)).toBe(before);
  });

  it('is the same where there are none', () => {
    expect(withValues(source, new Map())).toBe(source);
  });
});
