import { describe, expect, it } from 'vitest';
import { declaredField, parseShape } from './shape.ts';

const shape = parseShape({
  fields: JSON.parse(
    `{ "label": "string", "position": { "x": "number", "deep": { "z": "boolean" } }, "tags": ["string"],
       "rows": [{ "cell": "wref" }], "any": "array", "free": "json", "a.b": "boolean", "a/b": "json", "m~n": "array",
       "own": { "__proto__": "number" } }`,
  ),
});

describe('a declared field', () => {
  it.each([
    ['label', 'string'],
    ['/label', 'string'],
    ['position', 'object'],
    ['position.x', 'number'],
    ['/position/x', 'number'],
    ['position.deep.z', 'boolean'],
    ['/tags/0', 'string'],
    ['tags.17', 'string'],
    ['/rows/2/cell', 'wref'],
    ['rows.2.cell', 'wref'],
    ['/a.b', 'boolean'],
    ['/a~1b', 'json'],
    ['/m~0n', 'array'],
    ['own.__proto__', 'number'],
  ])('is found at %s', (path, type) => {
    expect(declaredField(shape, path)?.type).toBe(type);
  });

  it.each([
    ...['', '/', '.', 'label.', '/label/', 'Label', 'label.x', 'position.y', '/position.x', 'position/x', 'a.b'],
    ...['/tags/-', '/tags/01', 'tags.x', '/any/0', '/free/x', 'rows.cell'],
    ...['__proto__', '/constructor', 'position.constructor', '/position/hasOwnProperty'],
  ])('is not found at %j', (path) => {
    expect(declaredField(shape, path)).toBeUndefined();
  });
});
