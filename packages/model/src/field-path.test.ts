import { describe, expect, it } from 'vitest';
import { parseShape } from './shape.ts';
import { compileShape } from './shape-validator.ts';

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
