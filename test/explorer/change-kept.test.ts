// A draft is kept in its tab, for who wrote it.
import type { CairnClient } from '@cairn/sdk';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectWellMade, openExplorer, SIZES } from '../support/explorer.ts';

async function fill(client: CairnClient) {
  await client.repo.create('ada', 'world', { visibility: 'public' });
  await client.shape.create('ada', 'world', 'Place', { fields: { label: 'string' } });
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const label = (page: Page) => page.getByLabel('label');
const NOTHING = 'There is nothing to commit.';
const kept = (page: Page) => page.evaluate("sessionStorage.getItem('cairn-drafts')");

async function draftCave(page: Page, text: string): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill('cave');
  await label(page).fill(text);
  await press(page, 'Review');
  await page.getByRole('heading', { name: 'Add Place/cave' }).waitFor();
}

it.each(SIZES)('a draft is there again when the page is loaded anew on a $device', async ({ size }) => {
  const { url, client, visit } = await openExplorer(fill);
  const visited = await visit({ size, signedIn: true });
  const { page } = visited;
  page.on('dialog', (dialog) => void dialog.accept());
  await page.goto(`${url}/ada/world/new`);
  await draftCave(page, 'A cave');
  await page.getByText('kept in this tab only, also when the page is loaded anew').waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Add Place/cave' }).waitFor();
  await expectWellMade(visited);
  // Also a form begins with it.
  await page.getByRole('link', { name: 'Edit: Add Place/cave' }).click();
  await label(page).waitFor();
  await page.reload();
  await expect.poll(() => label(page).inputValue()).toBe('A cave');
  await page.goto(`${url}/ada/world/draft`);
  await press(page, 'Commit');
  await page.getByText('Committed as 2.').waitFor();
  expect((await client.thing.get('ada', 'world', 'Place/cave')).data).toEqual({ label: 'A cave' });
  expect(await kept(page)).toBeNull();
  await page.goto(`${url}/ada/world/draft`);
  await page.getByText(NOTHING).waitFor();
});

it('a draft is gone once its writer has signed out', async () => {
  const { url, visit } = await openExplorer(fill);
  const { page } = await visit({ signedIn: true });
  page.on('dialog', (dialog) => void dialog.accept());
  await page.goto(`${url}/ada/world/new`);
  await draftCave(page, 'A cave');
  await page.goto(`${url}/auth/account`);
  await press(page, 'Sign out');
  await page.goto(`${url}/ada/world`);
  await page.getByRole('link', { name: 'Sign in' }).waitFor();
  await expect.poll(() => kept(page)).toBeNull();
});

it('a draft that is too large is on its page only, and says so', async () => {
  const { url, visit } = await openExplorer(fill);
  const { page } = await visit({ signedIn: true });
  page.on('dialog', (dialog) => void dialog.accept());
  await page.goto(`${url}/ada/world/new`);
  // As if the tab had no room.
  await page.evaluate("Storage.prototype.setItem = () => { throw new Error('There is no room.'); }");
  await draftCave(page, 'A cave');
  await page.getByText('the browser has no room to keep them').waitFor();
  await page.reload();
  await page.getByText(NOTHING).waitFor();
});
