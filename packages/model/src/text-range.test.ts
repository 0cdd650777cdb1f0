import fc from 'fast-check';
import { expect, it } from 'vitest';
import { prefixEnd } from './text-range.ts';

const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
const text = fc.string({ unit: 'binary', maxLength: 4 });

it('separates what begins with the prefix from what comes after', () => {
  fc.assert(
    fc.property(text, text, (prefix, other) => {
      fc.pre(prefix.isWellFormed() && other.isWellFormed());
      const end = prefixEnd(prefix);
      const within = compare(other, prefix) >= 0 && (end === undefined || compare(other, end) < 0);
      expect(within).toBe(other.startsWith(prefix));
    }),
  );
});

it.each([
  ['a', 'b'],
  ['a\u{10ffff}', 'b'],
  ['\ud7ff', '\ue000'],
  ['\uffff', '\u{10000}'],
  ['\u{10ffff}', undefined],
  ['', undefined],
])('ends %j at %j', (prefix, end) => {
  expect(prefixEnd(prefix)).toBe(end);
});
