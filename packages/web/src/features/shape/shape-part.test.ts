import { expect, it } from 'vitest';
import { partsOf, wholeOf } from './shape-limit.ts';

it('a shape is taken apart by its fields, and put together again', () => {
  const data = { description: 'A place', fields: { label: 'string', 'depth?': { type: 'number' } } };
  const parts = partsOf('shape', data);
  expect(parts).toEqual({
    description: 'A place',
    'fields.label': { label: 'string' },
    'fields.depth': { 'depth?': { type: 'number' } },
  });
  expect(wholeOf('shape', parts)).toEqual(data);
  expect(wholeOf('shape', partsOf('shape', { fields: {} }))).toEqual({ fields: {} });
});

it('any other record is as it is', () => {
  const data = { fields: { x: 1 } };
  expect(partsOf('thing', data)).toBe(data);
  expect(wholeOf('thing', data)).toBe(data);
});
