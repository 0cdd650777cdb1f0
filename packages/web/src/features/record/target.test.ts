import { describe, expect, it } from 'vitest';
import { targetsOf } from './wref.ts';

describe('what a record refers to', () => {
  it('is known by identity, each once, as far as it is in this repository', () => {
    const record = {
      data: { to: 'Place/a@v1', 'a/b': ['Place/b@v2', 'wh:acme/other/Place/c@v1'], again: 'Place/a@v3' },
      refs: [
        ['/to', 'AAA@v1'],
        ['/a~1b/0', 'BBB@v2'],
        ['/a~1b/1', 'CCC@v1'],
        ['/again', 'AAA@v3'],
        ['/none/there', 'DDD@v1'],
      ] satisfies [string, string][],
      aboutWref: 'Place/e@v1',
      aboutDurableId: 'EEE@v1',
    };
    expect(targetsOf(record)).toEqual(['EEE', 'AAA', 'BBB']);
    expect(targetsOf({ data: {}, aboutWref: null })).toEqual([]);
  });
});
