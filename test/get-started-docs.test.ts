// docs/get-started.md from scratch: a new server process, its link, and every example in the order of the page.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CairnClient } from '@cairn/sdk';
import { expect, it } from 'vitest';
import { commandsIn, readPage } from './support/page-example.ts';
import { pageExamples } from './support/page-server.ts';
import { startProcess, testFolder } from './support/server.ts';

const PAGE = 'docs/get-started.md';
const LISTENING = /is at (\S+) .*?link; it works once:\s+(\S+)/s;

it('docs/get-started.md leads from nothing to committed records, by the command, from TypeScript and with curl', async () => {
  const folder = testFolder();
  const server = startProcess('npm', ['start'], {
    PORT: '0',
    CAIRN_LOG_LEVEL: 'silent',
    CAIRN_DATA: folder,
  });
  const [, url = '', link = ''] = await server.printed(LISTENING);

  writeFileSync(join(folder, 'password'), 'a password of some length');
  const [setup] = commandsIn(PAGE);
  expect(setup?.command).toBe("npx cairn setup --code 'LINK' --email you@example.com\n");
  const flags = `--password-stdin < ${join(folder, 'password')}`;
  let token = '';
  const { runCommands, runScript } = pageExamples(PAGE, {
    url,
    token: () => token,
    environment: { CAIRN_CONFIG: join(folder, 'profiles.json') },
    replaced: { LINK: link, 'you@example.com\n': `you@example.com ${flags}\n` },
    onOutput: (output) => {
      token ||= /cairn_pat_\w+/.exec(output)?.[0] ?? '';
    },
  });
  await runCommands(async (command) => {
    // In the order of the page: the TypeScript records come before those of curl.
    if (command.includes('trpc/commit.submit')) await runScript();
  });
  const client = new CairnClient({ url, token });
  const { items } = await client.thing.query('you', 'world', { shape: 'Location' });
  expect(items.map(({ name }) => name).sort()).toEqual(['Location/cave', 'Location/hut', 'Location/mill']);
  // npm must forward the signal. If it were killed first, the server would keep running.
  server.child.kill('SIGTERM');
  expect(await server.ended()).toMatchObject({ signal: null });
});

it('docs/get-started.md tells to start it as README.md does', () => {
  for (const command of ['npm install', 'npm start']) {
    expect(readPage(PAGE)).toContain(`${command}\n`);
    expect(readPage('README.md')).toContain(command);
  }
});
