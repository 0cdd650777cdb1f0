// `rename` of things and of shapes: the same flags, each through its own procedure.
import type { Command } from 'commander';
import type { Io } from './io.ts';
import { orNear } from './near-name.ts';
import { wholeNumber } from './sequence.ts';
import { openSession, repoOf } from './session.ts';

interface RenameFlags {
  readonly message?: string;
  readonly expectedVersion?: number;
}

export function addRename(noun: Command, io: Io, surface: 'thing' | 'shape'): Command {
  return noun
    .command('rename <name> <new-name>')
    .option('--message <text>', 'message of the commit')
    .option('--expected-version <version>', 'refuse when it is at another version', wholeNumber)
    .action(async (name: string, newName: string, flags: RenameFlags, command: Command) => {
      const { orgName, repoName } = repoOf(io, command);
      const { client, print } = openSession(io, command);
      const named = { client, orgName, repoName, name, what: surface === 'shape' ? surface : 'record' } as const;
      print(await orNear(named, () => client[surface].rename(orgName, repoName, name, newName, flags)));
    });
}
