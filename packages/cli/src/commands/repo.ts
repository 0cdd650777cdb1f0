import { nearest } from '@cairn/protocol/nearest';
import { CONTENT_NAMES, type ContentName } from '@cairn/protocol/vocabulary';
import { type CairnClient, CairnError, type RepositoryDescription, type RepositoryStats } from '@cairn/sdk';
import { Argument, type Command, Option } from 'commander';
import {
  type AtFlags,
  addAt,
  addPaging,
  addProfile,
  listed,
  type ProfileFlags,
  requireChange,
  sequenceFlagsOf,
  wholeNumber,
  withFullName,
} from '../flags.ts';
import { readFile } from '../input.ts';
import type { Io } from '../io.ts';
import type { Look } from '../look.ts';
import { didYouMean, hinted } from '../near-name.ts';
import { pretty } from '../output.ts';
import { LIST_REPOSITORIES, parseRepoName, type RepoName } from '../repo-choice.ts';
import { openRepo, openSession, printed } from '../session.ts';
import { table } from '../table.ts';
import { addRoles } from './org.ts';
import { shapeText } from './prime.ts';
import { addCheckpoint, addExport } from './repo-export.ts';
import { addImport } from './repo-import.ts';

const REPO_COLUMNS = ['name', 'description', 'deletedAt', 'lastCommitAt', 'visibility', 'archived', 'repoSeq'];

export function addRepo(program: Command, io: Io): void {
  const repo = program.command('repo').summary('repositories');
  addList(repo, io);
  addView(repo, io);
  addDescription(repo, io);
  addCreate(repo, io);
  addChanges(repo, io);
  addRoles(repo, io);
  addExport(repo, io);
  addImport(repo, io);
  addCheckpoint(repo, io);
}

function addList(repo: Command, io: Io): void {
  addPaging(repo.command('list [org]'))
    .summary('list the repositories that you can see, of one or all organizations')
    .option('--deleted', 'list deleted repositories that can still be restored')
    .action(
      listed(
        io,
        openSession,
        { columns: REPO_COLUMNS, row: withFullName },
        ({ client }, paging, orgName: string | undefined, { deleted = false }: { deleted?: boolean }) =>
          client.repo.list({ ...paging, deleted, orgName }),
      ),
    );
}

function addView(repo: Command, io: Io): void {
  repo
    .command('view [org/repo]')
    .summary('show a repository')
    .action(
      printed(io, openRepo, ({ client, orgName, repoName, repo: handle }) =>
        handle()
          .get()
          .catch(async (error: unknown) => Promise.reject(await withNearRepo(client, { orgName, repoName }, error))),
      ),
    );
}

/** The error also names the repository, since a file or a variable may have chosen it. */
async function withNearRepo(client: CairnClient, { orgName, repoName }: RepoName, error: unknown): Promise<unknown> {
  if (!(error instanceof CairnError) || error.code !== 'NOT_FOUND') return error;
  const page = await client.repo.list({ orgName, limit: 500 }).catch(() => ({ items: [] }));
  const names = page.items.map(({ name }) => name);
  const near = nearest(repoName, names).map((name) => `${orgName}/${name}`);
  return hinted(
    error,
    `You asked for ${orgName}/${repoName}. ${near.length === 0 ? LIST_REPOSITORIES : didYouMean(near)}`,
  );
}

interface CreateFlags extends ProfileFlags {
  readonly public?: true;
  readonly private?: true;
}

function addCreate(repo: Command, io: Io): void {
  addProfile(repo.command('create <org/repo>'))
    .summary('create a repository')
    .addOption(new Option('--private', 'only accounts with a role can read it (default)').conflicts('public'))
    .addOption(new Option('--public', 'everyone can read it'))
    .action(async (given: string, flags: CreateFlags, command: Command) => {
      const { public: open = false, private: _, ...profile } = flags;
      const { orgName, repoName } = parseRepoName(given);
      const { client, print } = openSession(io, command);
      const options = { ...profile, visibility: open ? 'public' : 'private' } as const;
      const created = client.repo.create(orgName, repoName, options);
      print(await created.catch((error: unknown) => Promise.reject(withOrg(orgName, error))));
    });
}

/** Only the organization can be missing for a new repository. */
function withOrg(orgName: string, error: unknown): unknown {
  if (!(error instanceof CairnError) || error.code !== 'NOT_FOUND') return error;
  return hinted(
    error,
    `To create it: cairn org create ${orgName}. To list the organizations that you can see: cairn org list.`,
  );
}

