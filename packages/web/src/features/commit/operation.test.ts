import { describe, expect, it } from 'vitest';
import { namesAfter, summaryOf } from './commit.ts';

const operations = [
  { operation: 'add', name: 'Location/cave' },
  { operation: 'add', name: 'Location/hut' },
  { operation: 'rename', submittedName: 'Location/cave', name: 'Location/cavern' },
  { operation: 'rename', submittedName: 'Location/cavern', name: 'Location/hall' },
  { operation: 'add', name: 'Location/cave' },
];

describe('the operations of a commit', () => {
  it('are counted by what they did', () => {
    expect(summaryOf(operations)).toBe('3 added, 2 renamed');
    expect(summaryOf([])).toBe('');
  });

  it('are about records that may be called otherwise in the end', () => {
    expect(namesAfter(operations)).toEqual([
      'Location/hall',
      'Location/hut',
      'Location/hall',
      'Location/hall',
      'Location/cave',
    ]);
  });
});
