// The `cairn` command, run in this process.
import { tmpdir } from 'node:os';
import { PassThrough, Readable } from 'node:stream';
import { expect } from 'vitest';
import type { Io } from '../../packages/cli/src/io.ts';
import { runCommand } from '../../packages/cli/src/program.ts';
import { CairnClient } from '../../packages/sdk/src/index.ts';
import type { Engine } from '../../packages/server/src/engine/database.ts';
import { createOwnerToken, startTestServer } from './server.ts';

export interface CommandRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function cairn(
  args: readonly string[],
  environment: Record<string, string> = {},
  input = '',
  stderrColumns?: number,
  onStderr: (text: string) => void = () => {},
): Promise<CommandRun> {
  return await runCairn(args, { environment, stderrColumns, stdin: Readable.from([Buffer.from(input)]) }, onStderr);
}

/** `given` overrides parts of the command's input and output. */
export async function runCairn(
  args: readonly string[],
  given: Partial<Io>,
  onStderr: (text: string) => void = () => {},
): Promise<CommandRun> {
  let stdout = '';
  let stderr = '';
  const code = await runCommand(args, {
    stdin: Readable.from([]),
    stdout: (text) => {
      stdout += text;
    },
    stderr: (text) => {
      stderr += text;
      onStderr(text);
    },
    writeOut: async (bytes) => {
      stdout += Buffer.from(bytes).toString('utf8');
    },
    isTerminal: false,
    questions: new PassThrough(),
    stdoutIsTerminal: false,
    stdoutColumns: undefined,
    stderrColumns: undefined,
    retry: { pauseMs: 0 },
    folder: tmpdir(),
    userId: process.getuid?.(),
    platform: process.platform,
    openPage: () => {},
    environment: {},
    ...given,
  });
  // A check for every test: no sentence ends with two periods.
  expect(stderr).not.toMatch(/[^./]\.\.(?![./])/);
  return { code, stdout, stderr };
}

export interface RepositoryCommands {
  readonly run: (args: readonly string[], input?: string) => Promise<CommandRun>;
  readonly json: (...args: string[]) => Promise<unknown>;
  /** For commands that connect through something else, such as a proxy. */
  readonly environment: Record<string, string> & { readonly CAIRN_URL: string };
  readonly client: CairnClient;
}

export async function openRepository(
  engine: Engine,
  settings: Record<string, string> = {},
): Promise<RepositoryCommands> {
  const { url, store } = await startTestServer(engine, settings);
  const token = await createOwnerToken(store);
  const environment = { CAIRN_URL: url, CAIRN_TOKEN: token, CAIRN_REPO: 'ada/world' };
  const run = (args: readonly string[], input = '') => cairn(args, environment, input);
  const json = async (...args: string[]): Promise<unknown> => {
    const { code, stdout, stderr } = await run(['--json', ...args]);
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
    return JSON.parse(stdout);
  };
  await json('repo', 'create', 'ada/world');
  return { run, json, environment, client: new CairnClient({ url, token }) };
}
