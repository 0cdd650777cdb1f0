// Files of lines, which can be gone on with after any of them.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { UsageError } from './exit-codes.ts';

const LINE_FEED = 0x0a;
/** Large, so that little is done for each. */
const READ_BYTES = 256 * 1024;

/** Bytes; undefined of what has no size, such as a pipe. */
export async function sizeOf(file: string): Promise<number | undefined> {
  const found = await stat(file).catch((error: Error) => {
    throw new UsageError(`Cannot read ${file}: ${error.message}.`);
  });
  if (found.isDirectory()) throw new UsageError(`${file} is a folder. Name a file, or - for standard input.`);
  return found.isFile() ? found.size : undefined;
}

export interface LinesAfter {
  readonly stream: Readable;
  /** How many bytes are before them. */
  readonly start: number;
}

/** What comes after the first lines of a file. */
export async function linesAfter(file: string, lineCount: number): Promise<LinesAfter> {
  const start = lineCount === 0 ? 0 : await endOfLine(file, lineCount);
  return { stream: createReadStream(file, { start, highWaterMark: READ_BYTES }), start };
}

/** Where the nth line ends. They are counted, not read. */
async function endOfLine(file: string, nth: number): Promise<number> {
  let [line, read, endsWithLine] = [0, 0, true];
  for await (const chunk of createReadStream(file, { highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>) {
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) {
      line += 1;
      if (line === nth) return read + at + 1;
    }
    read += chunk.length;
    endsWithLine = chunk.at(-1) === LINE_FEED;
  }
  // The last line need not have an end.
  if (!endsWithLine) line += 1;
  if (line === nth) return read;
  throw new UsageError(
    `The stream has ${nth} lines already, and ${file} has only ${line}. Is it the file that the stream was begun with?`,
  );
}
