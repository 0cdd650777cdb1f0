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

export async function openPageServer(page: string): Promise<PageServer> {
  const { url, store } = await startTestServer('sqlite');
  const token = await createOwnerToken(store);
  const client = new CairnClient({ url, token });
  await client.org.create('acme');
  const folder = mkdtempSync(join(tmpdir(), 'cairn-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const run = runnerIn(folder, { url, token });
  return {
    client,
    runCommands: async (before = async () => {}) => {
      for (const { command, lines } of commandsIn(page)) {
        await before(command);
        const output = await run(command);
        const missing = lines.filter((line) => !holds(output, line));
        expect(missing, `${command}\n${output}`).toEqual([]);
      }
    },
    runScript: async () => {
      symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
      const { command, lines } = scriptIn(page);
      writeFileSync(join(folder, 'example.ts'), command.replace('http://localhost:8787', url));
      const printed = (await run(`node ${ROOT}/run.mjs example.ts`)).split('\n');
      const missing = lines.filter((line) => !printed.includes(line));
      expect(missing, printed.join('\n')).toEqual([]);
    },
  };
}

/** Files that the examples write are in a folder of their own. */
function runnerIn(folder: string, { url, token }: { url: string; token: string }) {
  const environment = { CAIRN_URL: url, CAIRN_TOKEN: token, CAIRN_REPO: 'acme/lab', PATH: EXAMPLE_PATH };
  return async (command: string): Promise<string> => {
    const here = command
      .replaceAll('http://localhost:8787', url)
      .replaceAll('localhost:8787', new URL(url).host)
      .replaceAll('npx cairn', `node ${ROOT}/packages/cli/bin/cairn.mjs`);
    const started = startProcess('sh', ['-c', `cd ${folder}\n${here}`], environment);
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
