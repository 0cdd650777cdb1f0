// Many windows of one browser share its few connections to the server, and all of them work.
import { expect } from 'vitest';
import { writeValley } from '../../packages/web/src/features/home/valley.ts';
import { detail, expectWellMade, openExplorer, SIZES } from '../support/explorer.ts';
import type { Page } from '../tools/chromium.ts';

const mark = (page: Page) => page.locator('.live-mark');
const isLive = (page: Page) => mark(page).getByText('Live', { exact: true }).waitFor();
const waits = (page: Page) => mark(page).getByText('Not live too many windows').waitFor();

const hut = { operations: [{ name: 'Location/hut', data: { x: 1, y: 1, danger: 0 } }] };

/** Simulates hiding or showing a tab. */
const show = (page: Page, visibility: 'hidden' | 'visible') =>
  page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${visibility}' });
    document.dispatchEvent(new Event('visibilitychange'));
  `);

detail.each(SIZES)('of very many windows all show their pages, and some are live, on a $device', async ({ size }) => {
  const { url, client, visit } = await openExplorer((c) => writeValley(c, 'ada', { visibility: 'public' }));
  const visited = await visit({ size });
  const { context, page: first } = visited;
  const open = async (page: Page) => {
    await page.goto(`${url}/ada/valley/records?shape=Location&order=-created`);
    await page.getByRole('link', { name: 'Location/cave' }).waitFor();
    return page;
  };
  const live = [await open(first)];
  while (live.length < 4) live.push(await open(await context.newPage()));
  for (const page of live) await isLive(page);
  const others: Page[] = [];
  while (others.length < 4) others.push(await open(await context.newPage()));
  for (const page of others) await waits(page);
  await first.getByRole('link', { name: 'Shapes' }).click();
  await first.getByRole('heading', { level: 1, name: 'Shapes' }).waitFor();
  await expectWellMade(visited);
  await client.commit.submit('ada', 'valley', hut);
  await live[1]?.getByRole('link', { name: 'Location/hut' }).waitFor();
  // A window without a connection says that its data may be stale, and offers to reload.
  const [waiting] = others;
  if (waiting === undefined) throw new Error('There are four.');
  const time = waiting.getByRole('region', { name: 'Time' });
  await time.getByText('As loaded, at sequence 11 of 11').waitFor();
  expect(await waiting.getByRole('link', { name: 'Location/hut' }).count()).toBe(0);
  await expectWellMade({ ...visited, page: waiting });
  await waiting.getByRole('button', { name: 'Reload' }).click();
  await waiting.getByRole('link', { name: 'Location/hut' }).waitFor();
  await time.getByText('As loaded, at sequence 12 of 12').waitFor();
  // A window that connects late receives the missed changes.
  await live[3]?.close();
  const marks = () => Promise.all(others.map((page) => mark(page).innerText()));
  await expect.poll(async () => (await marks()).includes('Live')).toBe(true);
  const late = others[(await marks()).indexOf('Live')];
  expect(await late?.getByRole('button', { name: 'Reload' }).count()).toBe(0);
  await late?.getByRole('link', { name: 'Location/hut' }).waitFor();
});

detail(
  'a window that nobody sees leaves its place to others, and is told what it missed when it is seen again',
  async () => {
    const { url, client, visit } = await openExplorer((c) => writeValley(c, 'ada', { visibility: 'public' }));
    const { page, context } = await visit();
    await page.clock.install();
    const address = `${url}/ada/valley/records?shape=Location&order=-created`;
    await page.goto(address);
    await isLive(page);
    const pages: Page[] = [];
    for (let count = 0; count < 4; count += 1) {
      const other = await context.newPage();
      await other.goto(address);
      pages.push(other);
    }
    const [, , , last] = pages;
    if (last === undefined) throw new Error('There are four.');
    await waits(last);
    await show(page, 'hidden');
    await page.clock.runFor(1_000);
    await show(page, 'visible');
    await page.clock.runFor(10_000);
    await waits(last);
    await show(page, 'hidden');
    await page.clock.runFor(6_000);
    await isLive(last);
    await client.commit.submit('ada', 'valley', hut);
    await last.getByRole('link', { name: 'Location/hut' }).waitFor();
    expect(await page.getByRole('link', { name: 'Location/hut' }).count()).toBe(0);
    await last.close();
    await show(page, 'visible');
    await isLive(page);
    await page.clock.runFor(1_000);
    await page.locator('.changed', { hasText: 'Location/hut' }).waitFor();
  },
);
