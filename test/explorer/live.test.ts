// The page follows changes across connection cuts, and says when it cannot.
import { describe, expect, it } from 'vitest';
import { writeValley } from '../../packages/web/src/features/home/valley.ts';
import { detail, expectWellMade, openExplorer, SIZES, whileAsked } from '../support/explorer.ts';
import { startProxy } from '../support/proxy.ts';
import type { Route } from '../tools/chromium.ts';

const NOWHERE = 'http://127.0.0.1:1';

const add = (name: string) => ({ operations: [{ name: `Location/${name}`, data: { x: 1, y: 1, danger: 0 } }] });

describe.each(SIZES)('a page on a $device', ({ size }) => {
  it('shows what is written while it is looked at, with a mark that goes', async () => {
    const { url, client, visit } = await openExplorer((c) => writeValley(c, 'ada', { visibility: 'public' }));
    const { page, complaints } = await visit({ size });
    await page.goto(`${url}/ada/valley/records?shape=Location&order=-created`);
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    await client.commit.submit('ada', 'valley', add('hut'));
    await page.getByRole('link', { name: 'Location/hut' }).waitFor();
    await page.locator('.changed', { hasText: 'Location/hut' }).waitFor();
    await expect.poll(() => page.locator('.changed').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  detail('shows what is written between its loading and its being live', async () => {
    const { url, client, visit } = await openExplorer((c) => writeValley(c, 'ada', { visibility: 'public' }));
    const { page } = await visit({ size });
    const written = Promise.withResolvers<void>();
    await whileAsked(page, 'live.issueTicket', () => written.promise);
    await page.goto(`${url}/ada/valley/records?shape=Location&order=-created`);
    await page.getByRole('link', { name: 'Location/cave' }).waitFor();
    await client.commit.submit('ada', 'valley', add('hut'));
    written.resolve();
    await page.getByRole('link', { name: 'Location/hut' }).waitFor();
  });

  detail('shows what is written while it is read, though the answer is from before', async () => {
    const { url, client, visit } = await openExplorer((c) => writeValley(c, 'ada', { visibility: 'public' }));
    const { page } = await visit({ size });
    const read = Promise.withResolvers<void>();
    const told = Promise.withResolvers<void>();
    const answerLate = async (route: Route) => {
      const response = await route.fetch();
      read.resolve();
      await told.promise;
      await route.fulfill({ response });
    };
    await page.route('**/trpc/*thing.query*', answerLate, { times: 1 });
    await page.goto(`${url}/ada/valley/records?shape=Location&order=-created`);
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    await read.promise;
    const askedAgain = page.waitForRequest('**/trpc/*repo.get*');
    await client.commit.submit('ada', 'valley', add('hut'));
    await askedAgain;
    told.resolve();
    await page.getByRole('link', { name: 'Location/hut' }).waitFor();
  });

  detail('shows what was written since one was there before', async () => {
    const { url, client, visit } = await openExplorer((c) => writeValley(c, 'ada', { visibility: 'public' }));
    const { page } = await visit({ size });
    await page.goto(`${url}/ada/valley/records?shape=Location&order=-created`);
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Cairn', exact: true }).click();
    await page.waitForURL(`${url}/`);
    await client.commit.submit('ada', 'valley', add('hut'));
    await page.goBack();
    await page.getByRole('link', { name: 'Location/hut' }).waitFor();
  });

  it('says that it is offline, and shows what it missed when it is not any more', async () => {
    const { url, client, visit } = await openExplorer((c) => writeValley(c, 'ada', { visibility: 'public' }));
    let target = url;
    const proxy = await startProxy(() => target, {});
    const { page } = await visit({ size });
    await page.goto(`${proxy.url}/ada/valley/records?shape=Location&order=-created`);
    const state = page.getByRole('status');
    await state.getByText('Live', { exact: true }).waitFor();
    target = NOWHERE;
    proxy.cut();
    await state.getByText('Offline').waitFor();
    await client.commit.submit('ada', 'valley', add('tower'));
    expect(await page.getByRole('link', { name: 'Location/tower' }).count()).toBe(0);
    target = url;
    await state.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Location/tower' }).waitFor();
  });

  detail('does not follow the past, and ends when the repository is closed to who looks', async () => {
    const { url, client, visit } = await openExplorer((c) => writeValley(c, 'ada', { visibility: 'public' }));
    const visitor = await visit({ size });
    const { page } = visitor;
    await page.goto(`${url}/ada/valley?at=2`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.locator('.live-mark').count()).toBe(0);
    await page.getByRole('button', { name: 'Back to now' }).click();
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    await client.repo.setVisibility('ada', 'valley', { visibility: 'private' });
    await page.getByRole('status').getByText('Not live no access').waitFor();
    const told = page.getByRole('alert').filter({ hasText: 'You no longer have access to ada/valley' });
    await told.getByText('It may be private. Sign in if you have access.').waitFor();
    // The browser logs each refused request from here on.
    await expectWellMade({ ...visitor, complaints: [] });
    await told.getByRole('link', { name: 'sign in' }).click();
    await page.waitForURL(/\/auth\/sign-in\?next=/);
  });

  detail('tells who is signed in that a repository is gone, also from the past', async () => {
    const { url, client, visit } = await openExplorer((c) => writeValley(c, 'ada'));
    const { page } = await visit({ size, signedIn: true });
    const followed = page.waitForResponse((response) => response.url().includes('/sse'));
    await page.goto(`${url}/ada/valley/shapes?at=3`);
    await page.getByRole('heading', { level: 1, name: 'Shapes' }).waitFor();
    await followed;
    await client.repo.delete('ada', 'valley');
    const told = page.getByRole('alert').filter({ hasText: 'You no longer have access to ada/valley' });
    await told.getByText(/: it was deleted \(.+\)\. You can restore it for 30 days in the settings of ada\./).waitFor();
    await told.getByRole('link', { name: 'all repositories' }).click();
    await page.waitForURL(`${url}/`);
  });

  detail('goes on once the repository can be read again', async () => {
    const { url, client, visit } = await openExplorer((c) => writeValley(c, 'ada', { visibility: 'public' }));
    const { page } = await visit({ size });
    await page.clock.install();
    await page.goto(`${url}/ada/valley`);
    const told = page.getByRole('alert').filter({ hasText: 'You no longer have access to ada/valley' });
    const isLive = async () => {
      await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
      expect(await told.count()).toBe(0);
    };
    const close = async (name: string) => {
      await client.repo.setVisibility('ada', 'valley', { visibility: 'private' });
      // A commit makes the server check the readers at once.
      await client.commit.submit('ada', 'valley', add(name));
      await told.waitFor();
    };
    const open = () => client.repo.setVisibility('ada', 'valley', { visibility: 'public' });
    await isLive();
    await close('hut');
    // Pages that were refused meanwhile are back too.
    const pages = page.getByRole('navigation', { name: 'Repository' });
    await pages.getByRole('link', { name: 'Commits' }).click();
    await page.getByRole('heading', { level: 1, name: 'Commits' }).waitFor();
    await page.getByText('You lost access before this was loaded.').waitFor();
    expect(await page.getByText('It may be private').count()).toBe(1);
    await open();
    await pages.getByRole('link', { name: 'Shapes' }).click();
    await isLive();
    await page.goBack();
    await page.getByRole('link', { name: /After the storm/ }).waitFor();
    await close('tower');
    await open();
    await page.evaluate("window.dispatchEvent(new Event('focus'))");
    await isLive();
    await client.repo.delete('ada', 'valley');
    await told.waitFor();
    await client.repo.restore('ada', 'valley');
    await page.clock.runFor(30_000);
    await isLive();
  });

  detail('marks what changed in a table beside its text', async () => {
    const { url, client, visit } = await openExplorer((c) => writeValley(c, 'ada', { visibility: 'public' }));
    const { page } = await visit({ size });
    await page.goto(`${url}/ada/valley`);
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    await client.commit.submit('ada', 'valley', add('hut'));
    const marked = page.locator('tr.changed', { hasText: 'Location' });
    await marked.waitFor();
    const [row, around] = [await marked.boundingBox(), await page.getByLabel('Table of shapes').boundingBox()];
    expect((row?.x ?? 0) - (around?.x ?? 0)).toBeGreaterThanOrEqual(9);
    const mark = await page.evaluate('getComputedStyle(document.querySelector("tr.changed")).boxShadow');
    expect(String(mark)).toContain('-9px');
  });

  detail('says in a form that somebody has written the same record meanwhile', async () => {
    const { url, client, visit } = await openExplorer((c) => writeValley(c, 'ada'));
    const visitor = await visit({ size, signedIn: true });
    const { page } = visitor;
    const revise = (label: string) => ({
      operations: [{ operation: 'revise', name: 'Location/cave', data: { x: 1, y: 1, danger: 0, label } }],
    });
    const label = page.getByLabel('label');
    await page.goto(`${url}/ada/valley/edit/Location/cave`);
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    await label.fill('My cave');
    const { version } = await client.thing.get('ada', 'valley', 'Location/cave');
    await client.commit.submit('ada', 'valley', revise('Their cave'));
    await page.getByText(`It is at version ${version + 1} now; you started from ${version}.`).waitFor();
    expect(await label.inputValue()).toBe('My cave');
    await expectWellMade(visitor);
    await page.getByRole('button', { name: `Start over from version ${version + 1}` }).click();
    expect(await label.inputValue()).toBe('Their cave');
    expect(await page.getByText('Meanwhile').count()).toBe(0);
    // Continuing shows both versions.
    await label.fill('My cave');
    await client.commit.submit('ada', 'valley', revise('Their old cave'));
    await page.getByText(`it is at version ${version + 2}`).waitFor();
    await page.getByRole('button', { name: 'Review', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Your changes' }).waitFor();
    await page.getByRole('alert').getByText('Meanwhile').waitFor();
    await page.goto(`${url}/ada/valley/edit-text/readme`);
    await page.getByRole('textbox', { name: 'Readme' }).fill('# Mine');
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    await client.repo.setContent('ada', 'valley', 'readme', '# Theirs');
    await page.getByRole('button', { name: /^Start over from version/ }).click();
    await expect.poll(() => page.getByRole('textbox', { name: 'Readme' }).inputValue()).toBe('# Theirs');
    await page.goto(`${url}/ada/valley/edit-shape/Location`);
    await page.getByLabel('Description').first().fill('Mine');
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    const shape = await client.shape.get('ada', 'valley', 'Location');
    const fields = (shape.data as { fields: object }).fields;
    await client.shape.revise('ada', 'valley', 'Location', { fields, description: 'Theirs' });
    await page.getByRole('button', { name: /^Start over from version/ }).click();
    await expect.poll(() => page.getByLabel('Description').first().inputValue()).toBe('Theirs');
  });
});
