// The flags of commands that list.
import type { Command } from 'commander';
import { wholeNumber } from './sequence.ts';

export interface PagingFlags {
  readonly limit?: number;
  readonly cursor?: string;
}

export function addPaging(command: Command): Command {
  return command
    .option('--limit <count>', 'how many to show at most (default: 50)', wholeNumber)
    .option('--cursor <cursor>', 'go on where the page before ended');
}

/** The paging flags alone, of all that a command has. */
export function pagingOf({ limit, cursor }: PagingFlags): PagingFlags {
  return { ...(limit !== undefined && { limit }), ...(cursor !== undefined && { cursor }) };
}
