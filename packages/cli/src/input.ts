// What a command is given to send: as an argument, in a file, or on standard input.
import { readFileSync } from 'node:fs';
import { scanJson } from '@cairn/model/json';
import { UsageError } from './exit-codes.ts';
import { type Io, readStdinWhole } from './io.ts';

/** Behind the help of each flag that takes JSON. */
export const JSON_WAYS = '@FILE reads it from a file, - from standard input';

/** The file that a flag of JSON names, `@FILE`, or `-`: no JSON is written so. */
export function fileNamedBy(text: string): string | undefined {
  if (text === '-') return text;
  return text.startsWith('@') ? text.slice(1) : undefined;
}

/** The JSON of a flag, as it stands there or in the file that is named there. */
export async function readJsonFlag(io: Io, text: string, flag: string): Promise<unknown> {
  const file = fileNamedBy(text);
  return file === undefined ? parse(text, flag) : parse(await readFile(io, file), nameOf(file));
}

interface JsonSource {
  readonly text: string | undefined;
  readonly file: string | undefined;
  /** What `text` is called on the command line. */
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
    const { message } = error as Error;
    // Of one line alone, the place in it says everything.
    throw new UsageError(
      `${place}: ${text.includes('\n') ? message : message.replace('at line 1, column', 'at column')}`,
    );
  }
}
