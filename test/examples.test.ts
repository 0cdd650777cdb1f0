// The examples, run as their READMEs say, as separate processes with a real server. Each example asserts its own steps.
// This test checks that it succeeds and leaves the documented result.
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CairnClient } from '@cairn/sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findRepository } from '../packages/server/src/repository/repository.sql.ts';
import { startBrowser } from './support/chromium.ts';
import { EXAMPLE_PATH } from './support/page-example.ts';
import { startProxy } from './support/proxy.ts';
import { cairnFile, createOwnerToken, ROOT, startProcess, startTestServer } from './support/server.ts';
import { IS_LONG } from './support/suite.ts';
import { verifyRepository } from './support/verify.ts';

/** These examples belong to something larger and have their own tests. */
const TESTED_BY: Readonly<Record<string, string>> = {
  'component-word-count': 'test/component-word-count.test.ts',
  'mcp-agent': 'test/mcp-agent.test.ts',
  'webhook-receiver': 'test/webhook-receiver.test.ts',
};

const QUICKSTARTS = ['quickstart-sdk', 'quickstart-cli', 'quickstart-curl', 'quickstart-mcp'];
const RUN_HERE = [...QUICKSTARTS, 'earthquakes', 'live-dashboard'];

async function openOrganization(settings: Record<string, string> = {}) {
  const { url, store } = await startTestServer('sqlite', settings);
  const token = await createOwnerToken(store);
  const client = new CairnClient({ url, token });
  await client.org.create('acme');
  return { url, store, token, client };
}

function commandOf(example: string): string {
  const [, command = ''] =
    /```sh\n(.*?)\n```/s.exec(readFileSync(join(ROOT, 'examples', example, 'README.md'), 'utf8')) ?? [];
  return command.replace('ORG', 'acme');
}

async function run(example: string, { url, token }: { url: string; token: string }) {
  const command = startProcess('sh', ['-c', commandOf(example)], {
    CAIRN_URL: url,
    CAIRN_TOKEN: token,
    CAIRN: `${process.execPath} ${cairnFile()}`,
    PATH: EXAMPLE_PATH,
  });
  const { code } = await command.ended();
  return { code, output: command.output() };
}

describe('every example', () => {
  const folders = globSync('examples/*', { cwd: ROOT }).map((path) => path.replace('examples/', ''));

  it('is run by a test', () => {
    expect(new Set([...RUN_HERE, ...Object.keys(TESTED_BY)])).toEqual(new Set(folders));
    for (const [example, test] of Object.entries(TESTED_BY)) {
      expect(readFileSync(join(ROOT, test), 'utf8')).toContain(`examples/${example}`);
    }
  });

  it('has a README, and the README of the project names it', () => {
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
    for (const folder of folders) {
      expect([folder, existsSync(join(ROOT, 'examples', folder, 'README.md'))]).toEqual([folder, true]);
      expect(readme).toContain(`examples/${folder}/README.md`);
    }
  });
});

