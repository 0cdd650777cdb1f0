// `cairn __complete WORD...`: prints what the last word can become, a line each, with a tab and what it is about. It is asked by
// the scripts of `cairn completion`, prints nothing where it knows nothing, and never fails: a shell would show that.
import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { oneLine } from '../shown.ts';
import { readLine } from './line.ts';
import { FILES, namesFor } from './source.ts';

export const COMPLETE = '__complete';

/** What a shell takes as it stands: names are made by others. */
const PLAIN = /^[\w@%+=:,./-]+$/;

export async function complete(program: Command, io: Io, words: readonly string[]): Promise<void> {
  const line = readLine(program, words);
  const { wanted, current } = line;
  if (wanted.kind === 'words') {
    for (const { word, about } of wanted.words) if (word.startsWith(current)) io.stdout(`${word}\t${oneLine(about)}\n`);
    return;
  }
  const names = await namesFor(io, line);
  if (names.includes(FILES)) return io.stdout(`${FILES}\n`);
  for (const name of new Set(names)) if (name.startsWith(current) && PLAIN.test(name)) io.stdout(`${name}\n`);
}
