// The examples of docs/reading.md, run one after the other as they stand there.
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CairnClient } from '@cairn/sdk';
import { expect, it, onTestFinished } from 'vitest';
import { commandsIn, EXAMPLE_PATH, scriptIn } from './support/page-example.ts';
import { waitForSearch } from './support/search-wait.ts';
import { createOwnerToken, ROOT, startProcess, startTestServer } from './support/server.ts';

const PAGE = 'docs/reading.md';

/** The page leaves out what is between the parts of a line, by `…`. */
function holds(output: string, line: string): boolean {
  const escaped = normal(line)
    .split('…')
    .map((part) => part.trim().replaceAll(/[^\w ]/g, '\\$&'));
  return new RegExp(escaped.join('.*'), 's').test(normal(output));
}

const normal = (text: string) => text.replaceAll(/ +/g, ' ');

async function openServer() {
  const { url, store } = await startTestServer('sqlite');
  const token = await createOwnerToken(store);
  const client = new CairnClient({ url, token });
  await client.org.create('acme');
  const environment = { CAIRN_URL: url, CAIRN_TOKEN: token, CAIRN_REPO: 'acme/lab', PATH: EXAMPLE_PATH };
  const run = async (command: string) => {
    const here = command.replaceAll('http://localhost:8787', url).replaceAll('localhost:8787', new URL(url).host);
    const started = startProcess(
      'sh',
      ['-c', here.replaceAll('npx cairn', 'node packages/cli/bin/cairn.mjs')],
      environment,
    );
    expect((await started.ended()).code, `${command}\n${started.output()}`).toBe(0);
    return started.output();
  };
  return { url, client, run };
}

it('the examples of docs/reading.md do what they say', async () => {
  const { url, client, run } = await openServer();
  for (const { command, lines } of commandsIn(PAGE)) {
    // The page says that the index follows within a second or so; the test waits for it.
    if (/[?&]q=|search/.test(command)) {
      await waitForSearch(() => client.thing.search('acme', 'lab', 'hall'));
    }
    const output = await run(command);
    expect(
      lines.filter((line) => !holds(output, line)),
      `${command}\n${output}`,
    ).toEqual([]);
  }

  const folder = mkdtempSync(join(tmpdir(), 'cairn-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const { command, lines } = scriptIn(PAGE);
  writeFileSync(join(folder, 'example.ts'), command.replace('http://localhost:8787', url));
  const output = await run(`node run.mjs ${join(folder, 'example.ts')}`);
  expect(
    lines.filter((line) => !output.split('\n').includes(line)),
    output,
  ).toEqual([]);
});
