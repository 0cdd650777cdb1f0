// `cairn serve` and `cairn setup`: start a server, and create its first owner with the link that the server printed.
import { setUpServer } from '@cairn/sdk';
import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { choose, serverUrl } from '../profile-choice.ts';
import { ask, readPassword, serverOf } from '../prompt.ts';
import { type GlobalFlags, openSession, SHOWN_ONCE } from '../session.ts';
import { signInOwner } from './auth-profile.ts';

/** Everything after `serve` belongs to the server, which has its own settings and help text. */
export function addServe(program: Command): void {
  program
    .command('serve')
    .summary('start the server')
    .description('Starts the server. `cairn serve --help` lists its settings.')
    .allowUnknownOption()
    .allowExcessArguments()
    .helpOption(false)
    .action(async (_options: object, command: Command) => {
      const { serve } = await import('@cairn/server/admin');
      await serve(command.args);
    });
}

interface SetupFlags {
  readonly code?: string;
  readonly email?: string;
  readonly name?: string;
  readonly passwordStdin?: true;
}

export function addSetup(program: Command, io: Io): void {
  program
    .command('setup')
    .summary('create the first owner of a server, with the link that it printed, and sign in')
    .option('--code <code>', 'the one-time code, or the whole link')
    .option('--email <email>', "the owner's email address")
    .option('--name <name>', 'handle (default: derived from the email address)')
    .option('--password-stdin', 'read the password from standard input')
    .action(async (flags: SetupFlags, command: Command) => {
      const session = openSession(io, command);
      const chosen: GlobalFlags = command.optsWithGlobals();
      const code = flags.code ?? (await ask(io, { message: 'The link that the server printed', flag: '--code' }));
      const email = flags.email ?? (await ask(io, { message: 'Your email address', flag: '--email' }));
      const password = await readPassword(io, flags);
      const url = serverUrl(serverOf(code, choose(io, chosen).url));
      const made = await setUpServer(url, { code, email, password, ...(flags.name && { name: flags.name }) });
      session.print(made);
      await signInOwner(io, session, { ...chosen, url, ...made });
      session.say(SHOWN_ONCE);
    });
}
