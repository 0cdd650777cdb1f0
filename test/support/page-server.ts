// A server for the examples of a page of docs/, which run in order and unchanged.
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CairnClient } from '@cairn/sdk';
import { expect } from 'vitest';
import { commandsIn, EXAMPLE_PATH, type Example, readPage, scriptIn } from './page-example.ts';
import { cairnFile, createOwnerToken, ROOT, startProcess, startTestServer, testFolder } from './server.ts';

export interface PageExamples {
  /** Runs the commands of the page, and expects the output shown there. Calls `before` ahead of each. */
  readonly runCommands: (before?: (command: string) => Promise<void>) => Promise<void>;
  readonly runScript: () => Promise<void>;
}

export interface PageServer extends PageExamples {
  readonly client: CairnClient;
}

interface PageOptions {
  readonly environment?: Record<string, string>;
  /** Texts of the page and their replacements here, such as the address of a server that the page starts. */
  readonly replaced?: Record<string, string>;
}

export interface PageServerOptions extends PageOptions {
  readonly settings?: Record<string, string>;
}

export async function openPageServer(page: string, options: PageServerOptions = {}): Promise<PageServer> {
  const { url, store } = await startTestServer('sqlite', options.settings ?? {});
  const token = await createOwnerToken(store);
  const client = new CairnClient({ url, token });
  await client.org.create('acme');
  return { client, ...pageExamples(page, { url, token: () => token, ...options }) };
}

interface Place extends PageOptions {
  readonly url: string;
  /** Read before each example, because one page creates the token in its first example. */
  readonly token: () => string;
  readonly onOutput?: (output: string) => void;
}

export function pageExamples(page: string, place: Place): PageExamples {
  const { url, token, environment = {}, replaced = {}, onOutput = () => {} } = place;
  const folder = testFolder();
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const places = Object.entries({ ...replaced, 'http://localhost:8787': url, 'localhost:8787': new URL(url).host });
  const here = (text: string) => places.reduce((result, [there, place]) => result.replaceAll(there, place), text);
  const settings: Record<string, string> = { CAIRN_REPO: repositoryOf(page), ...environment, CAIRN_URL: url };
  const run = (command: string) => runIn(folder, command, { ...settings, CAIRN_TOKEN: token() });
  return {
    runCommands: async (before = async () => {}) => {
      for (const { command, lines } of present(commandsIn(page), page)) {
        await before(command);
        Object.assign(settings, exportedBy(here(command)));
        const output = await run(here(command));
        onOutput(output);
        const missing = lines.filter((line) => !holds(output, here(line)));
        expect(missing, `${command}\n${output}`).toEqual([]);
      }
    },
    runScript: async () => {
      const [{ command, lines }] = present(
        [scriptIn(page)].filter((script) => script !== undefined),
        page,
      );
      writeFileSync(join(folder, 'example.ts'), here(command));
      const printed = (await run(`node ${ROOT}/run.mjs example.ts`)).split('\n');
      const missing = lines.filter((line) => !printed.includes(line));
      expect(missing, printed.join('\n')).toEqual([]);
    },
  };
}

/** A test without examples would pass for every page. */
function present(examples: readonly Example[], page: string): [Example, ...Example[]] {
  const [first, ...rest] = examples;
  if (first === undefined) throw new Error(`${page} has nothing to run`);
  return [first, ...rest];
}

/** Variables that a command exports. The test sets those that need a shell, such as a new secret. */
function exportedBy(command: string): Record<string, string> {
  const [, name, value = ''] = /^export (\w+)=([\w./:-]+)$/m.exec(command) ?? [];
  return name === undefined ? {} : { [name]: value };
}

function repositoryOf(page: string): string {
  const [, repository = 'acme/lab'] = /export CAIRN_REPO=([\w/-]+)/.exec(readPage(page)) ?? [];
  return repository;
}

async function runIn(folder: string, command: string, environment: Record<string, string>): Promise<string> {
  const cairn = command.replaceAll('npx cairn', `node ${cairnFile()}`);
  const started = startProcess('sh', ['-c', `cd ${folder}\n${cairn}`], { PATH: EXAMPLE_PATH, ...environment });
  expect((await started.ended()).code, `${command}\n${started.output()}`).toBe(0);
  return started.output();
}

/** A `…` on the page stands for omitted parts of a line. */
function holds(output: string, line: string): boolean {
  const escaped = normal(line)
    .split('…')
    .map((part) => part.trim().replaceAll(/[^\w ]/g, '\\$&'));
  return new RegExp(escaped.join('.*'), 's').test(normal(output));
}

/** Identities and derived names differ between servers. */
const normal = (text: string) => text.replaceAll(/[0-9A-Z]{26}|[0-9a-f]{32}/g, 'ID').replaceAll(/ +/g, ' ');
