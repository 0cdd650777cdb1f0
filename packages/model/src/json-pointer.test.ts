import type { Difference } from '@cairn/protocol/read';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findDifferences, jsonPointerAt, pointerTokens, toJsonPointer } from './json-pointer.ts';

it('escapes what a pointer is made of, and halves of surrogate pairs', () => {
  expect(toJsonPointer([])).toBe('');
  expect(toJsonPointer(['a/b', 'm~n', '~1', '', 0, '\ud800'])).toBe('/a~1b/m~0n/~01//0/\ufffd');
});

describe('the pointer at an offset', () => {
  // The ^ marks the offset.
  it.each([
    ['^1', ''],
    ['^"a"', ''],
    [' ^{"a": 1}', ''],
    ['{"a": ^1}', '/a'],
    ['{"a": ^"x"}', '/a'],
    ['{^"a": 1}', '/a'],
    ['{"a": 1, ^"b": 2}', '/b'],
    ['{"a": 1, "b": ^{}}', '/b'],
    ['{"a": {"c": 1}, "b": ^2}', '/b'],
    ['{"a": {"c": 1}, ^}', ''],
    ['[^1]', '/0'],
    ['[[], {}, ^3]', '/2'],
    ['[[1, 2], {"a": [0, [^"x"]]}]', '/1/a/1/0'],
    ['{"a\\"/,[~": [^1]}', '/a"~1,[~0/0'],
    ['{"\\u0061": ^1}', '/a'],
    ['{"a": ["[,{", ^1]}', '/a/1'],
    ['{"a": "b^', '/a'],
    ['{"a^', ''],
    ['{"a"^', '/a'],
  ])('%s', (marked, pointer) => {
    const offset = marked.indexOf('^');
    expect(jsonPointerAt(marked.replace('^', ''), offset)).toBe(pointer);
  });
});

type Parent = Record<string, unknown> | unknown[];

function applied(before: unknown, differences: readonly Difference[]): unknown {
  const box: Record<string, unknown> = { whole: structuredClone(before) };
  // Removals come last, because an array loses items only at its end.
  for (const { path, change, after } of differences.toSorted(byRemoval)) {
    const tokens = ['whole', ...pointerTokens(path)];
    const last = String(tokens.pop());
    const parent = tokens.reduce<unknown>((value, token) => (value as Record<string, unknown>)[token], box) as Parent;
    if (change !== 'removed') define(parent, last, after);
    else if (Array.isArray(parent)) parent.length = Math.min(parent.length, Number(last));
    else delete parent[last];
  }
  return box.whole;
}

const byRemoval = (a: Difference, b: Difference) => Number(b.change === 'removed') - Number(a.change === 'removed');

/** Not by assignment, because a key named __proto__ must become an own property. */
function define(parent: Parent, token: string, value: unknown): void {
  Object.defineProperty(parent, token, { value, enumerable: true, configurable: true, writable: true });
}

const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const pairs = fc.oneof(
  fc.tuple(json, json),
  fc
    .tuple(fc.dictionary(fc.constantFrom('a', 'b', 'c~/', '__proto__'), json), json, fc.constantFrom('a', 'b'))
    .map(([object, value, key]) => [object, { ...object, [key]: value }] as const),
  fc.tuple(fc.array(json), fc.array(json)).map(([items, more]) => [items, [...items, ...more]] as const),
);

describe('differences', () => {
  it('lead from one value to the other', () => {
    fc.assert(
      fc.property(pairs, ([before, after]) => {
        expect(applied(before, findDifferences(before, after))).toEqual(after);
        expect(applied(after, findDifferences(after, before))).toEqual(before);
      }),
    );
  });

  it('are none between equals, and none holds two that are', () => {
    fc.assert(
      fc.property(pairs, ([before, after]) => {
        expect(findDifferences(before, structuredClone(before))).toEqual([]);
        for (const one of findDifferences(before, after)) expect(one.before).not.toEqual(one.after);
      }),
    );
  });

  it('are as small as members and items are', () => {
    const before = { a: { b: 1, c: [1, 2, 3] }, gone: null, 'a/b~': 1 };
    const after = { a: { b: 2, c: [1, 5] }, 'a/b~': 2, fresh: {} };
    expect(findDifferences(before, after)).toEqual([
      { path: '/a/b', change: 'changed', before: 1, after: 2 },
      { path: '/a/c/1', change: 'changed', before: 2, after: 5 },
      { path: '/a/c/2', change: 'removed', before: 3 },
      { path: '/gone', change: 'removed', before: null },
      { path: '/a~1b~0', change: 'changed', before: 1, after: 2 },
      { path: '/fresh', change: 'added', after: {} },
    ]);
  });
});
