// What a repository says of itself, under `repo`: its shapes, how much it holds, and its texts.
import { CONTENT_NAMES, type ContentName } from '@cairn/protocol/vocabulary';
import type { RepositoryDescription, RepositoryStats } from '@cairn/sdk';
import { Argument, type Command } from 'commander';
import { readFile } from '../input.ts';
import type { Io } from '../io.ts';
import type { Look } from '../look.ts';
import { pretty } from '../output.ts';
import { type AtFlags, addAt, sequenceFlagsOf, wholeNumber } from '../sequence.ts';
import { openSession, repoOf } from '../session.ts';
import { shapeText } from '../shape-text.ts';
import { table } from '../table.ts';

export function addDescription(repo: Command, io: Io): void {
  addAt(repo.command('describe [org/repo]'))
    .summary('show what is in a repository: its shapes with their fields')
    .action(async (given: string | undefined, flags: AtFlags, command: Command) => {
      const { orgName, repoName } = repoOf(io, command, given);
      const { client, print } = openSession(io, command);
      const description = await client.repo.describe(orgName, repoName, sequenceFlagsOf(flags));
      print(description, descriptionText(description));
    });
  addAt(repo.command('stats [org/repo]'))
    .summary('show how much is in a repository, by kind and shape')
    .action(async (given: string | undefined, flags: AtFlags, command: Command) => {
      const { orgName, repoName } = repoOf(io, command, given);
      const { client, print } = openSession(io, command);
      const stats = await client.repo.stats(orgName, repoName, sequenceFlagsOf(flags));
      print(stats, (look) => statsText(stats, look));
    });
  addContent(repo, io);
}

function descriptionText({ repository, repoSeq, counts, shapes, contents }: RepositoryDescription): string {
  const { orgName, name, visibility, description } = repository;
  const texts = contents.length === 0 ? 'none' : contents.join(', ');
  const head = pretty({ repository: `${orgName}/${name}`, visibility, description, repoSeq, ...counts, texts });
  return [head, ...shapes.map(shapeText)].join('\n\n');
}

function statsText({ counts, shapes, ...rest }: RepositoryStats, look: Look): string {
  const totals = pretty({ ...rest, ...counts });
  return shapes.length === 0 ? totals : `${totals}\n\n${table(shapes, ['name', 'count'], look)}`;
}

function addContent(repo: Command, io: Io): void {
  const content = repo.command('content').summary('its readme, and its text for agents');
  const nameArgument = () => new Argument('<name>', 'which text').choices(CONTENT_NAMES);
  addAt(content.command('get').addArgument(nameArgument()).argument('[org/repo]'))
    .summary('print a text of a repository')
    .action(async (name: ContentName, given: string | undefined, flags: AtFlags, command: Command) => {
      const { orgName, repoName } = repoOf(io, command, given);
      const { client, print, say } = openSession(io, command);
      const result = await client.repo.getContent(orgName, repoName, name, sequenceFlagsOf(flags));
      // As it is: what ends with a line end gets no second one.
      print(result, result.content.replace(/\n$/, ''));
      if (result.version === 0) say(`There is no ${name} yet. Write one: cairn repo content set ${name} --file FILE`);
    });
  content
    .command('set')
    .addArgument(nameArgument())
    .argument('[org/repo]')
    .summary('write a text of a repository')
    .requiredOption('--file <path>', 'read the text from this file; - is standard input')
    .option('--expected-version <version>', 'refuse when it is at another version; 0: not written yet', wholeNumber)
    .option('--message <text>', 'message of the commit')
    .action(async (name: ContentName, given: string | undefined, flags: SetFlags, command: Command) => {
      const { orgName, repoName } = repoOf(io, command, given);
      const { client, print } = openSession(io, command);
      const { file, ...options } = flags;
      const result = await client.repo.setContent(orgName, repoName, name, await readFile(io, file), options);
      print(result, pretty({ name, version: result.version, repoSeq: result.repoSeq }));
    });
}

interface SetFlags {
  readonly file: string;
  readonly expectedVersion?: number;
  readonly message?: string;
}
