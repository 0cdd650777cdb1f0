// Splits NDJSON bytes into lines, wherever chunks end. In UTF-8, no other character contains the line feed byte, so
// lines are found without decoding.
import { fail } from '@cairn/protocol/errors';

export type Bytes = Uint8Array<ArrayBufferLike>;

const LINE_FEED = 0x0a;
/** No real row is this long. Longer input is not an export, and must not fill the memory. */
const LINE_BYTES_MAX = 64 * 1024 * 1024;

/** Yields the chunks of a body or a file. Releases the source at its end, or when the consumer stops. */
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

/** Yields one or more whole lines at a time, with their line ends. Returns the remainder without a line end. */
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
      throw fail('PAYLOAD_TOO_LARGE', { message: 'A line is longer than 64 MiB. This is not an export.' });
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

export function splitFirst(lines: Bytes): [first: Bytes, others: Bytes] {
  const end = lines.indexOf(LINE_FEED) + 1;
  return [lines.subarray(0, end), lines.subarray(end)];
}

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

export function textLines(lines: Bytes): string[] {
  const texts = decoder.decode(lines).split('\n');
  // The text after the last line end is empty.
  if (texts.at(-1) === '') texts.pop();
  return texts;
}
