import { describe, expect, it } from 'vitest';
import { EACH_ITEM, valuesAlong } from './field-path.ts';
import { parseShape } from './shape-definition.ts';
import { compileShape } from './shape-validator.ts';

describe('the wref fields of a shape', () => {
  const { wrefFields } = compileShape(
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

  it('are listed with the shapes that they allow, arrays included', () => {
    expect(wrefFields).toEqual([
      { steps: ['owner'], shapes: ['Person'] },
      { steps: ['links', EACH_ITEM], shapes: ['Page', 'Site'] },
      { steps: ['nested', 'a/b'], shapes: undefined },
      { steps: ['grid', EACH_ITEM, EACH_ITEM, 'cell'], shapes: undefined },
    ]);
  });

  it.each<[string, unknown, Record<string, unknown>]>([
    ['values', { owner: 'P/a', links: ['L/a', 'L/b'] }, { '/owner': 'P/a', '/links/0': 'L/a', '/links/1': 'L/b' }],
    [
      'nested values',
      { nested: { 'a/b': 'X/y' }, grid: [[], [{ cell: 'C/d' }]] },
      { '/nested/a~1b': 'X/y', '/grid/1/0/cell': 'C/d' },
    ],
    ['nothing that is null or absent', { owner: null, links: [null], nested: null, grid: [null, [null, {}]] }, {}],
    ['nothing in free content', { nested: { free: { owner: 'P/a' } }, any: ['P/a'] }, {}],
    ['nothing in data of another form', { owner: undefined, links: 'L/a', nested: [], grid: {} }, {}],
    ['nothing where there is no object', 'P/a', {}],
  ])('lead to %s', (_, data, expected) => {
    const found = wrefFields.flatMap(({ steps }) => valuesAlong(data, steps));
    expect(Object.fromEntries(found.map(({ path, value }) => [path, value]))).toEqual(expected);
  });
});

describe('the indexed fields of a shape', () => {
  it('are listed by pointer, with their types', () => {
    const validator = compileShape(
      parseShape({
        fields: {
          a: { type: 'string', indexed: true },
          'b?': { type: 'number', indexed: true },
          c: { 'd/e': { type: 'boolean', indexed: true }, f: { type: 'string', indexed: false } },
          g: { type: 'wref?', indexed: true },
          h: ['string'],
        },
      }),
    );
    expect(validator.indexedFields).toEqual([
      { path: '/a', type: 'string' },
      { path: '/b', type: 'number' },
      { path: '/c/d~1e', type: 'boolean' },
      { path: '/g', type: 'wref' },
    ]);
  });
});
