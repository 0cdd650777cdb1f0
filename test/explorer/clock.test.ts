// Relative times while the clock runs, and messages while the network is down.
import { expect, it } from 'vitest';
import { writeValley } from '../../packages/web/src/features/home/valley.ts';
import { detail, expectWellMade, openExplorer, SIZES } from '../support/explorer.ts';

const MINUTE_MS = 60_000;

detail('how long ago something was goes on by itself, and says when exactly', async () => {
  const { url, client, visit } = await openExplorer((c) => writeValley(c, 'ada', { visibility: 'public' }));
  const { createdAt } = await client.commit.get('ada', 'valley', 1);
  const { page } = await visit();
  await page.clock.install({ time: createdAt + 5 * MINUTE_MS });
  await page.goto(`${url}/ada/valley/commits/1`);
  const moment = page.locator('main time').first();
  await expect.poll(() => moment.textContent()).toBe('5 minutes ago');
  expect(await moment.getAttribute('datetime')).toBe(new Date(createdAt).toISOString());
  const exact = await moment.getAttribute('title');
  expect(exact).toMatch(/^\d{1,2} \w{3,4} \d{4}, \d\d:\d\d:\d\d \S+$/);
  const written = page.getByRole('definition').filter({ has: page.locator('time') });
  expect(exact?.startsWith((await written.innerText()).replace(/ \(.*/, ''))).toBe(true);
  await page.clock.runFor(2 * MINUTE_MS);
  await expect.poll(() => moment.textContent()).toBe('7 minutes ago');
  await page.clock.fastForward('02:00:00');
  await expect.poll(() => moment.textContent()).toBe('2 hours ago');
  expect(await moment.getAttribute('title')).toBe(exact);
});

detail('one clock tells all the moments of a page, also those that come up later', async () => {
  const { url, client, visit } = await openExplorer((c) => writeValley(c, 'ada', { visibility: 'public' }));
  for (let step = 0; step < 11; step += 1) {
    const data = { x: 1, y: 1, danger: step / 20 };
    const operation = step === 0 ? 'add' : 'revise';
    await client.commit.submit('ada', 'valley', { operations: [{ operation, name: 'Location/hut', data }] });
  }
  const { versionCreatedAt } = await client.thing.get('ada', 'valley', 'Location/hut');
  const { page } = await visit();
  await page.clock.setFixedTime(versionCreatedAt + 8_000);
  await page.goto(`${url}/ada/valley/record/Location/hut`);
  const written = page.locator(`main time[datetime="${new Date(versionCreatedAt).toISOString()}"]`);
  const told = async () => [...new Set(await written.allTextContents())];
  await expect.poll(() => written.count()).toBe(2);
  expect(await told()).toEqual(['8 seconds ago']);
  await page.clock.setFixedTime(versionCreatedAt + 12_000);
  await page.getByRole('button', { name: 'Show more versions' }).click();
  await page.getByText(/^Version 1 /).waitFor();
  await expect.poll(told).toEqual(['12 seconds ago']);
});

detail('what has happened is not to come, though the clock of the reader is behind', async () => {
  const { url, client, visit } = await openExplorer((c) => writeValley(c, 'ada', { visibility: 'public' }));
  const { createdAt } = await client.commit.get('ada', 'valley', 1);
  const { page } = await visit();
  await page.clock.setFixedTime(createdAt - 3_000);
  await page.goto(`${url}/ada/valley/commits/1`);
  await expect.poll(() => page.locator('main time').first().textContent()).toBe('just now');
});

detail('where the server does not answer a page says what to do, and can be tried again', async () => {
  const { url, visit } = await openExplorer((c) => writeValley(c, 'ada', { visibility: 'public' }));
  const visited = await visit();
  const { page } = visited;
  await page.route('**/trpc/*commit.*', (route) => route.abort());
  await page.goto(`${url}/ada/valley/commits`);
  await page.getByText('The server did not respond. Check your connection, and try again.').first().waitFor();
  await page.unroute('**/trpc/*commit.*');
  await page.getByRole('button', { name: 'Try again' }).first().click();
  await page.getByRole('link', { name: /After the storm/ }).waitFor();
  visited.complaints.length = 0;
  await expectWellMade(visited);
});

it.each(SIZES)('without a network a page says so, and goes on when there is one, on a $device', async ({ size }) => {
  const { url, client, visit } = await openExplorer((c) => writeValley(c, 'ada', { visibility: 'public' }));
  const visited = await visit({ size });
  const { page, context } = visited;
  await page.goto(`${url}/ada/valley/commits/1`);
  const state = page.getByRole('status');
  await state.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('heading', { level: 1, name: 'Commit 1' }).waitFor();
  const pages = page.getByRole('navigation', { name: 'Repository' });
  await pages.getByRole('link', { name: 'Commits' }).click();
  const commit = page.getByRole('link', { name: /After the storm/ });
  await commit.waitFor();
  await context.setOffline(true);
  await state.getByText('Offline reconnecting').waitFor();
  await commit.click();
  await page.getByText('You are offline. This continues when you reconnect.').first().waitFor();
  await client.commit.submit('ada', 'valley', {
    message: 'A hut was built',
    operations: [{ name: 'Location/hut', data: { x: 1, y: 1, danger: 0 } }],
  });
  await context.setOffline(false);
  await page.getByText('Location/bridge').first().waitFor();
  await state.getByText('Live', { exact: true }).waitFor();
  await pages.getByRole('link', { name: 'Commits' }).click();
  await page.getByRole('link', { name: /A hut was built/ }).waitFor();
  visited.complaints.length = 0;
  await expectWellMade(visited);
});

detail.each(SIZES)('a shape says that its references wait for a network, on a $device', async ({ size }) => {
  const { url, visit } = await openExplorer((c) => writeValley(c, 'ada', { visibility: 'public' }));
  const visited = await visit({ size });
  const { page, context } = visited;
  await page.route('**/trpc/*thing.head*', () => undefined);
  await page.goto(`${url}/ada/valley/shapes/Belief`);
  await page.getByRole('heading', { level: 2, name: 'Versions' }).waitFor();
  await page.getByRole('link', { name: 'Commits', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Commits' }).waitFor();
  await context.setOffline(true);
  await page.getByText('Offline reconnecting').waitFor();
  await page.goBack();
  const references = page.getByRole('region', { name: 'References' });
  await references.getByText('You are offline. This continues when you reconnect.').waitFor();
  await page.unroute('**/trpc/*thing.head*');
  await context.setOffline(false);
  await references.getByText('is about').first().waitFor();
  visited.complaints.length = 0;
  await expectWellMade(visited);
});

detail.each(SIZES)(
  'a page that was never opened waits for a network, and a draft is still there, on a $device',
  async ({ size }) => {
    const { url, visit } = await openExplorer((c) => writeValley(c, 'ada', { visibility: 'public' }));
    const visited = await visit({ size, signedIn: true });
    const { page, context } = visited;
    await page.goto(`${url}/ada/valley/new?shape=Location`);
    await page.getByLabel('Name', { exact: true }).fill('hut');
    for (const field of ['danger', 'x', 'y']) await page.getByLabel(field, { exact: true }).fill('1');
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('heading', { level: 1, name: 'Your changes' }).waitFor();
    await context.setOffline(true);
    await page.getByText('Offline reconnecting').waitFor();
    const pages = page.getByRole('navigation', { name: 'Repository' });
    await pages.getByRole('link', { name: 'Export' }).click();
    await page.getByText('You are offline. This continues when you reconnect.').first().waitFor();
    await context.setOffline(false);
    await page.getByRole('heading', { level: 1, name: 'Export' }).waitFor();
    await page.getByText('1 change is not committed yet.').waitFor();
    await page.getByRole('link', { name: 'Review' }).click();
    await page.getByRole('heading', { name: 'Add Location/hut' }).waitFor();
    visited.complaints.length = 0;
    await expectWellMade(visited);
  },
);
