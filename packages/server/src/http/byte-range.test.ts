import { expect, it } from 'vitest';
import { readRange } from '../export/export.route.ts';

it.each([
  [undefined, 10, undefined],
  ['bytes=0-3', 10, { first: 0, last: 3 }],
  ['bytes=4-', 10, { first: 4, last: 9 }],
  ['bytes=-4', 10, { first: 6, last: 9 }],
  ['bytes=-40', 10, { first: 0, last: 9 }],
  ['bytes=9-9', 10, { first: 9, last: 9 }],
  ['bytes=0-999999999999999', 10, { first: 0, last: 9 }],
  ['bytes= 0 - 3', 10, { first: 0, last: 3 }],
  ['bytes=10-', 10, 'unsatisfiable'],
  ['bytes=10-11', 10, 'unsatisfiable'],
  ['bytes=-0', 10, 'unsatisfiable'],
  ['bytes=0-', 0, 'unsatisfiable'],
  ['bytes=-1', 0, 'unsatisfiable'],
  ['bytes=5-3', 10, undefined],
  ['bytes=0-1,3-4', 10, undefined],
  ['bytes=-', 10, undefined],
  ['bytes=', 10, undefined],
  ['bytes=a-b', 10, undefined],
  ['bytes=1.5-2', 10, undefined],
  ['bytes=0-9999999999999999999', 10, undefined],
  ['lines=0-3', 10, undefined],
])('reads %s of %s bytes as %o', (header, size, range) => {
  expect(readRange(header, size)).toEqual(range);
});
