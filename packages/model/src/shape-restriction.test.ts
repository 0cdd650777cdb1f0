import { expect, it } from 'vitest';
import { restrictionsIn } from './field-definition.ts';

it('finds every shape that a definition asks for, and where', () => {
  const fields = {
    owner: { type: 'wref', shape: 'Person' },
    'any?': { type: 'wref', shape: ['Person', 'Robot'] },
    links: { type: 'array', items: { type: 'wref', shape: 'Link' } },
    short: [{ type: 'wref', shape: 'Short' }],
    place: { shape: { type: 'wref', shape: 'Inner' }, 'a/b': 'wref' },
    plain: 'string',
  };
  expect(restrictionsIn({ fields })).toEqual([
    { path: '/fields/owner/shape', shapeName: 'Person' },
    { path: '/fields/any?/shape/0', shapeName: 'Person' },
    { path: '/fields/any?/shape/1', shapeName: 'Robot' },
    { path: '/fields/links/items/shape', shapeName: 'Link' },
    { path: '/fields/short/0/shape', shapeName: 'Short' },
    { path: '/fields/place/shape/shape', shapeName: 'Inner' },
  ]);
  expect(restrictionsIn({})).toEqual([]);
  expect(restrictionsIn(null)).toEqual([]);
});
