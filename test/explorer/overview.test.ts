// The overview of a repository for a first-time visitor: its contents and history.
import type { CairnClient } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import { writeValley } from '../../packages/web/src/features/home/valley.ts';
import { detail, expectWellMade, openExplorer, SIZES } from '../support/explorer.ts';

const valley = (client: CairnClient) => writeValley(client, 'ada', { visibility: 'public' });

describe.each(SIZES)('the overview on a $device', ({ size }) => {
  it('shows the readme, counts, shapes, the plot and the latest commits, in light and dark', async () => {
    const { url, visit } = await openExplorer(valley);
    const visitor = await visit({ size });
    const { page } = visitor;
    await page.goto(`${url}/ada/valley`);
    await page.getByRole('heading', { level: 1, name: 'valley' }).waitFor();
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    expect(await page.title()).toBe('ada/valley · Cairn');
    await page.getByRole('heading', { level: 1 }).getByText('public', { exact: true }).waitFor();
    await page.getByRole('heading', { level: 3, name: 'A small valley' }).waitFor();
    await page.getByRole('cell', { name: 'one place, its history, and what two people believe about it' }).waitFor();
    expect(await page.locator('dl.kinds dd:not(.hint)').allInnerTexts()).toEqual(['16', '3', '7', '7']);
    await page.getByText(/Including the readme\b/).waitFor();
    await page.getByText(/Including \d built-in: .*Content\./).waitFor();
    expect(await page.getByRole('link', { name: 'Add a record' }).count()).toBe(0);
    await page.getByRole('link', { name: '7 records of Location' }).waitFor();
    await page.getByText('Somebody who lives in the valley').waitFor();
    await page.getByRole('img', { name: /^Commits over time: 1 on .*, 11 on / }).waitFor();
    await page.locator('.plot canvas').waitFor();
    await page.getByRole('link', { name: /After the storm/ }).waitFor();
    const leftOf = async (place: string) => (await page.locator(place).first().boundingBox())?.x;
    expect(await leftOf('.readme p')).toBe(await leftOf('#readme'));
    expect(await leftOf('ol.commits .sequence')).toBe(await leftOf('#latest-commits'));
    await expectWellMade(visitor);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectWellMade(visitor);
  });

  detail('leads on by its links, which keep the sequence', async () => {
    const { url, visit } = await openExplorer(valley);
    const { page } = await visit({ size });
    await page.goto(`${url}/ada/valley?at=4`);
    await page.getByRole('link', { name: 'Person', exact: true }).click();
    await page.waitForURL(/\/ada\/valley\/shapes\/Person\?at=4$/);
    await page.goBack();
    await page.getByRole('link', { name: '3 records of Person' }).click();
    await page.waitForURL(/\/ada\/valley\/records\?.*shape=Person/);
    expect(new URL(page.url()).searchParams.get('at')).toBe('4');
    await page.goBack();
    await page.getByRole('link', { name: /The people: Mara/ }).click();
    await page.waitForURL(/\/ada\/valley\/commits\/3\?at=4$/);
  });

  detail('is as it was at an older sequence', async () => {
    const { url, visit } = await openExplorer(valley);
    const visitor = await visit({ size });
    const { page } = visitor;
    await page.goto(`${url}/ada/valley?at=1`);
    await page.getByText('No readme at this sequence.').waitFor();
    await page.getByText('There is only one commit so far.').waitFor();
    await page.getByRole('link', { name: '0 records of Location' }).waitFor();
    expect(await page.locator('ol.commits li').count()).toBe(1);
    await expectWellMade(visitor);
  });

  detail('follows what is written, with a mark on what is new', async () => {
    const { url, client, visit } = await openExplorer(valley);
    const visitor = await visit({ size });
    const { page } = visitor;
    await page.goto(`${url}/ada/valley`);
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    await page.getByRole('link', { name: /After the storm/ }).waitFor();
    await client.repo.setContent('ada', 'valley', 'readme', '# Written anew', { message: 'Another readme' });
    await page.getByRole('heading', { level: 3, name: 'Written anew' }).waitFor();
    await page.locator('ol.commits li.changed', { hasText: 'Another readme' }).waitFor();
    await page.getByRole('img', { name: /, 12 on / }).waitFor();
    await expectWellMade(visitor);
    await expect.poll(() => page.locator('.changed').count()).toBe(0);
  });

  detail('leads to another time by a point of the plot, and by its table with the keyboard', async () => {
    const { url, visit } = await openExplorer(valley);
    const { page } = await visit({ size });
    await page.goto(`${url}/ada/valley`);
    const plot = page.locator('.plot .u-over');
    const note = page.locator('.plot-note');
    const { height: unpointed } = (await note.boundingBox()) ?? {};
    // The plot is redrawn once its size is known, and an earlier click selects nothing. The first commit is at the
    // lower end of the left edge.
    const choose = async () => {
      if (/[?&]at=1$/.test(page.url())) return page.url();
      const { height = 20 } = (await plot.boundingBox()) ?? {};
      await plot.hover({ position: { x: 1, y: height - 12 } });
      await note.getByText(/^Commit 1: /).waitFor();
      expect((await note.boundingBox())?.height).toBe(unpointed);
      await plot.click({ position: { x: 1, y: height - 12 } });
      return page.url();
    };
    await expect.poll(choose, { interval: 1_000 }).toMatch(/[?&]at=1$/);
    await page.getByRole('button', { name: 'Back to now' }).click();
    await page.getByText('Show as table').focus();
    await page.keyboard.press('Enter');
    await page
      .getByRole('cell', { name: / s after the first$/ })
      .first()
      .waitFor();
    const third = page.getByRole('link', { name: 'View the repository at sequence 3' });
    await third.waitFor();
    for (let steps = 0; steps < 3; steps += 1) await page.keyboard.press('Tab');
    const focused = 'document.activeElement.getAttribute("aria-label")';
    expect(await page.evaluate(focused)).toBe('View the repository at sequence 3');
    await page.keyboard.press('Enter');
    await page.waitForURL(/[?&]at=3$/);
    await page.getByRole('img', { name: /, 3 on / }).waitFor();
  });

  it('says what to do first while the repository is empty, and shows what is written then', async () => {
    const { url, client, visit } = await openExplorer((owner) =>
      owner.repo.create('ada', 'empty', { visibility: 'public', description: 'Nothing yet' }),
    );
    const visitor = await visit({ size });
    const { page } = visitor;
    await page.goto(`${url}/ada/empty`);
    await page.getByRole('heading', { name: 'This repository is empty' }).waitFor();
    await page.getByText('cairn shape create Place').waitFor();
    await page.getByText('client.shape.create').waitFor();
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    await expectWellMade(visitor);
    await client.shape.create('ada', 'empty', 'Place', { fields: { label: 'string' } });
    await page.getByRole('link', { name: 'Place', exact: true }).waitFor();
  });
});

