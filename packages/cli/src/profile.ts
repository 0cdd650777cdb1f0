// The flags of commands that say something about an organization or a repository.
import type { Command } from 'commander';
import { UsageError } from './exit-codes.ts';

export interface ProfileFlags {
  readonly displayName?: string;
  readonly description?: string;
}

export function addProfile(command: Command): Command {
  return command
    .option('--display-name <name>', 'the name to show')
    .option('--description <text>', 'what it is for, at most 2,000 characters');
}

export function requireChange(flags: ProfileFlags): ProfileFlags {
  if (Object.keys(flags).length > 0) return flags;
  throw new UsageError('Say what to change: --display-name, --description or both.');
}
