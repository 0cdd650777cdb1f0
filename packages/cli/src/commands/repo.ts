import { nearest } from '@cairn/protocol/nearest';
import { type CairnClient, CairnError } from '@cairn/sdk';
import { Argument, type Command, Option } from 'commander';
import type { Io } from '../io.ts';
import { didYouMean, hinted } from '../near-name.ts';
import { addPaging, type PagingFlags, pagingOf } from '../paging.ts';
import { addProfile, type ProfileFlags, requireChange } from '../profile.ts';
import { parseRepoName, type RepoName } from '../repo-name.ts';
import { openSession, repoOf } from '../session.ts';
import { addCheckpoint } from './checkpoint.ts';
import { addDescription } from './description.ts';
import { addRoles } from './member.ts';
import { addExport } from './repo-export.ts';
import { addImport } from './repo-import.ts';

const COLUMNS = ['orgName', 'name', 'visibility', 'archived', 'repoSeq', 'description'];
const DELETED_COLUMNS = ['orgName', 'name', 'visibility', 'deletedAt', 'description'];

export function addRepo(program: Command, io: Io): void {
  const repo = program.command('repo').summary('repositories');
  addList(repo, io);
  addView(repo, io);
  addDescription(repo, io);
  addCreate(repo, io);
  addUpdate(repo, io);
  addRename(repo, io);
  addVisibility(repo, io);
  addArchive(repo, io);
  addDelete(repo, io);
  addTransfer(repo, io);
  addConfigure(repo, io);
  addRoles(repo, io);
  addExport(repo, io);
  addImport(repo, io);
  addCheckpoint(repo, io);
}

function addList(repo: Command, io: Io): void {
  addPaging(repo.command('list [org]'))
    .summary('list the repositories that you may see, of one organization or of all')
    .option('--deleted', 'list those that were deleted and can still be restored')
    .action(async (orgName: string | undefined, flags: PagingFlags & { deleted?: true }, command: Command) => {
      const { client, printPage } = openSession(io, command);
      const { deleted = false } = flags;
      const page = await client.repo.list({ ...pagingOf(flags), deleted, ...(orgName !== undefined && { orgName }) });
      printPage(page, deleted ? DELETED_COLUMNS : COLUMNS);
    });
}

function addView(repo: Command, io: Io): void {
  repo
    .command('view [org/repo]')
    .summary('show a repository')
    .action(async (given: string | undefined, _flags: object, command: Command) => {
      const { orgName, repoName } = repoOf(io, command, given);
      const { client, print } = openSession(io, command);
      const found = client.repo.get(orgName, repoName);
      print(
        await found.catch(async (error: unknown) =>
          Promise.reject(await withNearRepo(client, { orgName, repoName }, error)),
        ),
      );
    });
}

/** Names the repository too: it may be one that a file or a variable has chosen. */
async function withNearRepo(client: CairnClient, { orgName, repoName }: RepoName, error: unknown): Promise<unknown> {
  if (!(error instanceof CairnError) || error.code !== 'NOT_FOUND') return error;
  const page = await client.repo.list({ orgName, limit: 500 }).catch(() => ({ items: [] }));
  const names = page.items.map(({ name }) => name);
  const near = nearest(repoName, names).map((name) => `${orgName}/${name}`);
  const list = 'Those that you may see: cairn repo list.';
  return hinted(
    error,
    `It was ${orgName}/${repoName} that was asked for. ${near.length === 0 ? list : didYouMean(near)}`,
  );
}

interface CreateFlags extends ProfileFlags {
  readonly public?: true;
  readonly private?: true;
}

function addCreate(repo: Command, io: Io): void {
  addProfile(repo.command('create <org/repo>'))
    .summary('create a repository')
    .addOption(new Option('--private', 'only who has a role sees it (default)').conflicts('public'))
    .addOption(new Option('--public', 'everyone may read it'))
    .action(async (given: string, flags: CreateFlags, command: Command) => {
      const { public: open = false, private: _, ...profile } = flags;
      const { orgName, repoName } = parseRepoName(given);
      const { client, print } = openSession(io, command);
      const options = { ...profile, visibility: open ? 'public' : 'private' } as const;
      const created = client.repo.create(orgName, repoName, options);
      print(await created.catch((error: unknown) => Promise.reject(withOrg(orgName, error))));
    });
}

