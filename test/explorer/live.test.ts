// What is on the screen follows what happens, over cuts, and says when it does not.
import { describe, expect, it } from 'vitest';
import { writeValley } from '../../packages/web/src/demo/valley.ts';
import { openExplorer, SIZES } from '../support/explorer.ts';
import { startProxy } from '../support/proxy.ts';

/** Nothing listens there. */
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

  it('does not follow the past, and ends when the repository is closed to who looks', async () => {
    const { url, client, visit } = await openExplorer((c) => writeValley(c, 'ada', { visibility: 'public' }));
    const { page } = await visit({ size });
    await page.goto(`${url}/ada/valley?at=2`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.locator('.live-mark').count()).toBe(0);
    await page.getByRole('button', { name: 'Back to now' }).click();
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    await client.repo.setVisibility('ada', 'valley', { visibility: 'private' });
    await page.getByRole('status').getByText('Not live').waitFor();
  });
});
