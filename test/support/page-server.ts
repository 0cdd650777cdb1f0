// A server for the examples of a page of docs/, and how they are run on it: one after the other, as they stand there.
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CairnClient } from '@cairn/sdk';
import { expect, onTestFinished } from 'vitest';
import { commandsIn, EXAMPLE_PATH, scriptIn } from './page-example.ts';
import { createOwnerToken, ROOT, startProcess, startTestServer } from './server.ts';

export interface PageServer {
  readonly client: CairnClient;
  /** Runs the commands of the page, each of which must print what the page says; `before` is called before each. */
  readonly runCommands: (before?: (command: string) => Promise<void>) => Promise<void>;
  /** Runs the TypeScript of the page as one script. */
  readonly runScript: () => Promise<void>;
}

interface PageOptions {
  /** Of the server. */
  readonly settings?: Record<string, string>;
  /** For the examples. */
  readonly environment?: Record<string, string>;
  /** What stands on the page, and what it is here, such as the address of something that the page has started. */
  readonly replaced?: Record<string, string>;
}

export async function openPageServer(page: string, options: PageOptions = {}): Promise<PageServer> {
  const { settings = {}, environment = {}, replaced = {} } = options;
  const { url, store } = await startTestServer('sqlite', settings);
  const token = await createOwnerToken(store);
  const client = new CairnClient({ url, token });
  await client.org.create('acme');
  const folder = mkdtempSync(join(tmpdir(), 'cairn-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const places = Object.entries({ ...replaced, 'http://localhost:8787': url, 'localhost:8787': new URL(url).host });
  const here = (text: string) => places.reduce((result, [there, place]) => result.replaceAll(there, place), text);
  const run = runnerIn(folder, { ...environment, CAIRN_URL: url, CAIRN_TOKEN: token });
  return {
    client,
    runCommands: async (before = async () => {}) => {
      for (const { command, lines } of commandsIn(page)) {
        await before(command);
        const output = await run(here(command));
        const missing = lines.filter((line) => !holds(output, here(line)));
        expect(missing, `${command}\n${output}`).toEqual([]);
      }
    },
    runScript: async () => {
      symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
      const { command, lines } = scriptIn(page);
      writeFileSync(join(folder, 'example.ts'), here(command));
      const printed = (await run(`node ${ROOT}/run.mjs example.ts`)).split('\n');
      const missing = lines.filter((line) => !printed.includes(line));
      expect(missing, printed.join('\n')).toEqual([]);
    },
  };
}

/** Files that the examples write are in a folder of their own. */
function runnerIn(folder: string, environment: Record<string, string>) {
  return async (command: string): Promise<string> => {
    const cairn = command.replaceAll('npx cairn', `node ${ROOT}/packages/cli/bin/cairn.mjs`);
    const settings = { CAIRN_REPO: 'acme/lab', PATH: EXAMPLE_PATH, ...environment };
    const started = startProcess('sh', ['-c', `cd ${folder}\n${cairn}`], settings);
    expect((await started.ended()).code, `${command}\n${started.output()}`).toBe(0);
    return started.output();
  };
}

/** The page leaves out what is between the parts of a line, by `…`. */
function holds(output: string, line: string): boolean {
  const escaped = normal(line)
    .split('…')
    .map((part) => part.trim().replaceAll(/[^\w ]/g, '\\$&'));
  return new RegExp(escaped.join('.*'), 's').test(normal(output));
}

const normal = (text: string) => text.replaceAll(/ +/g, ' ');
