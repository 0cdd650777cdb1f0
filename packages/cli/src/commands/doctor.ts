import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { openSession } from '../session.ts';

export function addDoctor(program: Command, io: Io): void {
  program
    .command('doctor')
    .summary('check that the server answers and the token is good')
    .action(async (_options: object, command: Command) => {
      const { client, print, url } = openSession(io, command);
      const [server, caller] = await Promise.all([client.diagnostics.capabilities(), client.auth.whoami()]);
      print({ url, server, caller });
    });
}
