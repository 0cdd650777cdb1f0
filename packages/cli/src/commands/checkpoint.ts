// Checkpoints, under `repo`: exports that the server keeps under a name.
import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { addPaging, type PagingFlags, pagingOf } from '../paging.ts';
import { checkTarget, goOnAdvice, type OverwriteFlags } from '../part-file.ts';
import { followed, type Progress } from '../progress.ts';
import { type AtFlags, addAt, sequenceFlagsOf } from '../sequence.ts';
import { openSession, repoOf } from '../session.ts';
import { addOverwrite, showDownload } from './repo-export.ts';

const COLUMNS = ['name', 'atRepoSeq', 'state', 'recordCount', 'createdBy', 'createdAt', 'description'];

export function addCheckpoint(repo: Command, io: Io): void {
  const checkpoint = repo.command('checkpoint').summary('exports that the server keeps under a name');
  addCreate(checkpoint, io);
  addPaging(checkpoint.command('list [org/repo]'))
    .summary('list the checkpoints of a repository')
    .action(async (given: string | undefined, flags: PagingFlags, command: Command) => {
      const { orgName, repoName } = repoOf(io, command, given);
      const { client, printPage } = openSession(io, command);
      printPage(await client.repo.checkpoints(orgName, repoName, pagingOf(flags)), COLUMNS);
    });
  addGet(checkpoint, io);
  checkpoint
    .command('delete <name> [org/repo]')
    .summary('give up a checkpoint and its name')
    .action(async (name: string, given: string | undefined, _flags: object, command: Command) => {
      const { orgName, repoName } = repoOf(io, command, given);
      const { client, print } = openSession(io, command);
      print(await client.repo.deleteCheckpoint(orgName, repoName, name));
    });
}

function addCreate(checkpoint: Command, io: Io): void {
  addAt(checkpoint.command('create <name> [org/repo]'))
    .summary('make a checkpoint of a repository')
    .option('--description <text>', 'what it is for, at most 2,000 characters')
    .action(
      async (name: string, given: string | undefined, flags: AtFlags & { description?: string }, command: Command) => {
        const { orgName, repoName } = repoOf(io, command, given);
        const { client, print } = openSession(io, command);
        const { description } = flags;
        const said = description === undefined ? {} : { description };
        print(await client.repo.createCheckpoint(orgName, repoName, name, { ...sequenceFlagsOf(flags), ...said }));
      },
    );
}

function addGet(checkpoint: Command, io: Io): void {
  addOverwrite(checkpoint.command('get <name> <file> [org/repo]'))
    .summary('download a checkpoint, and check its digest')
    .action(async (name: string, file: string, given: string | undefined, flags: OverwriteFlags, command: Command) => {
      const { orgName, repoName } = repoOf(io, command, given);
      const session = openSession(io, command);
      checkTarget(file, flags);
      const work = (progress: Progress) =>
        session.client.repo.checkpointToFile(orgName, repoName, name, file, {
          resume: flags.resume,
          onProgress: (step) => showDownload(progress, step),
        });
      session.print(await followed({ session, advice: () => goOnAdvice(file), work }));
    });
}
