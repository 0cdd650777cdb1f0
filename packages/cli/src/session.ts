// What all commands share: the global flags, the client that they lead to, and how a result is printed.
import { CairnClient, type Page } from '@cairn/sdk';
import type { Command } from 'commander';
import { UsageError } from './exit-codes.ts';
import type { Io } from './io.ts';
import { type Format, printPage, printResult } from './output.ts';
import { type ChoiceFlags, chooseKnown } from './profile-choice.ts';
import { credentialsOf } from './profile-session.ts';

/** Beside the value of a token. */
export const SHOWN_ONCE =
  'The token is shown only now. Keep it: cairn auth login --with-token reads it, and so does CAIRN_TOKEN.';

export interface GlobalFlags extends ChoiceFlags {
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
  /** As JSON the result as it is; people see its fields, or the text that is given for them. */
  readonly print: (result: unknown, people?: string) => void;
  /** Beside a result, for people alone. */
  readonly say: (text: string) => void;
  /** Whether a person follows what the command does. */
  readonly isFollowed: boolean;
  /** A page of a list; people see the columns that are named. */
  readonly printPage: (page: Page<object>, columns: readonly string[]) => void;
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
  return {
    io,
    format,
    // Found when they are asked for: work on the server's own machine needs neither.
    get url() {
      return chosen().url;
    },
    get client() {
      return client();
    },
    print: (result, people) => printResult(io, format, result, people),
    say: (text) => {
      if (isFollowed) io.stderr(`${text}\n`);
    },
    isFollowed,
    printPage: (page, columns) => printPage(io, format, { page, columns }),
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

export interface RepoName {
  readonly orgName: string;
  readonly repoName: string;
}

/** The repository that a command is about: the one that it is given, else `--repo`, else `CAIRN_REPO`. */
export function repoOf(io: Io, command: Command, given?: string): RepoName {
  const { repo = io.environment.CAIRN_REPO }: GlobalFlags = command.optsWithGlobals();
  const name = given ?? repo;
  if (name === undefined) throw new UsageError('Name the repository: ORG/REPO, --repo ORG/REPO, or CAIRN_REPO.');
  return parseRepoName(name);
}

export function parseRepoName(text: string): RepoName {
  const [orgName, repoName, rest] = text.split('/');
  if (!orgName || !repoName || rest !== undefined) {
    throw new UsageError(`${text} is not the name of a repository. Write it as ORG/REPO.`);
  }
  return { orgName, repoName };
}