describe('quickstarts', () => {
  it.each(QUICKSTARTS)('%s does what it says', async (example) => {
    const { url, token, client } = await openOrganization();
    const done = await run(example, { url, token });
    expect(done.code, done.output).toBe(0);
    expect(await client.thing.get('acme', example, 'Location/cave')).toMatchObject({ data: { x: 3 }, version: 1 });
  });

  it.runIf(IS_LONG).each(QUICKSTARTS)(
    '%s can be run again, but not in a repository that is deleted',
    async (example) => {
      const { url, token, client } = await openOrganization();
      for (const _ of ['first', 'again']) {
        const done = await run(example, { url, token });
        expect(done.code, done.output).toBe(0);
        expect(await client.thing.get('acme', example, 'Location/cave')).toMatchObject({ version: 1 });
      }
      await client.repo.delete('acme', example);
      const deleted = await run(example, { url, token });
      expect(deleted.code, deleted.output).not.toBe(0);
      expect(deleted.output).toContain('Restore it, or choose another name.');
      await client.repo.restore('acme', example);
      expect((await run(example, { url, token })).code).toBe(0);
    },
  );

  it.runIf(IS_LONG).each(QUICKSTARTS)('%s says in a sentence what is wrong', async (example) => {
    const { url, store } = await startTestServer('sqlite');
    const token = await createOwnerToken(store);
    // In order: no organization exists, the token is unknown, and no server listens.
    for (const given of [
      { url, token },
      { url, token: `${token}x` },
      { url: 'http://127.0.0.1:1', token },
    ]) {
      const { code, output } = await run(example, given);
      expect(code, output).not.toBe(0);
      expect(output).not.toMatch(/^\s+at |node:internal/m);
      expect(output.trim()).toMatch(/^.+(\n.+)?$/);
    }
  });

  it.each(QUICKSTARTS)('%s is short', (example) => {
    const [file = ''] = globSync(`examples/${example}/quickstart.*`, { cwd: ROOT });
    const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
    expect(lines.filter((line) => line !== '' && !/^(\/\/|#)/.test(line)).length).toBeLessThanOrEqual(25);
  });
});

describe('earthquakes', () => {
  const read = (file: string) => readFileSync(join(ROOT, 'examples/earthquakes', file), 'utf8');

  it.runIf(IS_LONG)(
    'streams the data set in, and every question has its answer; a second run writes nothing',
    async () => {
      const { url, token, client, store } = await openOrganization();
      const first = await run('earthquakes', { url, token });
      expect(first.code, first.output).toBe(0);
      expect(first.output).toContain('0 refused');
      const { repoSeq, counts } = await client.repo.describe('acme', 'earthquakes');
      expect(counts).toMatchObject({ thing: 12 + 74 + 1_707, assertion: 1_707 + 121 });
      const second = await run('earthquakes', { url, token });
      expect(second.code, second.output).toBe(0);
      expect((await client.repo.get('acme', 'earthquakes')).repoSeq).toBe(repoSeq);
      const found = await findRepository(store.database, { orgName: 'acme', repoName: 'earthquakes' });
      expect(await verifyRepository(store, found?.repoId ?? 0)).toEqual([]);
    },
  );

  it('says where the data comes from, and has it as it says', () => {
    const provenance = read('PROVENANCE.md');
    const rows = read('earthquakes.csv').trimEnd().split('\n').slice(1);
    expect(provenance).toContain(`${rows.length.toLocaleString('en')} rows`);
    expect(provenance).toContain(createHash('sha256').update(read('earthquakes.csv')).digest('hex'));
    expect(provenance).toMatch(/public domain/);
  });
});

async function servePage(): Promise<string> {
  const html = readFileSync(DASHBOARD, 'utf8');
  const server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(html));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const DASHBOARD = join(ROOT, 'examples/live-dashboard/dashboard.html');

async function openHall(origin: string, visibility: 'public' | 'private') {
  const { url, token, client } = await openOrganization({ CAIRN_CORS_ORIGINS: origin });
  await client.repo.create('acme', 'world', { visibility });
  await client.shape.create('acme', 'world', 'Room', { fields: { label: 'string' } });
  const add = (name: string, label: string) =>
    client.commit.submit('acme', 'world', { operations: [{ name: `Room/${name}`, data: { label } }] });
  await add('hall', 'The hall');
  return { url, token, client, add };
}

describe('live-dashboard', () => {
  it('shows a commit of a public repository when it is made, and what others wrote as text', async () => {
    const origin = await servePage();
    const { url, add } = await openHall(origin, 'public');
    const { page, complaints } = await (await startBrowser())();
    await page.goto(`${origin}/?url=${url}&repo=acme/world`);
    await page.getByRole('cell', { name: 'Room/hall', exact: true }).waitFor();
    await add('attic', '<img src=x onerror=alert(1)>');
    const row = page.getByRole('row').filter({ hasText: 'Room/attic' });
    await row.waitFor();
    expect(await row.getByRole('cell').allTextContents()).toEqual([
      'Room/attic',
      '1',
      '{"label":"<img src=x onerror=alert(1)>"}',
    ]);
    expect(await page.locator('img').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it.runIf(IS_LONG)('reads a private repository with a token, from the disk, and goes on after a cut', async () => {
    const { url, token, add } = await openHall('*', 'private');
    const proxy = await startProxy(url, {});
    const { page } = await (await startBrowser())();
    await page.goto(`${pathToFileURL(DASHBOARD).href}?url=${proxy.url}&repo=acme/world`);
    await page.getByRole('status').filter({ hasText: 'Trying again' }).waitFor();
    expect(await page.getByRole('cell').count()).toBe(0);
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByRole('cell', { name: 'Room/hall', exact: true }).waitFor();
    expect(page.url()).not.toContain(token);
    proxy.cut();
    await page.getByRole('status').filter({ hasText: 'The connection was cut' }).waitFor();
    await add('cellar', 'Below');
    await page.getByRole('cell', { name: 'Room/cellar', exact: true }).waitFor();
  });
});
