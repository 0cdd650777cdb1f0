// `cairn admin distribute`: the tables of a server over the machines of a Citus cluster.
import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { withShare } from '../progress.ts';
import { openSession } from '../session.ts';

export function addDistribute(admin: Command, io: Io): void {
  admin
    .command('distribute')
    .summary('spread the repositories over the machines of a Citus cluster')
    .description(
      'Lays out the tables of a server, empty or filled, over the machines of PostgreSQL with the extension Citus: each repository on one of them, the small tables that all need on every one. Stop all nodes first. What is done already stays as it is: run it again after it was cut off, and after each upgrade.',
    )
    .action(async (_options: object, command: Command) => {
      const session = openSession(io, command);
      const { distributeServer } = await import('@cairn/server/admin');
      const result = await withShare(session, (onProgress) => distributeServer({ onProgress }));
      session.print(result);
      session.say('Start the nodes again. CAIRN_DATABASE_URL stays the address of the coordinator.');
    });
}
