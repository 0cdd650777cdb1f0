// Exports on their way into a file: they are in FILE.part until they are whole, so that FILE is never half of one.
import { createReadStream, existsSync } from 'node:fs';
import { type FileHandle, open, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ExportHeader, ExportPosition, ExportRow } from '@cairn/sdk';
import { UsageError } from './exit-codes.ts';

export const partOf = (file: string) => `${file}.part`;

export interface OverwriteFlags {
  readonly resume?: true;
  readonly force?: true;
}

/** Before anything is asked for: that the file can be made. What is there is not replaced unless that is said. */
export function checkTarget(file: string, { resume, force }: OverwriteFlags): void {
  const folder = dirname(file);
  if (!existsSync(folder)) throw new UsageError(`There is no folder ${folder}. Make it first, or name another file.`);
  if (force) return;
  if (existsSync(file))
    throw new UsageError(`${file} is there already. Name another file, or replace it with --force.`);
  if (!resume && existsSync(partOf(file))) {
    throw new UsageError(
      `${partOf(file)} is what is left of an export that was cut. Go on with it by --resume, or begin anew with --force.`,
    );
  }
}

/** What to do after a cut, once anything came. */
export function goOnAdvice(file: string): string | undefined {
  if (!existsSync(partOf(file))) return undefined;
  return `What came is kept in ${partOf(file)}. Run the same again with --resume to go on.`;
}

/** What is left of an export that was cut. */
export interface LeftOver {
  readonly header: ExportHeader;
  readonly recordCount: number;
  /** Undefined when there is no row to go on after. */
  readonly position: ExportPosition | undefined;
  readonly isWhole: boolean;
}

const LINE_FEED = 0x0a;

/** Reads what is left in the file, and cuts off the line that came by half. */
export async function readLeftOver(file: string): Promise<LeftOver | undefined> {
  const part = partOf(file);
  if (!existsSync(part)) return undefined;
  const { count, firstEnd, lastBegin, lastEnd } = await lineEndsIn(part);
  if (count === 0) return undefined;
  await using handle = await open(part);
  const header = await readLine<ExportHeader>(handle, { begin: 0, end: firstEnd });
  const last = await readLine<ExportRow | ExportHeader | { type: 'end' }>(handle, { begin: lastBegin, end: lastEnd });
  if (header?.type !== 'header' || last === undefined) {
    throw new UsageError(`${part} is not an export. Begin anew with --force.`);
  }
  await truncate(part, lastEnd);
  const isWhole = last.type === 'end';
  const recordCount = count - (isWhole ? 2 : 1);
  const position = last.type === 'record' ? positionAfter(header, last, recordCount) : undefined;
  return { header, recordCount, position, isWhole };
}

const HEADER_BYTES_MAX = 4_096;

/** What the file that is left is an export of; undefined when there is not that much. */
export async function readLeftHeader(file: string): Promise<ExportHeader | undefined> {
  if (!existsSync(partOf(file))) return undefined;
  await using handle = await open(partOf(file));
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER_BYTES_MAX), 0, HEADER_BYTES_MAX, 0);
  const end = buffer.subarray(0, bytesRead).indexOf(LINE_FEED);
  return end === -1 ? undefined : await readLine<ExportHeader>(handle, { begin: 0, end });
}

function positionAfter(header: ExportHeader, last: ExportRow, recordCount: number): ExportPosition {
  const { atRepoSeq, formatVersion } = header;
  const afterVersion = last.kind === 'shape' ? last.version : undefined;
  return { atRepoSeq, formatVersion, afterDurableId: last.durableId, afterVersion, recordCount };
}

/** How many whole lines there are, and where the first ends and the last stands. */
async function lineEndsIn(path: string) {
  const found = { count: 0, firstEnd: 0, lastBegin: 0, lastEnd: 0 };
  let offset = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) {
      [found.lastBegin, found.lastEnd] = [found.lastEnd, offset + at + 1];
      found.count += 1;
      if (found.count === 1) found.firstEnd = found.lastEnd;
    }
    offset += chunk.length;
  }
  return found;
}

async function readLine<Line>(handle: FileHandle, { begin, end }: { begin: number; end: number }) {
  const { buffer } = await handle.read(Buffer.alloc(end - begin), 0, end - begin, begin);
  try {
    return JSON.parse(buffer.toString('utf8')) as Line;
  } catch {
    return undefined;
  }
}
