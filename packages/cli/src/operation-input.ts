// The operations of a commit, in a file or behind a flag: a JSON list, a line each, or what other programs write, an object
// with `operations`.
import { extname } from 'node:path';
import { UsageError } from './exit-codes.ts';
import { fileNamedBy, nameOf, parse, readFile } from './input.ts';
import type { Io } from './io.ts';
import type { PlacedOperations } from './operation-place.ts';

/** `--ops`: a list, or as other flags of JSON the file that has them. */
export async function readOperationFlag(io: Io, text: string): Promise<PlacedOperations> {
  const file = fileNamedBy(text);
  return file === undefined ? whole(text, '--ops') : await readOperations(io, file);
}

export async function readOperations(io: Io, file: string): Promise<PlacedOperations> {
  const text = await readFile(io, file);
  return hasLines(text, file) ? lineByLine(text, file) : whole(text, nameOf(file));
}

/** By the name of the file, else by its text: a list begins with `[`, and what has lines is JSON on the first of them. */
function hasLines(text: string, file: string): boolean {
  if (['.jsonl', '.ndjson'].includes(extname(file))) return true;
  const [first = '', ...more] = text.trim().split('\n');
  if (first.startsWith('[')) return false;
  if (more.length === 0) return !isCommit(jsonIn(first));
  // Of two lines that are both broken, the file has lines: the first names itself.
  return jsonIn(first) !== undefined || jsonIn(more[0] ?? '') !== undefined || !first.startsWith('{');
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function lineByLine(text: string, file: string): PlacedOperations {
  const filled = text
    .split('\n')
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => line.trim() !== '');
  return {
    operations: filled.map(({ line, number }) => parse(line, `Line ${number} of ${placeOf(file)}`)),
    lines: filled.map(({ number }) => number),
    isJson: true,
  };
}

const placeOf = (file: string) => (file === '-' ? 'standard input' : file);

function whole(text: string, place: string): PlacedOperations {
  return { operations: listOf(parse(text, place), place), isJson: true };
}

/** A commit as it is sent to the server. */
const isCommit = (value: unknown): value is { operations: unknown[] } =>
  typeof value === 'object' && value !== null && 'operations' in value && Array.isArray(value.operations);

function listOf(value: unknown, place: string): unknown[] {
  if (Array.isArray(value)) return value;
  if (!isCommit(value)) {
    if (isOperation(value)) return [value];
    throw new UsageError(`${place} is not a list of operations: write [{ ... }].`);
  }
  const [other] = Object.keys(value).filter((key) => key !== 'operations');
  if (other === undefined) return value.operations;
  throw new UsageError(
    `${place} has ${JSON.stringify(other)} beside its operations: give that by a flag, as cairn commit submit --help lists them.`,
  );
}

const isOperation = (value: unknown) => typeof value === 'object' && value !== null && 'name' in value;
