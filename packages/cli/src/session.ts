// What all commands share: the global flags, the client that they lead to, and how a result is printed.
import { CairnClient, type Page } from '@cairn/sdk';
import type { Command } from 'commander';
import { UsageError } from './exit-codes.ts';
import type { Io } from './io.ts';
import { type Format, printPage, printResult } from './output.ts';

/** Beside the value of a token. */
export const SHOWN_ONCE = 'The token is shown only now. Keep it, and give it to commands as CAIRN_TOKEN.';

const DEFAULT_URL = 'http://localhost:8787';

export interface GlobalFlags {
  readonly json?: true;
  readonly format?: Format;
  readonly url?: string;
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
  const url = flags.url ?? io.environment.CAIRN_URL ?? DEFAULT_URL;
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new UsageError(`${url} is not a URL. Write it as http://localhost:8787.`);
  }
  const format = formatOf(flags);
  const isFollowed = format === 'pretty' && !flags.quiet;
  return {
    io,
    url,
    format,
    client: new CairnClient({ url, token: io.environment.CAIRN_TOKEN, retry: io.retry }),
    print: (result, people) => printResult(io, format, result, people),
    say: (text) => {
      if (isFollowed) io.stderr(`${text}\n`);
    },
    isFollowed,
    printPage: (page, columns) => printPage(io, format, { page, columns }),
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
