import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { openSession, repoOf } from '../session.ts';

export function addRepo(program: Command, io: Io): void {
  program
    .command('repo')
    .summary('repositories')
    .command('view')
    .summary('show the repository that --repo or CAIRN_REPO names')
    .action(async (_options: object, command: Command) => {
      const { orgName, repoName } = repoOf(io, command);
      const { client, print } = openSession(io, command);
      print(await client.repo.get(orgName, repoName));
    });
}
