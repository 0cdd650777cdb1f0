// An open page after its session ends elsewhere.
import type { CairnClient } from '@cairn/sdk';
import { expect, it } from 'vitest';
import { detail, expectWellMade, openExplorer, SIZES, whileAsked } from '../support/explorer.ts';
import { createPerson } from '../support/person.ts';
import { OWNER } from '../support/server.ts';
import type { Page } from '../tools/chromium.ts';

const BEA = { email: 'bea@example.com', password: 'a long enough password', operator: false };

async function fill(client: CairnClient) {
  await client.repo.create('ada', 'world');
  await client.shape.create('ada', 'world', 'Place', { fields: { label: 'string' } });
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const inHeader = (page: Page, name: string) => page.getByRole('banner').getByRole('link', { name });

async function draftCave(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/ada/world/new`);
  await page.getByLabel('Name', { exact: true }).fill('cave');
  await page.getByLabel('label').fill('A cave');
  await press(page, 'Review');
  await page.getByRole('heading', { name: 'Add Place/cave' }).waitFor();
}

async function signOutEverywhere(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/auth/account`);
  await press(page, 'Sign out everywhere');
  await page.getByRole('heading', { name: 'You are signed out everywhere' }).waitFor();
}

async function signIn(page: Page, { email, password }: typeof OWNER | typeof BEA): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await press(page, 'Sign in');
  await page.waitForURL((address) => address.pathname !== '/auth/sign-in');
}

/** The browser logs each refused request. */
function expectRefusalsAlone(complaints: string[]) {
  expect(complaints.splice(0).filter((one) => !one.includes('401'))).toEqual([]);
}

it.each(SIZES)('who is signed out elsewhere signs in and goes on with the draft on a $device', async ({ size }) => {
  const { url, client, visit } = await openExplorer(fill);
  const visited = await visit({ size, signedIn: true });
  const { page, context, complaints } = visited;
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.type());
    void dialog.accept();
  });
  await draftCave(page, url);
  const other = await context.newPage();
  await signOutEverywhere(other, url);
  await press(page, 'Commit');
  const form = page.getByRole('form', { name: 'Commit' });
  await form.getByText('You are signed out. Sign in to continue.').waitFor();
  await inHeader(page, 'Sign in').waitFor();
  expect(await inHeader(page, 'ada').count()).toBe(0);
  expect(await page.getByText('bearer').count()).toBe(0);
  expectRefusalsAlone(complaints);
  await expectWellMade(visited);
  await page.getByRole('link', { name: 'Shapes' }).click();
  await page.getByRole('main').getByText('You are signed out.').first().waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'Add Place/cave' }).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
  await signIn(page, OWNER);
  await page.getByRole('heading', { name: 'Add Place/cave' }).waitFor();
  expect(dialogs).toEqual([]);
  await press(page, 'Commit');
  await page.getByText('Committed as 2.').waitFor();
  expect((await client.thing.get('ada', 'world', 'Place/cave')).data).toEqual({ label: 'A cave' });
});

detail('who is signed out elsewhere and has begun nothing is told no more than that, and may look on', async () => {
  const { url, client, visit } = await openExplorer(fill);
  await client.repo.setVisibility('ada', 'world', { visibility: 'public' });
  const { page, context } = await visit({ signedIn: true });
  await page.goto(`${url}/ada/world`);
  await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
  await signOutEverywhere(await context.newPage(), url);
  await page.getByRole('navigation', { name: 'Repository' }).getByRole('link', { name: 'Commits' }).click();
  await page
    .getByRole('alert')
    .getByText('You are signed out. Sign in to continue. Continue without signing in')
    .waitFor();
  await page.getByRole('status').getByText('Not live signed out').waitFor();
  expect(await page.getByText('your changes are kept').count()).toBe(0);
  expect(await page.getByText('You no longer have access').count()).toBe(0);
  await press(page, 'Continue without signing in');
  await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
});

detail('a page goes on once its reader has signed in again on another', async () => {
  const { url, client, visit } = await openExplorer(fill);
  const { page, context, complaints } = await visit({ signedIn: true });
  await draftCave(page, url);
  const other = await context.newPage();
  await signOutEverywhere(other, url);
  await press(page, 'Commit');
  await inHeader(page, 'Sign in').waitFor();
  await other.goto(`${url}/auth/sign-in`);
  await signIn(other, OWNER);
  await press(page, 'Commit');
  await page.getByText('Committed as 2.').waitFor();
  await inHeader(page, 'ada').waitFor();
  expect(await page.getByText('You are signed out.').count()).toBe(0);
  await client.commit.submit('ada', 'world', {
    operations: [{ operation: 'revise', name: 'Place/cave', data: { label: 'A deep cave' } }],
  });
  await page.getByText('A deep cave').first().waitFor();
  // A user who only returns to the page has to do nothing on it.
  await signOutEverywhere(other, url);
  await page.getByRole('link', { name: 'Commits' }).click();
  await inHeader(page, 'Sign in').waitFor();
  await other.goto(`${url}/auth/sign-in`);
  await signIn(other, OWNER);
  await page.evaluate("window.dispatchEvent(new Event('focus'))");
  await inHeader(page, 'ada').waitFor();
  expectRefusalsAlone(complaints);
});

it('what one has begun is not committed as somebody else who signs in meanwhile', async () => {
  const { url, store, client, visit } = await openExplorer(fill);
  await createPerson(store, BEA);
  const { page, context } = await visit({ signedIn: true });
  await draftCave(page, url);
  const other = await context.newPage();
  await whileAsked(page, 'commit.submit', async () => {
    await signOutEverywhere(other, url);
    await other.goto(`${url}/auth/sign-in`);
    await signIn(other, BEA);
  });
  await press(page, 'Commit');
  await inHeader(page, 'bea').waitFor();
  expect((await client.repo.get('ada', 'world')).repoSeq).toBe(1);
  await expect.poll(() => page.evaluate("sessionStorage.getItem('cairn-drafts')")).toBeNull();
});

detail('what was typed into a form is there again for who had to sign in meanwhile', async () => {
  const { url, visit } = await openExplorer(fill);
  const { page, context } = await visit({ signedIn: true });
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.type());
    void dialog.accept();
  });
  await page.goto(`${url}/ada/world/new`);
  await page.getByLabel('label').fill('A cave');
  const other = await context.newPage();
  await signOutEverywhere(other, url);
  await press(page, 'Review');
  await page.getByRole('form').getByText('You are signed out.').waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
  await signIn(page, OWNER);
  await expect.poll(() => page.getByLabel('label').inputValue()).toBe('A cave');
  expect(dialogs).toEqual([]);
  // Leaving for good still asks for confirmation.
  await page.goto(url);
  expect(dialogs).toEqual(['beforeunload']);
});

detail('an import that begins without a session says so', async () => {
  const { url, visit } = await openExplorer(fill);
  const { page, context } = await visit({ signedIn: true });
  await page.goto(`${url}/ada/world/import`);
  await page.getByLabel('File').setInputFiles({
    name: 'lines.ndjson',
    mimeType: 'application/x-ndjson',
    buffer: Buffer.from('{"name":"Place/hut","data":{"label":"A hut"}}'),
  });
  const other = await context.newPage();
  await signOutEverywhere(other, url);
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByText('You are signed out. Sign in to continue.', { exact: true }).waitFor();
  expect(await page.getByText('bearer').count()).toBe(0);
});
