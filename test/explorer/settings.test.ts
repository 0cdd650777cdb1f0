// Settings of repositories and organizations, also for users who may not change them.
import { CairnClient } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import { createToken, EVERYTHING } from '../../packages/server/src/account/account.ts';
import { detail, expectMissing, expectWellMade, openExplorer, SIZES } from '../support/explorer.ts';
import { createPerson } from '../support/person.ts';
import type { Page } from '../tools/chromium.ts';

const BOB = { email: 'bob@example.com', password: 'a password for bob' };

const fill = async (client: CairnClient) => {
  await client.org.create('acme');
  await client.repo.create('acme', 'world');
};

async function confirm(page: Page, action: string): Promise<void> {
  await page.getByRole('button', { name: action, exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click();
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
}

describe.each(SIZES)('on a $device', ({ size }) => {
  it('a repository is described, set up, opened, renamed, archived and moved', async () => {
    const { url, client, visit } = await openExplorer(fill);
    const visitor = await visit({ size, signedIn: true });
    const { page } = visitor;
    await page.goto(`${url}/acme/world`);
    await page.getByRole('navigation', { name: 'Repository' }).getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
    await page.getByRole('heading', { name: 'Delete' }).waitFor();
    await expectWellMade(visitor);
    const about = page.getByRole('form', { name: 'About' });
    await about.getByLabel('Display name').fill('The world');
    await about.getByLabel('Description').fill('Caves');
    await about.getByRole('button', { name: 'Save' }).click();
    await page.getByText('was saved').waitFor();
    await page.getByLabel('Streaming submissions').uncheck();
    await page.getByRole('button', { name: 'Save features' }).click();
    await page.getByText('The features were saved').waitFor();
    expect(await client.repo.get('acme', 'world')).toMatchObject({
      displayName: 'The world',
      description: 'Caves',
      features: { streamSubmissions: false },
    });
    await confirm(page, 'Make public');
    await page.getByText('This repository is public: everyone can read it').waitFor();
    expect((await new CairnClient({ url }).repo.get('acme', 'world')).visibility).toBe('public');
    await page.getByRole('form', { name: 'Rename' }).getByLabel('Name').fill('caves');
    await page.keyboard.press('Enter');
    const question = page.getByRole('dialog', { name: 'Rename acme/world to acme/caves?' });
    await question.getByText('Links to acme/world').waitFor();
    await expectWellMade(visitor);
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect((await client.repo.get('acme', 'world')).name).toBe('world');
    await page.getByRole('button', { name: 'Rename', exact: true }).click();
    await question.getByRole('button', { name: 'Rename' }).click();
    await page.waitForURL(`${url}/acme/caves/settings`);
    await page.getByText('Renamed to acme/caves').waitFor();
    await confirm(page, 'Archive');
    await page.getByText('The repository is archived and read-only').waitFor();
    await expect(client.repo.setContent('acme', 'caves', 'readme', 'x')).rejects.toThrow();
    await confirm(page, 'Unarchive');
    await page.getByText('Archiving makes the repository read-only').waitFor();
    await page.getByRole('button', { name: 'Move' }).click();
    await page.getByRole('dialog').getByLabel('New organization').selectOption('ada');
    await expectWellMade(visitor);
    await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click();
    await page.waitForURL(`${url}/ada/caves/settings`);
    expect(await client.repo.get('ada', 'caves')).toMatchObject({ archived: false });
    await page.getByText('Moved to ada/caves').waitFor();
    await expectWellMade(visitor);
  });

  it('the demo repository is deleted as its page promises, and brought back', async () => {
    const { url, client, visit } = await openExplorer(async () => {});
    const visitor = await visit({ size, signedIn: true });
    const { page } = visitor;
    await page.goto(url);
    await page.getByRole('button', { name: 'Create demo repository ada/valley' }).click();
    await page.waitForURL(`${url}/ada/valley`);
    await page.getByRole('navigation', { name: 'Repository' }).getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    const question = page.getByRole('dialog');
    expect(await question.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
    await question.getByLabel('Type ada/valley to confirm').fill('ada/valley');
    await expectWellMade(visitor);
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL(`${url}/ada`);
    await page.getByText(/You can restore it until /).waitFor();
    await expect(client.repo.get('ada', 'valley')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await page.getByRole('link', { name: 'ada/valley' }).count()).toBe(0);
    await expectWellMade(visitor);
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.waitForURL(`${url}/ada/valley`);
    await page.getByRole('heading', { name: 'A small valley' }).waitFor();

    await client.repo.delete('ada', 'valley');
    await page.goto(`${url}/ada/-/settings`);
    await page.getByRole('button', { name: 'Restore valley' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await page.waitForURL(`${url}/ada/valley`);
    await page.getByRole('heading', { name: 'A small valley' }).waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  detail('an organization is described, archived and renamed', async () => {
    const { url, client, visit } = await openExplorer(fill);
    const visitor = await visit({ size, signedIn: true });
    const { page } = visitor;
    await page.goto(`${url}/acme`);
    await page.getByRole('navigation', { name: 'Organization' }).getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('form', { name: 'About' }).getByLabel('Display name').fill('Acme, Inc.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('was saved').waitFor();
    await expectWellMade(visitor);
    await confirm(page, 'Archive');
    await page.getByText('is archived and read-only.').first().waitFor();
    expect(await client.org.get('acme')).toMatchObject({ archived: true, displayName: 'Acme, Inc.' });
    await confirm(page, 'Unarchive');
    await page.getByText('Archiving makes the organization with its repositories read-only.').waitFor();
    // Requests under the old name that arrive late find nothing.
    expectMissing(visitor);
    await page.getByRole('form', { name: 'Rename' }).getByLabel('Name').fill('acme-maps');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page
      .getByRole('dialog', { name: 'Rename acme to acme-maps?' })
      .getByRole('button', { name: 'Rename' })
      .click();
    await page.waitForURL(`${url}/acme-maps/-/settings`);
    expect(await client.org.get('acme-maps')).toMatchObject({ archived: false });
    await page.getByText('Renamed to acme-maps').waitFor();
    await expectWellMade(visitor);
  });

  detail('a new name that is none is refused, with one that would be taken', async () => {
    const { url, client, visit } = await openExplorer(fill);
    const { page } = await visit({ size, signedIn: true });
    const form = page.getByRole('form', { name: 'Rename' });
    await page.goto(`${url}/acme/world/settings`);
    await form.getByLabel('Name').fill('Wide World');
    await form.getByRole('button', { name: 'Rename' }).click();
    await form.getByText('not a repository name').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await form.getByRole('button', { name: 'Use wide-world' }).click();
    await form.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await page.waitForURL(`${url}/acme/wide-world/settings`);
    expect((await client.repo.get('acme', 'wide-world')).name).toBe('wide-world');
  });

  detail('the audit log says who did what, and is narrowed to a kind in its address', async () => {
    const { url, visit } = await openExplorer(async (client) => {
      await fill(client);
      for (let at = 0; at < 60; at += 1) {
        await client.repo.setVisibility('acme', 'world', { visibility: at % 2 === 0 ? 'public' : 'private' });
      }
    });
    const visitor = await visit({ size, signedIn: true });
    const { page } = visitor;
    await page.goto(`${url}/acme`);
    await page.getByRole('navigation', { name: 'Organization' }).getByRole('link', { name: 'Audit' }).click();
    await page.getByText('A repository was opened to everyone, or closed.').first().waitFor();
    expect(await page.getByRole('listitem').count()).toBe(50);
    await page.getByRole('button', { name: 'Show more entries' }).click();
    await expect.poll(() => page.getByRole('listitem').count()).toBe(62);
    await expectWellMade(visitor);
    await page.getByLabel('Action').selectOption('repo.create');
    await page.waitForURL(/[?&]action=repo.create/);
    await expect.poll(() => page.getByRole('listitem').count()).toBe(1);
    await page
      .getByRole('listitem')
      .getByText(/^By ada \(token .*\), about acme\/world$/)
      .waitFor();
    await page.getByRole('listitem').getByText('visibility: private', { exact: true }).waitFor();
    await page.reload();
    await expect.poll(() => page.getByRole('listitem').count()).toBe(1);
    await page.getByLabel('Action').selectOption('org.archive');
    await page.getByText('No entries.').waitFor();
    await expectWellMade(visitor);
  });
});

it('a role for one repository is given, and taken away, by the keyboard alone', async () => {
  const { url, store, client, visit } = await openExplorer(fill);
  await createPerson(store, { ...BOB, operator: false });
  const { page } = await visit({ signedIn: true });
  await page.goto(`${url}/acme/world/settings`);
  const form = page.getByRole('form', { name: 'Give a role' });
  await form.getByLabel('Handle or email address').focus();
  await page.keyboard.type('bob');
  await form.getByLabel('Role in this repository').press('m');
  await form.getByRole('button', { name: 'Give role' }).press('Enter');
  const row = page.getByRole('list', { name: 'Roles in this repository' }).getByRole('listitem');
  await row.getByText('maintain').waitFor();
  expect((await client.repo.listRoles('acme', 'world')).items).toMatchObject([{ handle: 'bob', role: 'maintain' }]);

  const bob = await visit({ signedIn: BOB });
  await bob.page.goto(`${url}/acme/world/settings`);
  await bob.page.getByRole('form', { name: 'About' }).waitFor();
  await bob.page.getByText('repo:admin').waitFor();
  expect(await bob.page.getByRole('button', { name: /Delete|Archive|Move|public/ }).count()).toBe(0);
  await expectWellMade(bob);

  await page.getByRole('button', { name: 'Remove the role of bob' }).press('Enter');
  await page.getByRole('dialog').getByText('bob is not a member of acme').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).press('Enter');
  await expect.poll(() => row.count()).toBe(0);
  expect((await client.repo.listRoles('acme', 'world')).items).toEqual([]);
});

detail('who gives somebody less than they have is told so before', async () => {
  const { url, store, client, visit } = await openExplorer(fill);
  await createPerson(store, { ...BOB, operator: false });
  await client.org.addMember('acme', { handle: 'bob' }, 'editor');
  const visitor = await visit({ signedIn: true });
  const { page } = visitor;
  await page.goto(`${url}/acme/world/settings`);
  const form = page.getByRole('form', { name: 'Give a role' });
  await form.getByLabel('Handle or email address').fill('bob');
  const warning = form.getByText('This removes permissions. As editor of acme, bob has the role write here');
  await warning.waitFor();
  await expectWellMade(visitor);
  await form.getByLabel('Role in this repository').selectOption('write');
  await expect.poll(() => warning.count()).toBe(0);
  // Removing the lesser role warns that it adds rights.
  await client.repo.setRole('acme', 'world', 'bob', 'read');
  await page.reload();
  await page.getByRole('button', { name: 'Remove the role of bob' }).click();
  await page.getByRole('dialog').getByText('bob gets the role write here, which allows more than now.').waitFor();
  await expectWellMade(visitor);
});

detail('a viewer sees no settings, is told why at their address, and is refused when they try', async () => {
  const { url, store, client, visit } = await openExplorer(fill);
  await createPerson(store, { ...BOB, operator: false });
  await client.org.addMember('acme', { handle: 'bob' }, 'viewer');
  const { token } = await createToken(store, { email: BOB.email, name: 'all', scopes: EVERYTHING });
  const asBob = new CairnClient({ url, token });
  const visitor = await visit({ signedIn: BOB });
  const { page } = visitor;
  for (const path of ['/acme/-/settings', '/acme/-/audit', '/acme/world/settings']) {
    await page.goto(`${url}${path}`);
    await page.getByText('An admin of acme can change your role').waitFor();
    expect(await page.getByRole('form').count()).toBe(0);
    const pages = page.getByRole('navigation', { name: /Organization|Repository/ });
    expect(await pages.getByRole('link', { name: /Settings|Audit/ }).count()).toBe(0);
    await expectWellMade(visitor);
  }
  const refused = { code: 'FORBIDDEN' };
  await expect(asBob.repo.update('acme', 'world', { description: 'x' })).rejects.toMatchObject(refused);
  await expect(asBob.repo.delete('acme', 'world')).rejects.toMatchObject(refused);
  await expect(asBob.org.update('acme', { description: 'x' })).rejects.toMatchObject(refused);
  await expect(asBob.audit.list('acme')).rejects.toMatchObject(refused);
});

detail('in the past nothing is set', async () => {
  const { url, visit } = await openExplorer(async (client) => {
    await fill(client);
    await client.repo.setContent('acme', 'world', 'readme', 'one');
  });
  const visitor = await visit({ signedIn: true });
  await visitor.page.goto(`${url}/acme/world/settings?at=1`);
  await visitor.page.getByText('which is read-only').waitFor();
  expect(await visitor.page.getByRole('form').count()).toBe(0);
  await expectWellMade(visitor);
  await visitor.page.getByRole('link', { name: 'go back to now' }).click();
  await visitor.page.getByRole('form', { name: 'About' }).waitFor();
});
