import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TEST_SEED } from '../../../../test/support/seed.ts';
import { type ChunkLimits, CollectedLines } from './line-chunks.route.ts';
import type { LineChunk } from './submission.ts';

const WIDE: ChunkLimits = { lineBytes: 100, chunkLines: 1_000, chunkBytes: 10_000 };

interface Collected {
  readonly chunks: LineChunk[];
  readonly isTooLong: boolean;
}

function collect(pieces: readonly Uint8Array[], limits: ChunkLimits): Collected {
  const lines = new CollectedLines(limits);
  const chunks: LineChunk[] = [];
  for (let rest of pieces) {
    while (rest.length > 0) {
      rest = rest.subarray(lines.add(rest));
      if (lines.isTooLong) return { chunks: lines.lineCount > 0 ? [...chunks, lines.take()] : chunks, isTooLong: true };
      if (lines.isFull) chunks.push(lines.take());
    }
  }
  lines.endLine();
  if (lines.lineCount > 0) chunks.push(lines.take());
  return { chunks, isTooLong: false };
}

const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = ({ bytes }: LineChunk) => new TextDecoder().decode(bytes);

describe('collected lines', () => {
  it.each<[name: string, text: string, limits: Partial<ChunkLimits>, chunks: string[]]>([
    ['no more lines than a chunk has', 'a\nb\nc\nd\ne', { chunkLines: 2 }, ['a\nb\n', 'c\nd\n', 'e\n']],
    ['no more bytes than a chunk has', 'aa\nbb\ncc\n', { chunkBytes: 6 }, ['aa\nbb\n', 'cc\n']],
    ['one line of more bytes than a chunk has', 'aaaaaaaaa\nb\n', { chunkBytes: 4 }, ['aaaaaaaaa\n', 'b\n']],
    ['blank lines', '\n\n\na\n\n', { chunkLines: 3 }, ['\n\n\n', 'a\n\n']],
    ['blank lines up to the bytes of a chunk', '\n\n\n\n', { chunkBytes: 3 }, ['\n\n\n', '\n']],
    ['line ends of two characters', 'a\r\nb\r\n', { chunkLines: 1 }, ['a\r\n', 'b\r\n']],
    ['a last line without an end', 'a', {}, ['a\n']],
    ['nothing', '', {}, []],
    ['characters of several bytes', 'ä\n🪨\n', {}, ['ä\n🪨\n']],
  ])('hold %s', (_, text, limits, expected) => {
    for (const size of [1, 2, 3, 100]) {
      const bytes = bytesOf(text);
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
        bytes.subarray(n * size, (n + 1) * size),
      );
      expect(collect(pieces, { ...WIDE, ...limits }).chunks.map(textOf)).toEqual(expected);
    }
  });

  it.each([
    ['alone', 'aaaa\n', ''],
    ['after others', 'a\nb\naaaa\nc\n', 'a\nb\n'],
    ['without an end', 'aaa\naaaa', 'aaa\n'],
    ['with more than fits beside the lines before it', 'a\naaaaaaaaaaaaaaa', 'a\n'],
  ])('end before a line that is too long, %s', (_, text, before) => {
    for (const pieces of [[bytesOf(text)], [...bytesOf(text)].map((byte) => Uint8Array.of(byte))]) {
      const { chunks, isTooLong } = collect(pieces, { ...WIDE, lineBytes: 3, chunkBytes: 8 });
      expect([chunks.map(textOf).join(''), isTooLong]).toEqual([before, true]);
    }
  });

  it('have memory of their own, which is given away with them', () => {
    const [first, second] = collect([bytesOf('a\nb\nc')], { ...WIDE, chunkLines: 1 }).chunks;
    expect(first?.bytes.buffer).not.toBe(second?.bytes.buffer);
    structuredClone(first?.bytes, { transfer: first === undefined ? [] : [first.bytes.buffer] });
    expect(textOf(second as LineChunk)).toBe('b\n');
  });

  it('are the lines that were sent, wherever these were cut', () => {
    const text = fc.array(fc.constantFrom('', 'x', '{}', 'long line', '\r', 'ö'), { maxLength: 40 });
    const cuts = fc.array(fc.nat(200), { maxLength: 20 });
    const limits = fc.record({
      lineBytes: fc.constant(20),
      chunkLines: fc.integer({ min: 1, max: 10 }),
      chunkBytes: fc.integer({ min: 1, max: 60 }),
    });
    fc.assert(
      fc.property(text, cuts, fc.boolean(), limits, (lines, places, hasEnd, given) => {
        const whole = lines.join('\n') + (hasEnd ? '\n' : '');
        const bytes = bytesOf(whole);
        const ends = [...places.filter((place) => place < bytes.length).sort((a, b) => a - b), bytes.length];
        const pieces = ends.map((end, n) => bytes.subarray(ends[n - 1] ?? 0, end));
        const { chunks } = collect(pieces, given);
        expect(chunks.map(textOf).join('')).toBe(whole === '' || whole.endsWith('\n') ? whole : `${whole}\n`);
        for (const chunk of chunks) {
          expect(textOf(chunk).split('\n').length - 1).toBe(chunk.lineCount);
          expect(chunk.lineCount).toBeLessThanOrEqual(given.chunkLines);
          if (chunk.lineCount > 1) expect(chunk.bytes.length).toBeLessThanOrEqual(given.chunkBytes);
        }
      }),
      { seed: TEST_SEED, numRuns: 500 },
    );
  });
});
