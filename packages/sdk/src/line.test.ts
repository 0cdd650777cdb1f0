import { array, assert, asyncProperty, constantFrom, integer, string } from 'fast-check';
import { expect, it } from 'vitest';
import { listOf } from '../../../test/support/sdk-world.ts';
import { countLines, splitFirst, splitLast, textLines, wholeLines } from './line.ts';

async function* pieces(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let offset = 0;
  for (const size of [...sizes, bytes.length]) {
    yield bytes.subarray(offset, offset + size);
    offset += size;
  }
}

const text = string({ unit: 'grapheme' }).map((line) => line.replaceAll('\n', ' '));

it('finds the same lines, wherever the bytes are cut', async () => {
  await assert(
    asyncProperty(
      array(text),
      constantFrom('', 'half'),
      array(integer({ min: 0, max: 7 })),
      async (lines, half, cuts) => {
        const bytes = new TextEncoder().encode(lines.map((line) => `${line}\n`).join('') + half);
        const found: string[] = [];
        const source = wholeLines(pieces(bytes, cuts));
        for (;;) {
          const { done, value } = await source.next();
          if (done) expect(new TextDecoder().decode(value)).toBe(half);
          if (done) break;
          expect(textLines(value)).toHaveLength(countLines(value));
          found.push(...textLines(value));
        }
        expect(found).toEqual(lines);
      },
    ),
  );
});

it('takes a line of a mebibyte that comes byte by byte, and refuses one that never ends', async () => {
  const line = 'ü'.repeat(512 * 1024);
  const bytes = new TextEncoder().encode(`${line}\n`);
  const found = await listOf(wholeLines(pieces(bytes, new Array(5_000).fill(1))));
  expect(found.flatMap(textLines)).toEqual([line]);
  const endless = async function* () {
    for (;;) yield new Uint8Array(8 * 1024 * 1024);
  };
  await expect(listOf(wholeLines(endless()))).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
});

it('takes some lines apart at the first and at the last', () => {
  const texts = (parts: Uint8Array[]) => parts.map((part) => new TextDecoder().decode(part));
  const lines = new TextEncoder().encode('a\nb\nc\n');
  expect(texts(splitFirst(lines))).toEqual(['a\n', 'b\nc\n']);
  expect(texts(splitLast(lines))).toEqual(['a\nb\n', 'c\n']);
  const one = new TextEncoder().encode('\n');
  expect([texts(splitFirst(one)), texts(splitLast(one))]).toEqual([
    ['\n', ''],
    ['', '\n'],
  ]);
});