function addChanges(repo: Command, io: Io): void {
  addProfile(repo.command('update [org/repo]'))
    .summary('change the display name or description of a repository')
    .action(
      printed(io, openRepo, (opened, _: string | undefined, flags: ProfileFlags) =>
        opened.repo().update(requireChange(flags)),
      ),
    );
  repo
    .command('rename <org/repo> <new-name>')
    .summary('rename a repository; its old name becomes available at once')
    .action(printed(io, openRepo, (opened, _: string, newName: string) => opened.repo().rename({ newName })));
  repo
    .command('visibility <org/repo>')
    .addArgument(new Argument('<visibility>', 'who can read it').choices(['public', 'private']))
    .summary('make a repository public or private')
    .action(
      printed(io, openRepo, (opened, _: string, visibility: 'public' | 'private') =>
        opened.repo().setVisibility({ visibility }),
      ),
    );
  for (const [usage, procedure, summary] of [
    ['archive [org/repo]', 'archive', 'make a repository read-only'],
    ['unarchive [org/repo]', 'unarchive', 'make an archived repository writable again'],
    ['delete <org/repo>', 'delete', 'delete a repository; it can be restored for 30 days'],
    ['restore <org/repo>', 'restore', 'restore a deleted repository'],
  ] as const) {
    repo
      .command(usage)
      .summary(summary)
      .action(printed(io, openRepo, (opened) => opened.repo()[procedure]()));
  }
  repo
    .command('transfer <org/repo> <new-org>')
    .summary('move a repository to another organization')
    .action(printed(io, openRepo, (opened, _: string, newOrgName: string) => opened.repo().transfer({ newOrgName })));
  repo
    .command('configure [org/repo]')
    .summary('turn features of a repository on or off')
    .addOption(
      new Option('--stream-submissions <state>', 'accept streaming submissions')
        .choices(['on', 'off'])
        .makeOptionMandatory(),
    )
    .action(
      printed(
        io,
        openRepo,
        (opened, _: string | undefined, { streamSubmissions }: { streamSubmissions: 'on' | 'off' }) =>
          opened.repo().configure({ features: { streamSubmissions: streamSubmissions === 'on' } }),
      ),
    );
}

function addDescription(repo: Command, io: Io): void {
  addAt(repo.command('describe [org/repo]'))
    .summary('show what is in a repository: its shapes with their fields')
    .action(async (_: string | undefined, flags: AtFlags, command: Command) => {
      const { repo, print } = openRepo(io, command);
      const description = await repo().describe(sequenceFlagsOf(flags));
      print(description, descriptionText(description));
    });
  addAt(repo.command('stats [org/repo]'))
    .summary('count the records of a repository, by kind and shape')
    .action(async (_: string | undefined, flags: AtFlags, command: Command) => {
      const { repo, print } = openRepo(io, command);
      const stats = await repo().stats(sequenceFlagsOf(flags));
      print(stats, (look) => statsText(stats, look));
    });
  addContent(repo, io);
}

function descriptionText({ repository, repoSeq, counts, shapes, contents }: RepositoryDescription): string {
  const { orgName, name, visibility, description } = repository;
  const texts = contents.length === 0 ? 'none' : contents.join(', ');
  const head = pretty({ name: `${orgName}/${name}`, description, visibility, ...counts, texts, repoSeq });
  return [head, ...shapes.map(shapeText)].join('\n\n');
}

function statsText({ counts, shapes, ...rest }: RepositoryStats, look: Look): string {
  const totals = pretty({ ...counts, ...rest });
  return shapes.length === 0 ? totals : `${totals}\n\n${table(shapes, ['name', 'count'], look)}`;
}

function addContent(repo: Command, io: Io): void {
  const content = repo.command('content').summary('the readme of a repository, and its instructions for agents');
  const nameArgument = () => new Argument('<name>', 'text to use').choices(CONTENT_NAMES);
  addAt(content.command('get').addArgument(nameArgument()).argument('[org/repo]'))
    .summary('print a text of a repository')
    .action(async (name: ContentName, _: string | undefined, flags: AtFlags, command: Command) => {
      const { repo, print, say } = openRepo(io, command);
      const result = await repo().getContent(name, sequenceFlagsOf(flags));
      // Printed unchanged: a final line break is not doubled.
      print(result, result.content.replace(/\n$/, ''));
      if (result.version === 0) say(`There is no ${name} yet. Write one: cairn repo content set ${name} --file FILE`);
    });
  content
    .command('set')
    .addArgument(nameArgument())
    .argument('[org/repo]')
    .summary('write a text of a repository')
    .requiredOption('--file <path>', 'read the text from this file; - is standard input')
    .option('--expected-version <version>', 'fail if it is at another version; 0: not written yet', wholeNumber)
    .option('--message <text>', 'commit message')
    .action(async (name: ContentName, _: string | undefined, { file, ...options }: SetFlags, command: Command) => {
      const { repo, print } = openRepo(io, command);
      const result = await repo().setContent(name, await readFile(io, file), options);
      print(result, pretty({ name, version: result.version, repoSeq: result.repoSeq }));
    });
}

interface SetFlags {
  readonly file: string;
  readonly expectedVersion?: number;
  readonly message?: string;
}
