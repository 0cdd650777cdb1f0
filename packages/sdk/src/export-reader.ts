// An export as it stands in a file, in groups of rows that one request can carry.
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { ExportEnd, ExportHeader } from '@cairn/protocol/export';
import { type Bytes, chunksOf, textLines, wholeLines } from './line.ts';

/** The bytes of an export, such as a file of it. */
export type ExportBytes = AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;

export type ReadPart =
  | { readonly type: 'header'; readonly header: ExportHeader }
  | RowGroup
  | { readonly type: 'end'; readonly end: ExportEnd };

interface RowGroup {
  readonly type: 'rows';
  readonly rows: readonly string[];
}

const ROWS_MAX = 1_000;
const CHARACTERS_MAX = 1024 * 1024;
/** A row has identities and hashes and is longer; an end mark is not. */
const END_CHARACTERS_MAX = 100;

export async function* readExport(source: ExportBytes): AsyncGenerator<ReadPart, void> {
  let line = 0;
  let end: ExportEnd | undefined;
  const group = createGroup();
  for await (const texts of linesOf(source)) {
    for (const text of texts) {
      line += 1;
      if (line === 1) yield { type: 'header', header: headerOf(text) };
      if (line === 1 || text === '') continue;
      if (end !== undefined) throw wrongLine(line, 'stands after the one that says that the export is complete');
      end = endOf(text);
      if (end === undefined) yield* group.add(text);
    }
  }
  yield* group.rest();
  if (end === undefined) throw noEnd(line);
  yield { type: 'end', end };
}

/** Collects rows, and gives them away when they are enough for a request. One that is larger goes by itself. */
function createGroup() {
  let rows: string[] = [];
  let characters = 0;
  function* rest(): Generator<RowGroup, void> {
    if (rows.length > 0) yield { type: 'rows', rows };
    [rows, characters] = [[], 0];
  }
  function* add(row: string): Generator<RowGroup, void> {
    if (rows.length === ROWS_MAX || characters + row.length > CHARACTERS_MAX) yield* rest();
    rows.push(row);
    characters += row.length;
  }
  return { add, rest };
}

/** Whole lines as they come; the last of a file may be without its line end. */
async function* linesOf(source: ExportBytes): AsyncGenerator<string[], void> {
  if (typeof (source as unknown) === 'string') {
    const message = 'An export is read from bytes, such as those of createReadStream(path), and not from a string.';
    throw fail('VALIDATION_ERROR', { message });
  }
  const pieces = wholeLines(chunksOf(source));
  for (;;) {
    const { done, value } = await pieces.next();
    if (value.length > 0) yield decoded(value);
    if (done) return;
  }
}

function decoded(lines: Bytes): string[] {
  try {
    return textLines(lines);
  } catch (cause) {
    throw fail('VALIDATION_ERROR', { message: 'This is not text in UTF-8. Give an export as it was made.', cause });
  }
}

function headerOf(text: string): ExportHeader {
  const header = parsed(text);
  if (header?.type !== 'header') throw wrongLine(1, 'is not the header of an export');
  return header as ExportHeader;
}

function endOf(text: string): ExportEnd | undefined {
  if (text.length > END_CHARACTERS_MAX) return undefined;
  const line = parsed(text);
  return line?.type === 'end' ? (line as ExportEnd) : undefined;
}

function parsed(text: string): { type?: unknown } | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function wrongLine(line: number, what: string): CairnError {
  return fail('VALIDATION_ERROR', {
    message: `Line ${line} ${what}. Give an export as it was made: a header, rows, and a last line that says that it is complete.`,
    details: { line },
  });
}

function noEnd(lines: number): CairnError {
  return fail('VALIDATION_ERROR', {
    message: `The last line of an export says that it is complete, and after ${lines} lines there is none that does: this file was cut. Export it whole, then import it again.`,
  });
}
