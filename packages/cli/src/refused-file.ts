// Lines that were refused, as they stood in the input, so that they can be mended and submitted again; and beside them,
// line for line, the reasons.
import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { RefusedStreamLine } from '@cairn/sdk';
import { UsageError } from './exit-codes.ts';

export const reasonsOf = (file: string) => `${file}.reasons`;

export interface RefusedFile {
  /** Up to which line refusals are in it. */
  readonly lastLine: number;
  readonly add: (refused: RefusedStreamLine) => void;
  /** Writes what was added. */
  readonly flush: () => void;
}

/** The files are made when something is refused. A stream that is gone on with adds to what is there. */
export function createRefusedFile(file: string, { append }: { append: boolean }): RefusedFile {
  checkTarget(file, append);
  let lines = '';
  let reasons = '';
  return {
    lastLine: append ? lastLineIn(reasonsOf(file)) : 0,
    add: ({ text, ...reason }) => {
      lines += `${text}\n`;
      reasons += `${JSON.stringify(reason)}\n`;
    },
    flush: () => {
      if (lines === '') return;
      appendFileSync(file, lines);
      appendFileSync(reasonsOf(file), reasons);
      [lines, reasons] = ['', ''];
    },
  };
}

function checkTarget(file: string, append: boolean): void {
  const folder = dirname(file);
  if (!existsSync(folder)) throw new UsageError(`There is no folder ${folder}. Make it first, or name another file.`);
  if (append) return;
  for (const path of [file, reasonsOf(file)]) {
    if (!existsSync(path) || statSync(path).size === 0) continue;
    throw new UsageError(`${path} is there already. Name another file for refused lines, or remove it.`);
  }
}

function lastLineIn(reasons: string): number {
  if (!existsSync(reasons)) return 0;
  const last = readFileSync(reasons, 'utf8').trimEnd().split('\n').at(-1) ?? '';
  try {
    const { line } = JSON.parse(last) as { line?: unknown };
    if (typeof line === 'number') return line;
  } catch {
    // Told below.
  }
  throw new UsageError(`${reasons} does not hold the reasons of refused lines. Name another file, or remove it.`);
}
