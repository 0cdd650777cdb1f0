import { CairnClient, type Page, type RepoHandle } from '@cairn/sdk';
import type { Command } from 'commander';
import { UsageError } from './exit-codes.ts';
import type { Io } from './io.ts';
import { type ColorFlags, harmless, outLook } from './look.ts';
import { type Format, type PeopleText, printPage, printResult } from './output.ts';
import { type ChoiceFlags, chooseKnown, credentialsOf } from './profile-choice.ts';
import { chooseRepo, parseRepoName, type RepoName } from './repo-choice.ts';

export const SHOWN_ONCE =
  'The token is shown only once. Save it now. Use it as CAIRN_TOKEN, or sign in with it: cairn auth login --with-token.';

export interface GlobalFlags extends ChoiceFlags, ColorFlags {
  readonly json?: true;
  readonly format?: Format;
  readonly repo?: string;
  readonly quiet?: true;
}

export interface Session {
  readonly io: Io;
  readonly url: string;
  readonly client: CairnClient;
  readonly format: Format;
  /** JSON prints the result unchanged. People see its fields, or the given text. */
  readonly print: (result: unknown, people?: PeopleText) => void;
  /** Writes a note next to the result, for people only. */
  readonly say: (text: string) => void;
  /** True if a person watches the output. */
  readonly isFollowed: boolean;
  /** Prints a page of a list. People see the given columns of each item, or of its row. */
  readonly printPage: (page: Page<object>, columns: readonly string[], row?: (item: never) => object) => void;
}

export function openSession(io: Io, command: Command): Session {
  const flags: GlobalFlags = command.optsWithGlobals();
  const chosen = once(() => chooseKnown(io, flags));
  const client = once(() => {
    const { url } = chosen();
    io.onClient?.(chosen());
    return new CairnClient({ url, retry: io.retry, ...credentialsOf(chosen(), io.environment) });
  });
  const format = formatOf(flags);
  const isFollowed = format === 'pretty' && !flags.quiet;
  const output = { io, format, look: outLook(io, flags) };
  const say = (text: string) => {
    if (isFollowed) io.stderr(harmless(`${text}\n`));
  };
  return {
    io,
    format,
    // Resolved lazily, because work on the server's own machine needs neither.
    get url() {
      return chosen().url;
    },
    get client() {
      return client();
    },
    print: (result, people) => printResult(output, result, people),
    say,
    isFollowed,
    printPage: (page, columns, row) => {
      printPage(output, { page, columns, row });
      // Otherwise an empty list would print nothing.
      if (page.items.length === 0) say('No results.');
    },
  };
}

function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

export function formatOf({ json, format }: GlobalFlags): Format {
  return json ? 'json' : (format ?? 'pretty');
}

export function repoOf(io: Io, command: Command, given = argumentOf(command, 'org/repo')): RepoName {
  const name = given ?? chooseRepo(io, command.optsWithGlobals())?.repo;
  if (name === undefined) {
    throw new UsageError('No repository is given. Use ORG/REPO, --repo ORG/REPO, CAIRN_REPO, or cairn use ORG/REPO.');
  }
  return parseRepoName(name);
}

function argumentOf({ args, registeredArguments }: Command, name: string): string | undefined {
  return args[registeredArguments.findIndex((argument) => argument.name() === name)];
}

export interface RepoSession extends Session, RepoName {
  readonly repo: () => RepoHandle;
}

export function openRepo(io: Io, command: Command): RepoSession {
  const session = openSession(io, command);
  const name = repoOf(io, command);
  const repo = () => session.client.repo(`${name.orgName}/${name.repoName}`);
  return Object.assign(session, name, { repo });
}

/** Wraps one call and prints its answer. The call gets the session, the arguments and the flags. */
export function printed<Opened extends Session, Given extends unknown[]>(
  io: Io,
  open: (io: Io, command: Command) => Opened,
  call: (opened: Opened, ...given: Given) => Promise<object>,
) {
  return async (...given: unknown[]): Promise<void> => {
    const opened = open(io, given.at(-1) as Command);
    opened.print(await call(opened, ...(given as Given)));
  };
}

export interface OwnerName {
  readonly orgName: string;
  readonly repoName: string | null;
}

export function addOwner(command: Command): Command {
  return command.option('--org <org>', "use the organization's own instead of a repository's");
}

/** `--org` overrides the repository of the environment. */
function ownerOf(io: Io, command: Command): OwnerName {
  const { org, repo }: GlobalFlags & { org?: string } = command.optsWithGlobals();
  if (org === undefined) return repoOf(io, command);
  if (repo !== undefined) throw new UsageError('Give either --org or --repo.');
  return { orgName: org, repoName: null };
}

export function openOwner(io: Io, command: Command): Session & OwnerName {
  return Object.assign(openSession(io, command), ownerOf(io, command));
}
