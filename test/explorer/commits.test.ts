// The commit log, and the changes of one commit.
import type { CairnClient } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import { writeValley } from '../../packages/web/src/features/home/valley.ts';
import { detail, expectWellMade, openExplorer, SIZES } from '../support/explorer.ts';

const valley = (client: CairnClient) => writeValley(client, 'ada', { visibility: 'public' });

async function manyCommits(client: CairnClient): Promise<void> {
  await client.repo.create('ada', 'many', { visibility: 'public' });
  await client.shape.create('ada', 'many', 'Place', { fields: { x: 'number' } });
  for (let x = 2; x <= 120; x += 1) {
    const message = x === 2 ? '' : `Commit ${x} of many`;
    await client.commit.submit('ada', 'many', { message, operations: [{ name: `Place/p${x}`, data: { x } }] });
  }
}

describe.each(SIZES)('the log on a $device', ({ size }) => {
  detail('shows older commits when they are asked for, down to the first', async () => {
    const { url, visit } = await openExplorer(manyCommits);
    const visitor = await visit({ size });
    const { page } = visitor;
    await page.goto(`${url}/ada/many/commits`);
    await page.getByRole('link', { name: /Commit 120 of many/ }).waitFor();
    expect(await page.title()).toBe('Commits · ada/many · Cairn');
    expect(await page.locator('ol.commits li').count()).toBe(50);
    await expectWellMade(visitor);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectWellMade(visitor);
    const older = page.getByRole('button', { name: 'Show more commits' });
    for (const count of [100, 120]) {
      await older.focus();
      await page.keyboard.press('Enter');
      await expect.poll(() => page.locator('ol.commits li').count()).toBe(count);
    }
    expect(await older.count()).toBe(0);
    await page.getByRole('link', { name: '2 No message', exact: true }).waitFor();
  });

  detail('begins at the sequence that is looked at, and jumps to a commit by its number', async () => {
    const { url, visit } = await openExplorer(valley);
    const { page } = await visit({ size });
    await page.goto(`${url}/ada/valley/commits?at=3`);
    await page
      .locator('ol.commits')
      .getByRole('link', { name: /The people: Mara/ })
      .waitFor();
    expect(await page.locator('ol.commits li').count()).toBe(3);
    await page.getByLabel('Go to commit').fill('7');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/commits\/7\?at=3$/);
    await page.getByText('It is later than sequence 3').waitFor();
    await page.getByRole('link', { name: 'View the repository at this commit' }).click();
    await page.waitForURL(/\/ada\/valley\?at=7$/);
  });

  detail('follows what is written, with a mark on it', async () => {
    const { url, client, visit } = await openExplorer(valley);
    const { page } = await visit({ size });
    await page.goto(`${url}/ada/valley/commits`);
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    await page.getByRole('link', { name: /After the storm/ }).waitFor();
    await client.commit.submit('ada', 'valley', {
      message: 'A hut was built',
      operations: [{ name: 'Location/hut', data: { x: 1, y: 1, danger: 0 } }],
    });
    await page.locator('ol.commits li.changed', { hasText: 'A hut was built' }).waitFor();
    expect(await page.locator('ol.commits li.changed').count()).toBe(1);
    await expect.poll(() => page.locator('.changed').count()).toBe(0);
  });

  detail('says so where there is no commit', async () => {
    const { url, visit } = await openExplorer((client) => client.repo.create('ada', 'empty', { visibility: 'public' }));
    const visitor = await visit({ size });
    const { page } = visitor;
    await page.goto(`${url}/ada/empty/commits`);
    await page.getByText('There are no commits yet.').waitFor();
    await expectWellMade(visitor);
    await page.goto(`${url}/ada/empty/commits/7`);
    await page.getByRole('alert').getByText('ada/empty has no commit 7.').waitFor();
  });
});

