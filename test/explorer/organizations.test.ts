// Creating organizations and repositories in the browser, and the messages for users without the rights.
import { CairnClient } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import { createToken, EVERYTHING } from '../../packages/server/src/account/account.ts';
import { detail, type ExplorerWorld, expectWellMade, openExplorer, SIZES } from '../support/explorer.ts';
import { createPerson } from '../support/person.ts';

const BOB = { email: 'bob@example.com', password: 'a password for bob' };

async function withViewer({ url, store, client }: ExplorerWorld): Promise<CairnClient> {
  await createPerson(store, { ...BOB, operator: false });
  await client.org.addMember('acme', { handle: 'bob' }, 'viewer');
  const { token } = await createToken(store, { email: BOB.email, name: 'all', scopes: EVERYTHING });
  return new CairnClient({ url, token });
}

describe.each(SIZES)('on a $device', ({ size }) => {
  it('an organization is made, and a repository in it', async () => {
    const { url, client, visit } = await openExplorer(async () => {});
    const visitor = await visit({ size, signedIn: true });
    const { page } = visitor;
    await page.goto(url);
    await page.getByRole('link', { name: 'New organization' }).click();
    await page.getByRole('heading', { level: 1, name: 'New organization' }).waitFor();
    await expectWellMade(visitor);
    await page.getByLabel('Name', { exact: true }).fill('Acme');
    await page.getByRole('button', { name: 'Create organization' }).click();
    await page.getByText('expected an organization name').waitFor();
    await expect.poll(() => page.getByLabel('Name', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    await expectWellMade({ ...visitor, complaints: [] });
    await page.getByRole('button', { name: 'Use acme' }).click();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('acme');
    await page.getByLabel('Display name').fill('Acme, Inc.');
    await page.getByLabel('Description').fill('Who maps caves');
    // The browser logs the expected refusal.
    expect(visitor.complaints.splice(0)).toEqual([expect.stringContaining('status of 400')]);
    await page.getByRole('button', { name: 'Create organization' }).click();
    await page.waitForURL(`${url}/acme`);
    await page.getByRole('heading', { level: 1, name: 'Acme, Inc.' }).waitFor();
    expect(await client.org.get('acme')).toMatchObject({ displayName: 'Acme, Inc.', description: 'Who maps caves' });
    await page.getByText('You are its owner').waitFor();
    await expectWellMade(visitor);

    // The start page leads to the form too, with the user's own organization selected.
    await page.getByRole('banner').getByRole('link', { name: 'Cairn' }).click();
    await page.getByRole('link', { name: 'New repository' }).click();
    const where = page.getByRole('combobox', { name: 'Organization', exact: true });
    expect(await where.inputValue()).toBe('ada');
    await expect.poll(() => where.locator('option').allInnerTexts()).toEqual(['acme', 'ada']);
    await page.goto(`${url}/acme`);
    await page.getByRole('link', { name: 'New repository' }).click();
    expect(await where.inputValue()).toBe('acme');
    await where.selectOption('ada');
    await where.selectOption('acme');
    await page.getByLabel('Name', { exact: true }).fill('world');
    await page.getByLabel('Display name').fill('The world');
    await page.getByLabel('Visibility').selectOption('public');
    await expectWellMade(visitor);
    await page.getByRole('button', { name: 'Create repository' }).click();
    await page.waitForURL(`${url}/acme/world`);
    await page.getByRole('heading', { level: 1, name: 'The world' }).waitFor();
    expect(await client.repo.get('acme', 'world')).toMatchObject({ visibility: 'public', displayName: 'The world' });
    await expectWellMade(visitor);
  });
});

detail('a repository is made by the keyboard alone, in the organization that is chosen', async () => {
  const { url, client, visit } = await openExplorer(async (made) => made.org.create('acme'));
  const { page } = await visit({ signedIn: true });
  await page.goto(`${url}/acme`);
  await page.getByText('There are no repositories yet.').waitFor();
  await client.repo.create('acme', 'gone');
  await client.repo.delete('acme', 'gone');
  await page.reload();
  await page.getByText('There are no repositories.').getByRole('link', { name: 'settings' }).waitFor();
  await page.goto(url);
  await page.getByRole('link', { name: 'New repository' }).focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(`${url}/ada/-/new-repository`);
  const where = page.getByRole('combobox', { name: 'Organization', exact: true });
  await expect.poll(() => where.locator('option').count()).toBe(2);
  await where.focus();
  await page.keyboard.type('acme');
  const name = page.getByLabel('Name', { exact: true });
  await name.focus();
  await page.keyboard.type('world');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${url}/acme/world`);
  expect(await client.repo.get('acme', 'world')).toMatchObject({ visibility: 'private' });
});

detail('who may not make a repository is told so, sees no form, and is refused when they try', async () => {
  const world = await openExplorer(async (client) => client.org.create('acme'));
  const asBob = await withViewer(world);
  const visitor = await world.visit({ signedIn: BOB });
  const { page } = visitor;
  await page.goto(`${world.url}/acme`);
  await page.getByRole('navigation', { name: 'Organization' }).getByRole('link', { name: 'Members' }).waitFor();
  expect(await page.getByRole('link', { name: 'New repository' }).count()).toBe(0);
  await page.goto(`${world.url}/acme/-/new-repository`);
  await page.getByText('An admin of acme can change your role').waitFor();
  expect(await page.getByRole('form').count()).toBe(0);
  await expectWellMade(visitor);
  await expect(asBob.repo.create('acme', 'world')).rejects.toMatchObject({ code: 'FORBIDDEN' });
});

detail('who may not make an organization is told so, and what they can do instead', async () => {
  const world = await openExplorer(async (client) => client.org.create('acme'));
  const asBob = await withViewer(world);
  const visitor = await world.visit({ signedIn: BOB });
  const { page } = visitor;
  await page.goto(world.url);
  await page.getByRole('link', { name: 'New repository' }).waitFor();
  await page.getByRole('heading', { level: 2, name: 'Organizations' }).waitFor();
  const listed = page.locator('.cards > li');
  await listed.filter({ hasText: 'acme' }).getByText('your role: viewer').waitFor();
  await listed.filter({ hasText: 'bob' }).getByText('yours').waitFor();
  await expectWellMade(visitor);
  expect(await page.getByRole('link', { name: 'New organization' }).count()).toBe(0);
  await page.goto(`${world.url}/-/new-organization`);
  await page.getByText('only operators can create organizations').waitFor();
  expect(await page.getByRole('form').count()).toBe(0);
  await expectWellMade(visitor);
  await expect(asBob.org.create('bobs')).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await page.getByRole('link', { name: 'create repositories' }).click();
  await page.waitForURL(`${world.url}/bob/-/new-repository`);
});

detail('who may make organizations where the server is open to all is shown the form', async () => {
  const world = await openExplorer(async (client) => client.org.create('acme'), {
    environment: { CAIRN_ORG_CREATION: 'open' },
  });
  await withViewer(world);
  const { page } = await world.visit({ signedIn: BOB });
  await page.goto(world.url);
  await page.getByRole('link', { name: 'New organization' }).click();
  await page.getByLabel('Name', { exact: true }).fill('bobs');
  await page.getByRole('button', { name: 'Create organization' }).click();
  await page.getByText('The organization bobs was created.').waitFor();
});

detail('a repository is begun without an organization in the address, which is chosen then', async () => {
  const world = await openExplorer(async (client) => client.org.create('acme'));
  const asBob = await withViewer(world);
  const visitor = await world.visit({ signedIn: BOB });
  const { page } = visitor;
  await page.goto(`${world.url}/-/new-repository`);
  const where = page.getByRole('combobox', { name: 'Organization', exact: true });
  // A viewer of acme cannot choose it.
  await expect.poll(() => where.locator('option').allInnerTexts()).toEqual(['bob']);
  await page.getByLabel('Name', { exact: true }).fill('My notes');
  await page.getByRole('button', { name: 'Create repository' }).click();
  await page.getByRole('button', { name: 'Use my-notes' }).click();
  expect(visitor.complaints.splice(0)).toEqual([expect.stringContaining('status of 400')]);
  await expectWellMade(visitor);
  await page.getByRole('button', { name: 'Create repository' }).click();
  await page.waitForURL(`${world.url}/bob/my-notes`);
  expect(await asBob.repo.get('bob', 'my-notes')).toMatchObject({ displayName: 'my-notes' });
});

detail('a visitor who is not signed in is led to signing in', async () => {
  const { url, visit } = await openExplorer(async () => {});
  const visitor = await visit();
  await visitor.page.goto(`${url}/-/new-organization`);
  const link = visitor.page.getByRole('main').getByRole('link', { name: 'Sign in' });
  expect(await link.getAttribute('href')).toBe('/auth/sign-in?next=%2F-%2Fnew-organization');
  await expectWellMade(visitor);
  await visitor.page.goto(`${url}/-/new-repository`);
  await expect.poll(() => link.getAttribute('href')).toBe('/auth/sign-in?next=%2F-%2Fnew-repository');
  await expectWellMade(visitor);
});
