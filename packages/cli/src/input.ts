import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { scanJson } from '@cairn/model/json';
import { UsageError } from './exit-codes.ts';
import { type Io, readStdinWhole } from './io.ts';

export const JSON_WAYS = '@FILE reads it from a file, - from standard input';

/** File of a JSON flag, from `@FILE` or `-`. Neither is valid JSON. */
export function fileNamedBy(text: string): string | undefined {
  if (text === '-') return text;
  return text.startsWith('@') ? text.slice(1) : undefined;
}

export async function readJsonFlag(io: Io, text: string, flag: string): Promise<unknown> {
  const file = fileNamedBy(text);
  return file === undefined ? parse(text, flag) : parse(await readFile(io, file), nameOf(file));
}

interface JsonSource {
  readonly text: string | undefined;
  readonly file: string | undefined;
  readonly flag: string;
}

export async function readJson(io: Io, { text, file, flag }: JsonSource): Promise<unknown> {
  if ((text === undefined) === (file === undefined)) throw new UsageError(`Give either ${flag} or --file.`);
  return text === undefined
    ? parse(await readFile(io, file ?? '-'), nameOf(file ?? '-'))
    : await readJsonFlag(io, text, flag);
}

export const nameOf = (file: string) => (file === '-' ? 'Standard input' : `The file ${file}`);

export async function readFile(io: Io, file: string): Promise<string> {
  if (file === '-') return await readStdinWhole(io);
  try {
    // Some editors begin a file with a byte order mark.
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    throw new UsageError(`Cannot read ${file}: ${(error as Error).message}.`);
  }
}

export function requireFolder(file: string): void {
  const folder = dirname(file);
  if (!existsSync(folder)) throw new UsageError(`There is no folder ${folder}. Create it, or name another file.`);
}

/** Refuses JSON that parsing would change. The server cannot see that, because it gets the result. */
export function parse(text: string, place: string): unknown {
  try {
    scanJson(text);
    return JSON.parse(text);
  } catch (error) {
    const { message } = error as Error;
    // In a single line, the column is enough.
    throw new UsageError(
      `${place}: ${text.includes('\n') ? message : message.replace('at line 1, column', 'at column')}`,
    );
  }
}
