import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { openSession } from '../session.ts';

export function addAuth(program: Command, io: Io): void {
  program
    .command('auth')
    .summary('who you are to the server')
    .command('whoami')
    .summary('show whose token CAIRN_TOKEN is, and what it may do')
    .action(async (_options: object, command: Command) => {
      const { client, print } = openSession(io, command);
      print(await client.auth.whoami());
    });
}
