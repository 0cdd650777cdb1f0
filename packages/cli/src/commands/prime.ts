// `cairn prime`: what an agent needs to know of a repository before it works on it.
import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { primerText, readPrimer } from '../prime.ts';
import { openSession, repoOf } from '../session.ts';

export function addPrime(program: Command, io: Io): void {
  program
    .command('prime [org/repo]')
    .summary('print what an agent needs to know of a repository, and the commands')
    .description(
      'Prints shapes with their fields, how much there is, an example of each shape, the text for agents, and commands that work on the repository, in Markdown. Give it to an agent before it begins.',
    )
    .action(async (given: string | undefined, _flags: object, command: Command) => {
      const name = repoOf(io, command, given);
      const { client, print } = openSession(io, command);
      const primer = await readPrimer(client, name);
      print(primer, primerText(primer));
    });
}
