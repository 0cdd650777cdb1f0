// `cairn setup`: makes the first owner of a server, with the code that the server printed.

import { setUpServer } from '@cairn/sdk';
import { isCancel, password, text } from '@clack/prompts';
import type { Command } from 'commander';
import { UsageError } from '../exit-codes.ts';
import { type Io, readStdin } from '../io.ts';
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
      const secret = flags.passwordStdin ? await readStdin(io) : await askSecret(io);
      const name = flags.name !== undefined && { name: flags.name };
      print(await setUpServer(url, { code, email, password: secret, ...name }));
      io.stderr('The token is shown only now. Keep it, and give it to commands as CAIRN_TOKEN.\n');
    });
}

/** People copy the whole link. */
function codeOf(given: string): string {
  return URL.parse(given)?.searchParams.get('code') ?? given;
}

async function ask(io: Io, { message, flag }: { message: string; flag: string }): Promise<string> {
  if (!io.isTerminal) throw new UsageError(`Give ${flag}: there is no terminal to ask on.`);
  return answered(await text({ message }));
}

async function askSecret(io: Io): Promise<string> {
  if (!io.isTerminal) throw new UsageError('Give the password on standard input, with --password-stdin.');
  return answered(await password({ message: 'A password of at least 12 characters' }));
}

function answered(answer: string | symbol): string {
  if (isCancel(answer) || typeof answer !== 'string') throw new UsageError('Nothing was set up.');
  return answer;
}
