// Lines of NDJSON out of bytes that come cut anywhere. A line end is one byte that no other character holds, so that
// lines are found without decoding.
import { fail } from '@cairn/protocol/errors';

export type Bytes = Uint8Array<ArrayBufferLike>;

const LINE_FEED = 0x0a;
/** No row is near that long; what is, is no export, and must not fill the memory. */
const LINE_BYTES_MAX = 64 * 1024 * 1024;

/** What a body or a file gives, until it ends or nobody wants more of it: then it is let go. */
export async function* chunksOf(source: AsyncIterable<Bytes> | ReadableStream<Bytes>): AsyncGenerator<Bytes, void> {
  if (!('getReader' in source)) return yield* source;
  const reader = source.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** Pieces of one or more whole lines, with their line ends; gives what was left without one. */
export async function* wholeLines(chunks: AsyncIterable<Bytes>): AsyncGenerator<Bytes, Bytes> {
  let begun: Bytes[] = [];
  let begunBytes = 0;
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) {
      yield joined([...begun, chunk.subarray(0, end)]);
      [begun, begunBytes] = [[], 0];
    }
    begun.push(chunk.subarray(end));
    begunBytes += chunk.length - end;
    if (begunBytes > LINE_BYTES_MAX) {
      throw fail('PAYLOAD_TOO_LARGE', { message: 'A line is longer than 64 MiB. This is no export.' });
    }
  }
  return joined(begun);
}

export function joined(parts: readonly Bytes[]): Bytes {
  const [only = new Uint8Array(), ...more] = parts.filter(({ length }) => length > 0);
  if (more.length === 0) return only;
  const whole = new Uint8Array([only, ...more].reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of [only, ...more]) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

/** The first of some whole lines, and the others. */
export function splitFirst(lines: Bytes): [first: Bytes, others: Bytes] {
  const end = lines.indexOf(LINE_FEED) + 1;
  return [lines.subarray(0, end), lines.subarray(end)];
}

/** The last of some whole lines, and those before it. */
export function splitLast(lines: Bytes): [before: Bytes, last: Bytes] {
  const end = lines.lastIndexOf(LINE_FEED, -2) + 1;
  return [lines.subarray(0, end), lines.subarray(end)];
}

export function countLines(lines: Bytes): number {
  let count = 0;
  for (let end = lines.indexOf(LINE_FEED); end !== -1; end = lines.indexOf(LINE_FEED, end + 1)) count += 1;
  return count;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Some whole lines, without their line ends. */
export function textLines(lines: Bytes): string[] {
  const texts = decoder.decode(lines).split('\n');
  // After the last line end.
  if (texts.at(-1) === '') texts.pop();
  return texts;
}