const HOSTILE = `### Begins deep <script>window.ran = 1</script>

[script](javascript:window.ran=1) [data](data:text/html,x) [home](/auth/account) [part](#part) [abroad](https://example.com/a)

![A picture](https://example.com/picture.png) [![A badge](https://example.com/badge.png)](https://example.com/build)

- [x] done
- [ ] not done

# Then high \u202Eturned

#

<img src="https://example.com/raw.png" onerror="window.ran = 1"><style>body { display: none }</style>

| wide | table |
| :--- | ---: |
| ${'w'.repeat(300)} | <b onclick="window.ran = 1">b</b> |

A note[^1].

[^1]: At the foot.

\`\`\`js
const wide = '${'c'.repeat(300)}';
\`\`\`
`;

const readmeOf = (content: string) => async (client: CairnClient) => {
  await client.repo.create('ada', 'hostile', { visibility: 'public', description: '<script>window.ran = 1</script>' });
  await client.repo.setContent('ada', 'hostile', 'readme', content);
};

describe('a readme', () => {
  detail.each(SIZES)('that is hostile runs nothing and loads nothing on a $device', async ({ size }) => {
    const { url, visit } = await openExplorer(readmeOf(HOSTILE));
    const visitor = await visit({ size });
    const { page } = visitor;
    const hosts = new Set<string>();
    page.on('request', (request) => hosts.add(new URL(request.url()).host));
    await page.goto(`${url}/ada/hostile`);
    await page.getByRole('heading', { level: 3, name: /Then high/ }).waitFor();
    await page.getByRole('heading', { level: 3, name: /Begins deep <script>/ }).waitFor();
    const links = page.locator('.readme a');
    const shown = (await links.all()).map(async (link) => [await link.innerText(), await link.getAttribute('href')]);
    expect(await Promise.all(shown)).toEqual([
      ['abroad', 'https://example.com/a'],
      ['A picture', 'https://example.com/picture.png'],
      ['A badge', 'https://example.com/build'],
    ]);
    expect(await page.locator('.readme').locator('img, style, script, iframe, input').count()).toBe(0);
    await page.locator('.readme .unseen', { hasText: 'U+202E' }).waitFor();
    await expectWellMade(visitor);
    expect(await page.evaluate('window.ran')).toBeUndefined();
    expect([...hosts]).toEqual([new URL(url).host]);
  });

  detail.each([
    ['quotes', '>'.repeat(60_000)],
    ['brackets', '['.repeat(60_000)],
    ['stars', '*a_'.repeat(20_000)],
    ['lists', '- '.repeat(30_000)],
  ])('of nothing but %s does not stop the page', async (_, content) => {
    const { url, visit } = await openExplorer(readmeOf(content));
    const { page } = await visit();
    await page.goto(`${url}/ada/hostile`);
    await page.getByRole('heading', { level: 2, name: 'Latest commits' }).waitFor();
    await page.getByText('it is shown as plain text').waitFor();
    await page.locator('.readme .long-text', { hasText: content.slice(0, 100) }).waitFor();
    await page.getByRole('link', { name: 'Commits', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Commits' }).waitFor();
  });
});

detail('in a very narrow window the overview, and all that stands above it, is within it', async () => {
  const { url, visit } = await openExplorer(valley);
  const visitor = await visit({ size: { width: 240, height: 600 }, signedIn: true });
  const { page } = visitor;
  await page.goto(`${url}/ada/valley`);
  await page.locator('.plot canvas').waitFor();
  const ends = await page.getByRole('banner').getByRole('link').all();
  for (const link of ends) {
    const box = await link.boundingBox();
    expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 0) <= 240).toBe(true);
  }
  await expectWellMade(visitor);
});