describe.each(SIZES)('one commit on a $device', ({ size }) => {
  it('tells what it changed, operation by operation, kept in the address', async () => {
    const { url, visit } = await openExplorer(valley);
    const visitor = await visit({ size });
    const { page } = visitor;
    await page.goto(`${url}/ada/valley/commits/7`);
    await page.getByRole('heading', { level: 1, name: 'Commit 7' }).waitFor();
    await page.getByText('After the storm').waitFor();
    await page.getByText('2 revised, 1 retracted').waitFor();
    await page.getByText('ada (token all)').or(page.getByText('ada (a token)')).first().waitFor();
    await page.locator('.difference', { hasText: 'Changed danger' }).first().waitFor();
    expect(await page.locator('.change').count()).toBe(3);
    const bridge = page.locator('ol.operations > li').filter({ hasText: 'Location/bridge' });
    await bridge.getByText('Reason: washed away').waitFor();
    await expectWellMade(visitor);
    const opener = page.getByRole('button', { name: 'Changes in Location/cave' });
    await opener.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.change').count()).toBe(2);
    expect(await opener.getAttribute('aria-expanded')).toBe('false');
    expect(JSON.parse(new URL(page.url()).searchParams.get('operation') ?? '')).toHaveLength(2);
    await page.reload();
    await bridge.locator('.change').waitFor();
    expect(await page.locator('.change').count()).toBe(2);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectWellMade(visitor);
    for (const name of ['Location/bridge', 'Location/forest'])
      await page.getByRole('button', { name: `Changes in ${name}` }).click();
    await expect.poll(() => page.locator('.change').count()).toBe(0);
    await bridge.getByText('Reason: washed away').waitFor();
    const cave = page.getByRole('listitem').filter({ hasText: 'Location/cave' });
    await cave.getByRole('link', { name: 'version 2' }).click();
    await page.waitForURL(/\/record\/Location\/cave\?version=2$/);
    await page.goBack();
    await page.getByRole('link', { name: 'Location/cave', exact: true }).click();
    await page.waitForURL(/\/record\/Location\/cave$/);
    // Links from a view of the past keep its sequence.
    await page.goto(`${url}/ada/valley/commits/7?at=8`);
    await page.getByRole('link', { name: 'Location/cave', exact: true }).click();
    await page.waitForURL(/\/record\/Location\/cave\?at=8$/);
    // The old name of a renamed record leads to the present one.
    await page.goto(`${url}/ada/valley/commits/7`);
    await page.getByRole('link', { name: 'Location/forest', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Location/fallen-wood' }).waitFor();
  });

  detail('leads to the commits before and after it', async () => {
    const { url, visit } = await openExplorer(valley);
    const visitor = await visit({ size });
    const { page } = visitor;
    await page.goto(`${url}/ada/valley/commits/11`);
    await page.getByRole('heading', { level: 1, name: 'Commit 11' }).waitFor();
    expect(await page.getByRole('link', { name: /Next commit/ }).count()).toBe(0);
    // A commit looks the same at any sequence, so it has no time bar.
    expect(await page.getByRole('slider').count()).toBe(0);
    await page.goto(`${url}/ada/valley/commits/9`);
    await page.getByRole('heading', { level: 1, name: 'Commit 9' }).waitFor();
    await page.getByText('Location/forest').waitFor();
    await page.getByText('Only the name changed.').waitFor();
    await page.getByRole('link', { name: /Previous commit/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Commit 8' }).waitFor();
    await page.getByText('The roof has come down at the back').waitFor();
    await page
      .locator('.change')
      .getByRole('link', { name: /^Location\/cave/ })
      .waitFor();
    await page.getByRole('link', { name: /Next commit/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Commit 9' }).waitFor();
    await page.goto(`${url}/ada/valley/commits/1`);
    await page.getByRole('heading', { level: 1, name: 'Commit 1' }).waitFor();
    expect(await page.getByRole('link', { name: /Previous commit/ }).count()).toBe(0);
    // Added shapes look as they do on their own pages.
    const fields = page.getByRole('region', { name: 'Fields of Location' });
    await fields.getByRole('row', { name: /^danger number required / }).waitFor();
    await expectWellMade(visitor);
    // An invalid commit number gets the number of the last commit.
    for (const asked of ['0', 'abc', '99']) {
      await page.goto(`${url}/ada/valley/commits/${asked}`);
      await page.getByText(`ada/valley has no commit ${asked}. The latest commit is 11.`).waitFor();
    }
    await page.getByRole('link', { name: 'View all commits' }).waitFor();
    expect(await page.getByRole('link', { name: /Previous commit/ }).count()).toBe(0);
    await page.getByText('The latest commit is 11.').getByRole('link', { name: '11', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Commit 11' }).waitFor();
  });

  detail('of thousands of operations is shown by pages', async () => {
    const { url, visit } = await openExplorer(async (client) => {
      await client.repo.create('ada', 'large', { visibility: 'public' });
      await client.shape.create('ada', 'large', 'Place', { fields: { x: 'number' } });
      const operations = Array.from({ length: 10_000 }, (_, x) => ({ name: `Place/p${x}`, data: { x } }));
      await client.commit.submit('ada', 'large', { message: 'Very much', operations });
    });
    const visitor = await visit({ size });
    const { page } = visitor;
    await page.goto(`${url}/ada/large/commits/2`);
    await page.getByRole('heading', { name: '10,000 operations' }).waitFor();
    expect(await page.locator('ol.operations > li').count()).toBe(100);
    await expectWellMade(visitor);
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.waitForURL(/page=2/);
    await page.getByRole('link', { name: 'Place/p100', exact: true }).waitFor();
    expect(await page.locator('.change').count()).toBe(0);
    for (const name of ['Place/p100', 'Place/p102'])
      await page.getByRole('button', { name: `Changes in ${name}`, exact: true }).click();
    await expect.poll(() => page.locator('.change').count()).toBe(2);
    await page.reload();
    await expect.poll(() => page.locator('.change').count()).toBe(2);
    await page.goto(`${url}/ada/large/commits/2?operation=9999`);
    await page.getByText('Page 100 of 100').waitFor();
    await page.locator('.change').getByText('9999').waitFor();
  });

  detail('that changed a record more than once, and renamed it, tells what came of it', async () => {
    const { url, visit } = await openExplorer(async (client) => {
      await client.repo.create('ada', 'twice', { visibility: 'public' });
      await client.shape.create('ada', 'twice', 'Place', { fields: { x: 'number' } });
      await client.commit.submit('ada', 'twice', {
        operations: [
          { name: 'Place/cave', data: { x: 1 } },
          { operation: 'revise', name: 'Place/cave', data: { x: 2 } },
          { operation: 'rename', name: 'Place/cave', newName: 'Place/cavern' },
        ],
      });
    });
    const { page } = await visit({ size });
    await page.goto(`${url}/ada/twice/commits/2?operation=0`);
    await page.getByText('This commit changed the record more than once.').waitFor();
    await page.locator('.change').getByText('2', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Place/cave', exact: true }).first().click();
    await page.waitForURL(/\/record\/Place\/cavern$/);
  });

  detail('that retracted more than one answer holds tells why in each', async () => {
    const names = ['a', 'b', 'c', 'd'].map((name) => `Text/${name}`);
    const { url, visit } = await openExplorer(
      async (client) => {
        await client.repo.create('ada', 'large', { visibility: 'public' });
        await client.shape.create('ada', 'large', 'Text', { fields: { words: 'string' } });
        const operations = names.map((name) => ({ name, data: { words: 'long '.repeat(1_200) } }));
        await client.commit.submit('ada', 'large', { operations });
        const gone = names.map((name) => ({ operation: 'retract' as const, name, reason: `${name} was long` }));
        await client.commit.submit('ada', 'large', { operations: gone });
      },
      { environment: { CAIRN_LIMIT_ANSWER_BYTES: '20000' } },
    );
    const { page } = await visit({ size });
    await page.goto(`${url}/ada/large/commits/3`);
    for (const name of names) await page.locator('.change').getByText(`Reason: ${name} was long`).waitFor();
  });

  detail('that stands for an import says so', async () => {
    const { url, visit } = await openExplorer(async (client) => {
      await writeValley(client, 'ada');
      await client.repo.create('ada', 'copy', { visibility: 'public' });
      const lines = client.repo.exportLines('ada', 'valley');
      const bytes = (async function* () {
        for await (const part of lines) yield part.lines;
      })();
      await client.repo.import('ada', 'copy', bytes);
    });
    const visitor = await visit({ size });
    const { page } = visitor;
    await page.goto(`${url}/ada/copy/commits`);
    await page.getByText(/an import of \d+ rows/).waitFor();
    await page.locator('ol.commits a').click();
    await page.getByText('This commit is an import').waitFor();
    expect(await page.getByRole('link', { name: /Previous commit/ }).count()).toBe(0);
    await expectWellMade(visitor);
    await page.goto(`${url}/ada/copy`);
    await page.getByText('There is only one commit so far.').waitFor();
    await expectWellMade(visitor);
  });
});
