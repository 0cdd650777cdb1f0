// What a command is given to send: as an argument, in a file, or on standard input.
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { scanJson } from '@cairn/protocol/json-scan';
import { UsageError } from './exit-codes.ts';
import { type Io, readStdinWhole } from './io.ts';
import type { PlacedOperations } from './operation-place.ts';

export interface JsonSource {
  readonly text: string | undefined;
  readonly file: string | undefined;
  /** What `text` is called on the command line. */
  readonly flag: string;
}

export async function readJson(io: Io, { text, file, flag }: JsonSource): Promise<unknown> {
  if ((text === undefined) === (file === undefined)) throw new UsageError(`Give either ${flag} or --file.`);
  return parse(text ?? (await readFile(io, file ?? '-')), text === undefined ? `The file ${file}` : flag);
}

/** Operations: a JSON array, or a line each (`.jsonl`, `.ndjson`, or text that does not begin with `[`). */
export async function readOperations(io: Io, file: string): Promise<PlacedOperations> {
  const text = await readFile(io, file);
  const hasLines = ['.jsonl', '.ndjson'].includes(extname(file)) || !text.trimStart().startsWith('[');
  if (!hasLines) return { operations: listOf(parse(text, `The file ${file}`), `The file ${file}`), isJson: true };
  const filled = text
    .split('\n')
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => line.trim() !== '');
  return {
    operations: filled.map(({ line, number }) => parse(line, `Line ${number} of ${file}`)),
    lines: filled.map(({ number }) => number),
    isJson: true,
  };
}

export function parseOperations(text: string, place: string): unknown[] {
  return listOf(parse(text, place), place);
}

function listOf(value: unknown, place: string): unknown[] {
  if (!Array.isArray(value)) throw new UsageError(`${place} is not a list of operations: write [{ ... }].`);
  return value;
}

export async function readFile(io: Io, file: string): Promise<string> {
  if (file === '-') return await readStdinWhole(io);
  try {
    // Editors on other systems begin a file with a mark that is no part of its text.
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    throw new UsageError(`Cannot read ${file}: ${(error as Error).message}.`);
  }
}

/** Refuses what parsing would change, as the server does: it sees only what is sent on. */
export function parse(text: string, place: string): unknown {
  try {
    scanJson(text);
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${place}: ${(error as Error).message}`);
  }
}