describe('a long history', () => {
  detail('is plotted by some of its commits', async () => {
    const { url, visit } = await openExplorer(async (client) => {
      await client.repo.create('ada', 'long', { visibility: 'public' });
      await client.shape.create('ada', 'long', 'Place', { fields: { x: 'number' } });
      for (let x = 0; x < 600; x += 1) {
        await client.commit.submit('ada', 'long', { operations: [{ name: `Place/p${x}`, data: { x } }] });
      }
    });
    const { page } = await visit();
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('commit.log')) asked.push(request.url());
    });
    await page.goto(`${url}/ada/long`);
    await page.getByRole('img', { name: /^Commits over time: 1 on .*, 601 on / }).waitFor();
    await page.locator('.plot canvas').waitFor();
    expect(asked.length).toBeLessThan(45);
    await page.getByText('Show as table').click();
    expect(await page.locator('.growth tbody tr').count()).toBe(12);
  });
});

it('the overview is shown in a browser whose language is none', async () => {
  const { url, visit } = await openExplorer(valley);
  const { context, page, complaints } = await visit();
  await context.addInitScript(
    `Object.defineProperty(navigator, 'language', { value: 'en-US@posix', configurable: true })`,
  );
  await page.goto(`${url}/ada/valley`);
  await page.locator('.plot canvas').waitFor();
  expect(complaints).toEqual([]);
});
