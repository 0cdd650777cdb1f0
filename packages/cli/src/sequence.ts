// Flags of commands that read at a sequence.
import { type Command, InvalidArgumentError } from 'commander';

export interface AtFlags {
  readonly at?: number;
}

export interface SequenceFlags extends AtFlags {
  readonly includeRetracted?: true;
}

export function addAt(command: Command): Command {
  return command.option('--at <repo-seq>', 'as it was when the repository stood there', wholeNumber);
}

export function addSequence(command: Command): Command {
  return addAt(command).option('--include-retracted', 'show what is retracted too');
}

export function sequenceFlagsOf({ at, includeRetracted }: SequenceFlags) {
  return { ...(at !== undefined && { atRepoSeq: at }), ...(includeRetracted && { includeRetracted }) };
}

/** For a flag that takes so much and no more; `beyond` says how there is more all the same. */
export function numberUpTo(max: number, beyond = '') {
  return (text: string): number => {
    const number = wholeNumber(text);
    if (number >= 1 && number <= max) return number;
    throw new InvalidArgumentError(`Write a whole number from 1 to ${max}${beyond}.`);
  };
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Write a whole number.');
  return Number(text);
}
