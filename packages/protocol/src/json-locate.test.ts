import { describe, expect, it } from 'vitest';
import { jsonPointerAt, toJsonPointer } from './json-pointer.ts';

it('escapes what a pointer is made of, and halves of surrogate pairs', () => {
  expect(toJsonPointer([])).toBe('');
  expect(toJsonPointer(['a/b', 'm~n', '~1', '', 0, '\ud800'])).toBe('/a~1b/m~0n/~01//0/\ufffd');
});

describe('the pointer at an offset', () => {
  // The offset is where ^ stands.
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
