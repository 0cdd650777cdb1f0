import { pointerTo } from '@cairn/model/json-pointer';
import { describe, expect, it } from 'vitest';
import { parseShape } from './shape.ts';
import { compileShape } from './shape-validator.ts';

describe('the wref fields of a shape', () => {
  const { visitWrefs } = compileShape(
    parseShape({
      fields: {
        label: 'string',
        owner: { type: 'wref', shape: 'Person' },
        'links?': { type: 'array', items: { type: 'wref', shape: ['Page', 'Site'] } },
        nested: { 'a/b': 'wref?', free: 'json' },
        grid: [[{ cell: 'wref' }]],
        any: 'array',
      },
    }),
  );

  const found = (data: unknown) => {
    const values: Record<string, unknown> = {};
    visitWrefs?.(data, (value, tokens, { shapes }) => {
      values[tokens.reduce<string>(pointerTo, '')] = shapes === undefined ? value : [value, ...shapes];
    });
    return values;
  };

  it.each<[string, unknown, Record<string, unknown>]>([
    [
      'values, with the shapes that they may have',
      { owner: 'P/a', links: ['L/a', 'L/b'] },
      { '/owner': ['P/a', 'Person'], '/links/0': ['L/a', 'Page', 'Site'], '/links/1': ['L/b', 'Page', 'Site'] },
    ],
    [
      'nested values',
      { nested: { 'a/b': 'X/y' }, grid: [[], [{ cell: 'C/d' }]] },
      { '/nested/a~1b': 'X/y', '/grid/1/0/cell': 'C/d' },
    ],
    ['nothing that is null or absent', { owner: null, links: [null], nested: null, grid: [null, [null, {}]] }, {}],
    ['nothing in free content', { nested: { free: { owner: 'P/a' } }, any: ['P/a'] }, {}],
    ['nothing in data of another form', { owner: undefined, links: 'L/a', nested: [], grid: {} }, {}],
    ['nothing where there is no object', 'P/a', {}],
    ['nothing that is inherited', Object.create({ owner: 'P/a' }), {}],
  ])('lead to %s', (_, data, expected) => {
    expect(found(data)).toEqual(expected);
  });

  it('are not looked for where there are none', () => {
    expect(compileShape(parseShape({ fields: { a: 'string', b: [{ c: 'json' }] } })).visitWrefs).toBeUndefined();
  });
});
