// A real component that runs as its own process: found in the registry, installed, viewed, updated and removed.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CairnClient } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import { createToken, EVERYTHING } from '../../packages/server/src/account/account.ts';
import { cairn } from '../support/cli.ts';
import { detail, type ExplorerWorld, expectWellMade, openExplorer, SIZES } from '../support/explorer.ts';
import { createPerson } from '../support/person.ts';
import { ROOT, startProcess, testFolder } from '../support/server.ts';
import type { Page } from '../tools/chromium.ts';

const EXAMPLE = join(ROOT, 'examples/component-word-count');
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const BOB = { email: 'bob@example.com', password: 'a password for bob' };
const HERE = '/ada/notes/operate/components/ada/word-count';

/** Registers the example of the documentation as `ada`, who also has the repository `ada/notes`. */
async function openWorld(): Promise<ExplorerWorld> {
  const component = startProcess('node', ['run.mjs', join(EXAMPLE, 'server.ts')], {
    PORT: '0',
    SETUP_SIGNING_SECRET: SECRET,
    INSTALLS_FILE: join(testFolder(), 'installs.json'),
  });
  const [, at = ''] = await component.printed(/is at (http:\S+)/);
  const world = await openExplorer((client) => client.repo.create('ada', 'notes'), {
    environment: { CAIRN_OUTBOUND_ALLOW: new URL(at).host, CAIRN_WEBHOOK_RETRY_SECONDS: '1,1,1' },
  });
  const { client } = world;
  await client.credential.create('ada', null, 'word-count-setup');
  await client.credential.setKeys('ada', null, 'word-count-setup', { WEBHOOK_SIGNING_SECRET: SECRET });
  const endpoints = ['--setup-url', `${at}/setup`, '--uninstall-url', `${at}/uninstall`];
  await command(world, 'register', EXAMPLE, ...endpoints, '--credential-set', 'word-count-setup');
  return world;
}

async function command({ url, token }: ExplorerWorld, verb: string, folder: string, ...flags: string[]) {
  const words = ['component', verb, 'word-count', '--org', 'ada', '--manifest', folder, ...flags];
  const { code, stderr } = await cairn(words, { CAIRN_URL: url, CAIRN_TOKEN: token });
  expect(code, stderr).toBe(0);
}

