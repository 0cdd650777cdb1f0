// The documentation in a real browser without scripts: the "next" links lead from the first page to the last.
import { expect, it } from 'vitest';
import { startBrowser } from './support/chromium.ts';
import { startTestServer } from './support/server.ts';

it('a reader gets from the start page through every page of the menu, and a phone shows it without scrolling sideways', async () => {
  const { url } = await startTestServer('sqlite', { CAIRN_LIMIT_ANONYMOUS_REQUESTS_PER_HOUR: '0' });
  const { page, complaints } = await (await startBrowser())({ javaScript: false });
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto(url);
  await page.getByRole('link', { name: 'The documentation' }).click();
  const menu = await page.getByRole('navigation').getByRole('listitem').getByRole('link').allTextContents();
  const seen: string[] = [];
  const tooWide: string[] = [];
  for (let next = page.getByText(/^Next: /); (await next.count()) > 0; next = page.getByText(/^Next: /)) {
    const address = `${url}${await next.getAttribute('href')}`;
    await next.click();
    await page.waitForURL(address, { waitUntil: 'load' });
    const [current = ''] = await page.locator('[aria-current=page]').allTextContents();
    seen.push(current);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    if (width > 390) tooWide.push(`${page.url()} ${width}`);
  }
  expect(seen).toEqual(menu);
  expect(menu.length).toBeGreaterThan(25);
  expect(tooWide).toEqual([]);
  expect(complaints).toEqual([]);
});

it('says on a page that is not there what there is', async () => {
  const { url } = await startTestServer('sqlite');
  const { page } = await (await startBrowser())({ javaScript: false });
  await page.goto(`${url}/docs/stream`);
  await page.getByRole('article').getByRole('link', { name: 'Streams' }).click();
  await page.getByRole('heading', { level: 1, name: 'Streaming submission' }).waitFor();
});
