// What all commands share: the global flags, the client that they lead to, and how a result is printed.
import { CairnClient } from '@cairn/sdk';
import type { Command } from 'commander';
import { UsageError } from './exit-codes.ts';
import type { Io } from './io.ts';
import { type Format, printResult } from './output.ts';

const DEFAULT_URL = 'http://localhost:8787';

export interface GlobalFlags {
  readonly json?: true;
  readonly format?: Format;
  readonly url?: string;
  readonly repo?: string;
}

export interface Session {
  readonly io: Io;
  readonly url: string;
  readonly client: CairnClient;
  readonly print: (result: unknown) => void;
}

export function openSession(io: Io, command: Command): Session {
  const flags: GlobalFlags = command.optsWithGlobals();
  const url = flags.url ?? io.environment.CAIRN_URL ?? DEFAULT_URL;
  if (URL.parse(url) === null) throw new UsageError(`${url} is not a URL. Write it as http://localhost:8787.`);
  return {
    io,
    url,
    client: new CairnClient({ url, token: io.environment.CAIRN_TOKEN }),
    print: (result) => printResult(io, formatOf(flags), result),
  };
}

export function formatOf({ json, format }: GlobalFlags): Format {
  return json ? 'json' : (format ?? 'pretty');
}

export interface RepoName {
  readonly orgName: string;
  readonly repoName: string;
}

/** The repository that a command is about: `--repo`, else `CAIRN_REPO`. */
export function repoOf(io: Io, command: Command): RepoName {
  const { repo = io.environment.CAIRN_REPO }: GlobalFlags = command.optsWithGlobals();
  const [orgName, repoName, rest] = repo?.split('/') ?? [];
  if (!orgName || !repoName || rest !== undefined) {
    throw new UsageError('Name the repository: --repo ORG/NAME, or CAIRN_REPO.');
  }
  return { orgName, repoName };
}