function laterVersion(): string {
  const folder = join(testFolder(), 'later');
  cpSync(EXAMPLE, folder, { recursive: true });
  const file = join(folder, 'component.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('"1.0.0"', '"1.1.0"'));
  return folder;
}

async function wordsOf(client: CairnClient, name: string): Promise<unknown> {
  const { data } = await client.thing.get('ada', 'notes', `WordCount/${name}`).catch(() => ({ data: undefined }));
  return data;
}

const write = (client: CairnClient, name: string, text: string) =>
  client.commit.submit('ada', 'notes', { operations: [{ operation: 'add', name: `Text/${name}`, data: { text } }] });

async function confirm(page: Page, action: string): Promise<void> {
  await page.getByRole('button', { name: action, exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click();
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
}

describe.each(SIZES)('a component on a $device', ({ size }) => {
  it('is found, installed knowing what it is given, works, rests, is updated, and ends', async () => {
    const world = await openWorld();
    const { url, client, visit } = world;
    const visitor = await visit({ size, signedIn: true });
    const { page } = visitor;
    await page.goto(`${url}/-/registry`);
    await page.getByLabel('Search').fill('nothing like it');
    await page.getByText('No matching components.').waitFor();
    await page.getByLabel('Search').fill('words');
    await page.waitForURL(/[?&]q=words/);
    await expectWellMade(visitor);
    await page.getByRole('link', { name: 'ada/word-count' }).click();
    await page.getByText('Counts the words of texts.').first().waitFor();
    await page.getByText('Manifest', { exact: true }).click();
    await expectWellMade(visitor);
    await page.getByRole('link', { name: 'In ada/notes' }).click();
    await page.getByRole('heading', { name: 'Permissions and contents of version 1.0.0' }).waitFor();
    await page.getByText('commits that touch Text').waitFor();
    await expectWellMade(visitor);
    await page.getByRole('button', { name: 'Grant and install' }).click();
    await page.getByText('ada/word-count 1.0.0 is ready.').waitFor();
    await page.getByText('No problems found.').waitFor();
    await page.locator('.state.good', { hasText: 'ready' }).waitFor();
    await page.getByText('commits that touch Text').waitFor();
    await expectWellMade(visitor);
    await page.goto(`${url}/ada/notes/shapes/WordCount`);
    await page.getByText('This shape belongs to the component ada/word-count, which added it.').waitFor();
    expect(await page.getByRole('link', { name: /Edit fields|Rename|Retract/ }).count()).toBe(0);
    await expectWellMade(visitor);
    // The record page of the shape offers no more.
    await page.goto(`${url}/ada/notes/record/WordCount`);
    await page.getByText('This shape belongs to the component ada/word-count, which added it.').waitFor();
    await page.getByRole('link', { name: 'Add an assertion' }).waitFor();
    expect(await page.getByRole('link', { name: /Revise|Edit fields|Rename|Retract/ }).count()).toBe(0);
    await expectWellMade(visitor);
    await page.goto(`${url}/ada/notes/edit-shape/WordCount`);
    await page.getByText('Only a new version of the component can change it').waitFor();
    expect(await page.getByRole('form', { name: 'Shape' }).count()).toBe(0);
    await page.getByRole('link', { name: 'ada/word-count' }).click();
    await write(client, 'first', 'Stones on stones show the way.');
    await expect.poll(() => wordsOf(client, 'first')).toMatchObject({ words: 6 });

    await confirm(page, 'Pause');
    await page.getByText('Its tokens are rejected').waitFor();
    expect((await client.component.get('ada', 'notes', 'ada/word-count')).state).toBe('paused');
    await confirm(page, 'Resume');
    await page.getByText('Everything that it declares exists.').waitFor();

    await command(world, 'publish', laterVersion());
    await page.reload();
    await page.getByText('Version 1.1.0 is published').waitFor();
    await page.getByRole('button', { name: 'Update' }).click();
    await page.getByRole('dialog').getByText('Version 1.1.0 gets these permissions').waitFor();
    await expectWellMade(visitor);
    await page.getByRole('dialog').getByRole('button', { name: 'Update' }).click();
    await page.getByText('ada/word-count 1.1.0 is ready.').waitFor();
    expect((await client.component.get('ada', 'notes', 'ada/word-count')).version).toBe('1.1.0');
    await page.getByRole('button', { name: 'Update' }).waitFor({ state: 'detached' });

    await page.goto(`${url}/ada/notes/operate/components`);
    await page.getByRole('list', { name: 'Installed' }).getByText('1.1.0').waitFor();
    await expectWellMade(visitor);
    await page.getByRole('list', { name: 'Installed' }).getByRole('link', { name: 'ada/word-count' }).click();
    await confirm(page, 'Uninstall');
    await page.getByText('This component is not installed here.').waitFor();
    expect(await wordsOf(client, 'first')).toMatchObject({ words: 6 });
    await expectWellMade(visitor);
  });
});

detail('what a component without a setup endpoint will lack is told before it is installed', async () => {
  const world = await openExplorer((client) => client.repo.create('ada', 'notes'));
  await command(world, 'register', EXAMPLE);
  const visitor = await world.visit({ signedIn: true });
  const { page } = visitor;
  const told = page.getByRole('region', { name: 'Missing parts' });
  await page.goto(`${world.url}/-/registry/ada/word-count`);
  await told.getByText('credential set word-count, subscription word-count').waitFor();
  await expectWellMade(visitor);
  await page.getByRole('link', { name: 'In ada/notes' }).click();
  await page.getByRole('button', { name: 'Grant and install' }).waitFor();
  await told.getByText('cairn component publish').waitFor();
  await expectWellMade(visitor);
  await page.getByRole('button', { name: 'Grant and install' }).click();
  await page.getByText('ada/word-count 1.0.0 is degraded').waitFor();
  await page.getByText('by ada').waitFor();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  // Installing again would not help.
  expect(await page.getByRole('button', { name: 'Reinstall' }).count()).toBe(0);
});

detail(
  'an install goes on while other pages are looked at, and what it lacks is told, by the keyboard alone',
  async () => {
    const world = await openWorld();
    const { url, client, visit } = world;
    const visitor = await visit({ signedIn: true });
    const { page } = visitor;
    await page.goto(`${url}${HERE}`);
    await page.getByRole('button', { name: 'Grant and install' }).press('Enter');
    await page
      .getByRole('banner')
      .getByRole('link', { name: /^Tasks/ })
      .press('Enter');
    await page.getByText('ada/word-count 1.0.0 is ready.').waitFor();
    await expectWellMade(visitor);
    await page.getByRole('link', { name: 'Install of ada/word-count in ada/notes' }).press('Enter');
    await page.getByText('No problems found.').waitFor();
    await client.subscription.delete('ada', 'notes', 'word-count');
    await page.reload();
    await page.getByText('Something that the manifest declares is not there. subscription word-count').waitFor();
    await expectWellMade(visitor);
    await page.getByRole('button', { name: 'Reinstall' }).press('Enter');
    await page.getByText('No problems found.').waitFor();
  },
);

detail('a viewer sees how it stands and no buttons, and is refused when they try', async () => {
  const { url, store, client, visit } = await openWorld();
  await createPerson(store, { ...BOB, operator: false });
  await client.org.addMember('ada', { handle: 'bob' }, 'viewer');
  const { token } = await createToken(store, { email: BOB.email, name: 'all', scopes: EVERYTHING });
  const asBob = new CairnClient({ url, token });
  const visitor = await visit({ signedIn: BOB });
  const { page } = visitor;
  await page.goto(`${url}${HERE}`);
  await page.getByText('An admin of ada can change your role').waitFor();
  expect(await page.getByRole('button', { name: /install/i }).count()).toBe(0);
  await expectWellMade(visitor);
  await client.component.install('ada', 'notes', 'ada/word-count');
  await page.reload();
  await page.getByText('No problems found.').waitFor();
  await page.getByText('An admin of ada can change your role').waitFor();
  expect(await page.getByRole('button', { name: /Pause|Uninstall|Reinstall/ }).count()).toBe(0);
  await expectWellMade(visitor);
  const refused = { code: 'FORBIDDEN' };
  await expect(asBob.component.pause('ada', 'notes', 'ada/word-count')).rejects.toMatchObject(refused);
  await expect(asBob.component.teardown('ada', 'notes', 'ada/word-count')).rejects.toMatchObject(refused);
});

it('what a component says of itself is shown, and not run', async () => {
  const hostile = '<img src=x onerror=alert(1)> \u202e <script>alert(2)</script>';
  const { url, client, visit } = await openExplorer(async () => {});
  await client.component.register('ada', 'hostile', {
    manifest: {
      component: { id: 'com.x.Hostile', name: 'hostile', version: '1.0.0', description: hostile },
      shapes: [{ name: 'Thing', fields: {}, description: hostile }],
    },
  });
  const visitor = await visit({ signedIn: true });
  await visitor.page.goto(`${url}/-/registry/ada/hostile`);
  await visitor.page.getByText('<img src=x onerror=alert(1)>').first().waitFor();
  await visitor.page.getByText('U+202E').first().waitFor();
  await expectWellMade(visitor);
  await visitor.page.goto(`${url}/ada/-/components`);
  await visitor.page.getByRole('link', { name: 'ada/hostile' }).waitFor();
  await expectWellMade(visitor);
});

detail('where there is none to install, it is said how one comes by one', async () => {
  const { url, visit } = await openExplorer((client) => client.repo.create('ada', 'notes'));
  const visitor = await visit({ signedIn: true });
  const { page } = visitor;
  for (const path of ['/ada/-/components', '/ada/notes/operate/components', '/-/registry']) {
    await page.goto(`${url}${path}`);
    const link = page.getByText('There are no components yet.').getByRole('link', { name: 'Components' });
    expect(await link.getAttribute('href')).toBe('/docs/components');
    await expectWellMade(visitor);
  }
  expect((await fetch(`${url}/docs/components`)).status).toBe(200);
});

detail('the registry is searched by the server, beyond what is listed at first', async () => {
  const { url, client, visit } = await openExplorer(async () => {});
  for (let number = 0; number <= 60; number += 1) {
    const name = `part-${String(number).padStart(2, '0')}`;
    const description = number === 60 ? 'The keystone' : 'A stone';
    const manifest = { component: { id: `com.x.${name}`, name, version: '1.0.0', description } };
    await client.component.register('ada', name, { manifest });
  }
  const visitor = await visit({ signedIn: true });
  const { page } = visitor;
  await page.goto(`${url}/-/registry`);
  const listed = page.getByRole('list', { name: 'Components' }).getByRole('listitem');
  await expect.poll(() => listed.count()).toBe(50);
  await page.getByLabel('Search').fill('KEYSTONE');
  await expect.poll(() => listed.count()).toBe(1);
  await listed.getByRole('link', { name: 'ada/part-60' }).waitFor();
  await expectWellMade(visitor);
});

detail('keys that are not set lead to the page where they are', async () => {
  const { url, client, visit } = await openExplorer((made) => made.repo.create('ada', 'notes'));
  const requiredKeys = [{ key: 'TRACKER_TOKEN' }];
  const manifest = {
    component: { id: 'com.x.Tracker', name: 'tracker', version: '1.0.0' },
    credentials: [{ name: 'tracker-keys', requiredKeys }],
  };
  await client.component.register('ada', 'tracker', { manifest });
  await client.component.install('ada', 'notes', 'ada/tracker');
  const visitor = await visit({ signedIn: true });
  const { page } = visitor;
  await page.goto(`${url}/ada/notes/operate/components/ada/tracker`);
  await page.getByText(/^Set TRACKER_TOKEN in its credential set tracker-keys/).waitFor();
  expect(await page.getByText('cairn credential').count()).toBe(0);
  await expectWellMade(visitor);
  await page.getByRole('link', { name: 'its credential set tracker-keys' }).click();
  await page.waitForURL(`${url}/ada/notes/operate/credentials/tracker-keys`);
  await page.getByLabel('Key', { exact: true }).fill('TRACKER_TOKEN');
  await page.getByLabel('Value').fill('a secret');
  await page.getByRole('button', { name: 'Set key' }).click();
  await page.getByRole('list', { name: 'Keys' }).getByText('TRACKER_TOKEN', { exact: true }).waitFor();
  await page.goto(`${url}/ada/notes/operate/components/ada/tracker`);
  await page.getByText('No problems found.').waitFor();
});