/** A new repository can miss nothing but its organization. */
function withOrg(orgName: string, error: unknown): unknown {
  if (!(error instanceof CairnError) || error.code !== 'NOT_FOUND') return error;
  return hinted(error, `To create it: cairn org create ${orgName}. Those that you may see: cairn org list.`);
}

function addUpdate(repo: Command, io: Io): void {
  addProfile(repo.command('update [org/repo]'))
    .summary('change what is said about a repository')
    .action(async (given: string | undefined, flags: ProfileFlags, command: Command) => {
      const { orgName, repoName } = repoOf(io, command, given);
      const { client, print } = openSession(io, command);
      print(await client.repo.update(orgName, repoName, requireChange(flags)));
    });
}

function addRename(repo: Command, io: Io): void {
  repo
    .command('rename <org/repo> <new-name>')
    .summary('rename a repository; the old name is free at once')
    .action(async (given: string, newName: string, _flags: object, command: Command) => {
      const { orgName, repoName } = parseRepoName(given);
      const { client, print } = openSession(io, command);
      print(await client.repo.rename(orgName, repoName, { newName }));
    });
}

function addVisibility(repo: Command, io: Io): void {
  repo
    .command('visibility <org/repo>')
    .addArgument(new Argument('<visibility>', 'who may read it').choices(['public', 'private']))
    .summary('open a repository to everyone (public), or close it (private)')
    .action(async (given: string, visibility: 'public' | 'private', _flags: object, command: Command) => {
      const { orgName, repoName } = parseRepoName(given);
      const { client, print } = openSession(io, command);
      print(await client.repo.setVisibility(orgName, repoName, { visibility }));
    });
}

function addArchive(repo: Command, io: Io): void {
  for (const verb of ['archive', 'unarchive'] as const) {
    repo
      .command(`${verb} [org/repo]`)
      .summary(verb === 'archive' ? 'let a repository take no more writes' : 'undo archive')
      .action(async (given: string | undefined, _flags: object, command: Command) => {
        const { orgName, repoName } = repoOf(io, command, given);
        const { client, print } = openSession(io, command);
        print(await client.repo[verb](orgName, repoName));
      });
  }
}

function addDelete(repo: Command, io: Io): void {
  repo
    .command('delete <org/repo>')
    .summary('delete a repository; for 30 days it can be restored')
    .action(async (given: string, _flags: object, command: Command) => {
      const { orgName, repoName } = parseRepoName(given);
      const { client, print } = openSession(io, command);
      print(await client.repo.delete(orgName, repoName));
    });
  repo
    .command('restore <org/repo>')
    .summary('bring a deleted repository back')
    .action(async (given: string, _flags: object, command: Command) => {
      const { orgName, repoName } = parseRepoName(given);
      const { client, print } = openSession(io, command);
      print(await client.repo.restore(orgName, repoName));
    });
}

function addTransfer(repo: Command, io: Io): void {
  repo
    .command('transfer <org/repo> <new-org>')
    .summary('move a repository to another organization')
    .action(async (given: string, newOrgName: string, _flags: object, command: Command) => {
      const { orgName, repoName } = parseRepoName(given);
      const { client, print } = openSession(io, command);
      print(await client.repo.transfer(orgName, repoName, { newOrgName }));
    });
}

function addConfigure(repo: Command, io: Io): void {
  repo
    .command('configure [org/repo]')
    .summary('turn features of a repository on or off')
    .addOption(
      new Option('--stream-submissions <state>', 'whether it takes streaming submissions')
        .choices(['on', 'off'])
        .makeOptionMandatory(),
    )
    .action(async (given: string | undefined, flags: { streamSubmissions: 'on' | 'off' }, command: Command) => {
      const { orgName, repoName } = repoOf(io, command, given);
      const { client, print } = openSession(io, command);
      const features = { streamSubmissions: flags.streamSubmissions === 'on' };
      print(await client.repo.configure(orgName, repoName, { features }));
    });
}
