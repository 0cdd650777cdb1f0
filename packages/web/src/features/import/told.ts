// What came of an import, in words.
import type { Imported } from './run-import.ts';

export const STOPPED = 'It was stopped, and what comes after was not read.';

/** All of it, for where nothing else is said: what was written is not to be taken for the whole file. */
export const toldOf = (imported: Imported): string =>
  imported.stopped === undefined
    ? writtenOf(imported)
    : `${STOPPED} ${imported.stopped} Until then: ${writtenOf(imported)}`;

export function writtenOf({ kind, repoSeq, applied, noop, refused }: Imported): string {
  const count = (number: number) => number.toLocaleString('en');
  if (kind === 'export')
    return `Restored: ${count(applied)} rows, shapes and texts among them, at sequence ${count(repoSeq)}.`;
  const operations = applied === 1 ? 'operation was' : 'operations were';
  return `${count(applied)} ${operations} applied, ${count(noop)} had nothing to change, ${count(refused)} ${refused === 1 ? 'was' : 'were'} refused.`;
}
