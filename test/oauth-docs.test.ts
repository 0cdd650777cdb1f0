// The examples of docs/oauth.md, run unchanged: the commands, and the program, which a user authorizes.
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Browser } from './support/browser.ts';
import { openSignedIn, openSite } from './support/oauth.ts';
import { blocksOf, readPage } from './support/page-example.ts';
import { openPageServer } from './support/page-server.ts';
import { OWNER, ROOT, startProcess, testFolder } from './support/server.ts';

const PAGE = 'docs/oauth.md';

it('the commands of docs/oauth.md print what it says', async () => {
  const { runCommands } = await openPageServer(PAGE);
  await runCommands();
});

async function startProgram(url: string) {
  const folder = testFolder();
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const file = join(folder, 'notes.ts');
  writeFileSync(file, blocksOf(readPage(PAGE), 'ts').replaceAll('http://localhost:8787', url));
  const program = startProcess('node', ['run.mjs', file], {});
  const [, address = ''] = await program.printed(/Open (\S+)\n/);
  return { program, address };
}

it('the program of docs/oauth.md acts for who allows it, until its session is over', async () => {
  const { url } = await openSite('sqlite');
  const { program, address } = await startProgram(url);
  const browser = new Browser();
  const question = await openSignedIn(browser, address);
  expect(question.text).toContain('Allow Notes to act for you?');
  const back = await browser.submit(question, { decision: 'allow' });
  expect(back.text).toBe('You can close this page.');
  expect((await program.ended()).code, program.output()).toBe(0);
  expect(program.output()).toContain("kind: 'session'");
  expect(program.output()).toContain(`handle: '${OWNER.name}'`);
  const account = await browser.open(`${url}/auth/account`);
  expect(account.text).toContain('Connected clients');
  expect(account.text).not.toContain('Notes');
});

it('the program of docs/oauth.md ends when it is refused', async () => {
  const { url } = await openSite('sqlite');
  const { program, address } = await startProgram(url);
  const browser = new Browser();
  await browser.submit(await openSignedIn(browser, address), { decision: 'refuse' });
  expect((await program.ended()).code).not.toBe(0);
  expect(program.output()).toContain('access_denied');
});
