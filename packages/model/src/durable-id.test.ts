import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32c, formatDurableId, parseDurableId } from './wref.ts';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const HIGHEST = 2 ** 48 - 1;
const id = fc.oneof(
  fc.maxSafeNat().map((number) => number % 2 ** 48),
  fc.nat(1000),
  fc.nat(1000).map((n) => HIGHEST - n),
);
const parts = fc.record({ repoId: id, recordId: id }, { noNullPrototype: true });

function withCharacter(text: string, { at, character }: { at: number; character: string }): string {
  return text.slice(0, at) + character + text.slice(at + 1);
}

describe('durable IDs', () => {
  // Fixed for ever, because other people's documents hold such ids.
  it.each([
    [{ repoId: 0, recordId: 0 }, '00000000000000000000NP1DAX'],
    [{ repoId: 1, recordId: 1 }, '00000000010000000006RGG6MP'],
    [{ repoId: 12_345, recordId: 6_789 }, '0000000C1S0000000TGMBTPQ23'],
    [{ repoId: HIGHEST, recordId: HIGHEST }, '7ZZZZZZZZZZZZZZZZZZWXV01NJ'],
  ])('of %j is %s', (given, text) => {
    expect(formatDurableId(given)).toBe(text);
    expect(parseDurableId(text)).toEqual(given);
  });

  it('have the bits in the documented order', () => {
    fc.assert(
      fc.property(parts, ({ repoId, recordId }) => {
        const text = formatDurableId({ repoId, recordId });
        let bits = 0n;
        for (const digit of text) bits = bits * 32n + BigInt(ALPHABET.indexOf(digit));
        expect(text).toMatch(/^[0-7][0-9A-Z]{25}$/);
        expect(bits >> 80n).toBe(BigInt(repoId));
        expect((bits >> 32n) & 0xffff_ffff_ffffn).toBe(BigInt(recordId));
      }),
    );
  });

  it('give back what they are made of', () => {
    fc.assert(
      fc.property(parts, (given) => {
        expect(parseDurableId(formatDurableId(given))).toEqual(given);
      }),
    );
  });

  it('sort as the records of a repository were made', () => {
    fc.assert(
      fc.property(id, id, id, (repoId, first, second) => {
        fc.pre(first < second);
        expect(formatDurableId({ repoId, recordId: first }) < formatDurableId({ repoId, recordId: second })).toBe(true);
      }),
    );
  });

  it('are refused when any one character is changed', () => {
    fc.assert(
      fc.property(parts, (given) => {
        const text = formatDurableId(given);
        for (let at = 0; at < text.length; at += 1) {
          for (const character of ALPHABET) {
            if (text[at] !== character) expect(parseDurableId(withCharacter(text, { at, character }))).toBeUndefined();
          }
        }
      }),
      { numRuns: 20 },
    );
  });

  it('are refused when they are anything else', () => {
    const text = formatDurableId({ repoId: 7, recordId: 77 });
    for (const other of [
      '',
      text.slice(1),
      `${text}0`,
      ` ${text}`,
      `${text}\n`,
      text.toLowerCase(),
      `8${text.slice(1)}`,
    ]) {
      expect(parseDurableId(other), JSON.stringify(other)).toBeUndefined();
    }
    for (const character of 'ILOU-_é') {
      expect(parseDurableId(withCharacter(text, { at: 3, character })), character).toBeUndefined();
    }
    fc.assert(fc.property(fc.string(), (other) => parseDurableId(other) === undefined));
  });

  it.each([-1, 2 ** 48, 1.5, Number.NaN])('are not made of %d', (wrong) => {
    expect(() => formatDurableId({ repoId: wrong, recordId: 1 })).toThrow(RangeError);
    expect(() => formatDurableId({ repoId: 1, recordId: wrong })).toThrow(RangeError);
  });
});

it.each([
  ['123456789', 0xe3069283],
  ['', 0],
  ['a', 0xc1d04330],
  ['\0'.repeat(32), 0x8a9136aa],
])('the CRC-32C of %j is the published one', (text, crc) => {
  expect(crc32c(text)).toBe(crc);
});
