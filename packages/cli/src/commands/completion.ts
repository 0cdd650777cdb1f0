// `cairn completion`: what a shell is given to complete commands, flags and names.
import { Argument, type Command } from 'commander';
import { INSTALLED, SCRIPTS, SHELLS, type Shell } from '../completion/script.ts';
import type { Io } from '../io.ts';
import { openSession } from '../session.ts';

const DESCRIPTION =
  'Prints a script that completes nouns, verbs, flags and their choices, and names of organizations, repositories, shapes, records and more, which are asked from the server.';

export function addCompletion(program: Command, io: Io): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'which shell it is for').choices(SHELLS))
    .summary('print what bash, zsh or fish needs to complete commands and names')
    .description(DESCRIPTION)
    .action((shell: Shell, _flags: object, command: Command) => {
      const { print, say } = openSession(io, command);
      const script = SCRIPTS[shell];
      print({ shell, script, install: INSTALLED[shell] }, script.replace(/\n$/, ''));
      if (io.stdoutIsTerminal) say(`\nTo have it in every new shell: ${INSTALLED[shell]}`);
    });
}
