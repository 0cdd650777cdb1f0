// `cairn setup`: makes the first owner of a server, with the code that the server printed.

import { setUpServer } from '@cairn/sdk';
import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { ask, codeOf, readPassword } from '../prompt.ts';
import { openSession } from '../session.ts';

interface SetupFlags {
  readonly code?: string;
  readonly email?: string;
  readonly name?: string;
  readonly passwordStdin?: true;
}

export function addSetup(program: Command, io: Io): void {
  program
    .command('setup')
    .summary('create the first owner of a server, with the code that it printed')
    .option('--code <code>', 'the one-time code, or the whole link')
    .option('--email <email>', "the owner's email address")
    .option('--name <name>', 'handle; by default made from the email address')
    .option('--password-stdin', 'read the password from standard input')
    .action(async (flags: SetupFlags, command: Command) => {
      const { url, print } = openSession(io, command);
      const code = codeOf(
        flags.code ?? (await ask(io, { message: 'The code that the server printed', flag: '--code' })),
      );
      const email = flags.email ?? (await ask(io, { message: 'Your email address', flag: '--email' }));
      const message = 'A password of at least 12 characters';
      const password = await readPassword(io, { passwordStdin: flags.passwordStdin, message });
      const name = flags.name !== undefined && { name: flags.name };
      print(await setUpServer(url, { code, email, password, ...name }));
      io.stderr('The token is shown only now. Keep it, and give it to commands as CAIRN_TOKEN.\n');
    });
}
