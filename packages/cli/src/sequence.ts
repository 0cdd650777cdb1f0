// Flags of commands that read at a sequence.
import { type Command, InvalidArgumentError } from 'commander';

export interface SequenceFlags {
  readonly at?: number;
  readonly includeRetracted?: true;
}

export function addSequence(command: Command): Command {
  return command
    .option('--at <repo-seq>', 'as it was when the repository stood there', wholeNumber)
    .option('--include-retracted', 'show it even when it is retracted');
}

export function sequenceFlagsOf({ at, includeRetracted }: SequenceFlags) {
  return { ...(at !== undefined && { atRepoSeq: at }), ...(includeRetracted && { includeRetracted }) };
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Write a whole number.');
  return Number(text);
}
