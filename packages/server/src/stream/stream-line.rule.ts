// The lines of a streaming submission, from bytes to what was sent: one operation a line.
import { isUtf8 } from 'node:buffer';
import { type CairnError, fail } from '@cairn/protocol/errors';
import { scanJson } from '@cairn/protocol/json-scan';
import { attempt } from '../model/attempt.ts';

export interface ReadLines {
  readonly operations: readonly unknown[];
  /** As they were sent. */
  readonly texts: readonly string[];
  /** For each operation, its line; counted from 0. Blank lines have none. */
  readonly lines: readonly number[];
  /** Operations, by their index, that would change without a word when they are read. */
  readonly refusals: ReadonlyMap<number, CairnError>;
  /** How many lines were read. */
  readonly lineCount: number;
  /** What the line after them is wrong with, so that nothing after it is read: it is no JSON. */
  readonly unreadable: CairnError | undefined;
}

export function readLines(bytes: Uint8Array): ReadLines {
  const valid = isUtf8(bytes) ? bytes : bytes.subarray(0, startOfInvalid(bytes));
  const read = readText(Buffer.from(valid.buffer, valid.byteOffset, valid.byteLength).toString());
  if (valid === bytes || read.unreadable !== undefined) return read;
  return { ...read, unreadable: fail('VALIDATION_ERROR', { message: 'This is not JSON: it is not valid UTF-8.' }) };
}

function readText(text: string): ReadLines {
  const operations: unknown[] = [];
  const texts: string[] = [];
  const lines: number[] = [];
  const refusals = new Map<number, CairnError>();
  let lineCount = 0;
  for (let start = 0; start < text.length; lineCount++) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(start, end);
    start = end + 1;
    if (isBlank(line)) continue;
    try {
      operations.push(JSON.parse(line));
    } catch {
      return { operations, texts, lines, refusals, lineCount, unreadable: refusalOf(line) };
    }
    texts.push(line);
    lines.push(lineCount);
    const refusal = attempt(() => scanJson(line));
    if (refusal !== undefined) refusals.set(operations.length - 1, refusal);
  }
  return { operations, texts, lines, refusals, lineCount, unreadable: undefined };
}

/** Why a line is no JSON, better told than by the parser. That it is the first line of itself is of no use to anyone. */
function refusalOf(line: string): CairnError {
  const refusal = attempt(() => scanJson(line));
  const message = refusal?.message.replace('at line 1, column', 'at column') ?? 'This is not JSON.';
  return fail('VALIDATION_ERROR', { message });
}

/** Where the first line begins that is not valid. */
function startOfInvalid(bytes: Uint8Array): number {
  let start = 0;
  for (;;) {
    const newline = bytes.indexOf(0x0a, start);
    if (newline === -1 || !isUtf8(bytes.subarray(start, newline))) return start;
    start = newline + 1;
  }
}

const BLANK = /^[ \t\r]*$/;
const OPEN_BRACE = 0x7b;

function isBlank(line: string): boolean {
  return line.charCodeAt(0) !== OPEN_BRACE && BLANK.test(line);
}
