// Every page at any past sequence.
import { describe, expect, it } from 'vitest';
import { writeValley } from '../../packages/web/src/features/home/valley.ts';
import { detail, expectWellMade, openExplorer, SIZES } from '../support/explorer.ts';

const AFTER = 11;

describe.each(SIZES)('the time slider on a $device', ({ size }) => {
  it('goes back by the keyboard, keeps the sequence over pages and reloads, and comes back to now', async () => {
    const { url, visit } = await openExplorer((client) => writeValley(client, 'ada', { visibility: 'public' }));
    const visitor = await visit({ size });
    const { page } = visitor;
    await page.goto(`${url}/ada/valley/records`);
    const slider = page.getByRole('slider');
    expect(await slider.inputValue()).toBe(String(AFTER));
    await page.getByRole('link', { name: 'Location/fallen-wood' }).waitFor();
    await slider.focus();
    await page.keyboard.press('ArrowLeft');
    await page.waitForURL(/[?&]at=10\b/);
    await slider.fill('9');
    await page.waitForURL(/[?&]at=9\b/);
    await slider.focus();
    await page.keyboard.press('ArrowLeft');
    await page.waitForURL(/[?&]at=8\b/);
    await page.getByRole('link', { name: 'Location/forest' }).waitFor();
    expect(await page.getByRole('link', { name: 'Location/fallen-wood' }).count()).toBe(0);
    await page.getByRole('button', { name: 'One commit back' }).click();
    await page.waitForURL(/[?&]at=7\b/);
    await page.getByText('After the storm').waitFor();
    await page.getByRole('navigation', { name: 'Repository' }).getByRole('link', { name: 'Shapes' }).click();
    await page.waitForURL(/shapes\?at=7\b/);
    await page.reload();
    await expect.poll(() => slider.inputValue()).toBe('7');
    await expectWellMade(visitor);
    // The buttons are large enough for touch, and share a line with the slider.
    const [along, back] = [
      await slider.boundingBox(),
      await page.getByRole('button', { name: 'One commit back' }).boundingBox(),
    ];
    expect(back?.height).toBeGreaterThanOrEqual(size.width < 640 ? 40 : 24);
    expect(along?.y).toBeGreaterThanOrEqual(back?.y ?? 0);
    expect(along?.y).toBeLessThan((back?.y ?? 0) + (back?.height ?? 0));
    await page.getByRole('button', { name: 'Back to now' }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('');
  });

  detail('stays under the hand, and says where it goes', async () => {
    const { url, visit } = await openExplorer((client) => writeValley(client, 'ada', { visibility: 'public' }));
    const { page } = await visit({ size });
    await page.clock.install();
    await page.goto(`${url}/ada/valley/records`);
    const slider = page.getByRole('slider');
    const time = page.getByRole('region', { name: 'Time' });
    await time.getByText(`Now, at sequence ${AFTER} of ${AFTER}`).waitFor();
    const before = await slider.boundingBox();
    expect(before?.width).toBeGreaterThan(size.width / 2);
    await page.clock.pauseAt(Date.now() + 60_000);
    await slider.fill('6');
    await time.getByText(`Going to sequence 6 of ${AFTER}`).waitFor();
    expect(await slider.boundingBox()).toEqual(before);
    await page.clock.resume();
    await time.getByText(`Viewing the past, at sequence 6 of ${AFTER}`).waitFor();
    expect(await slider.boundingBox()).toEqual(before);
    expect(await slider.inputValue()).toBe('6');
  });

  detail('says how far the repository has come while the past is looked at, which stays as it was', async () => {
    const { url, client, visit } = await openExplorer((c) => writeValley(c, 'ada', { visibility: 'public' }));
    const { page } = await visit({ size });
    const followed = page.waitForResponse((response) => response.url().includes('/sse'));
    await page.goto(`${url}/ada/valley/records?shape=Location&at=7`);
    await page.getByRole('link', { name: 'Location/forest' }).waitFor();
    await followed;
    const slider = page.getByRole('slider');
    expect(await slider.getAttribute('aria-valuetext')).toBe(`7 of ${AFTER}`);
    await client.commit.submit('ada', 'valley', {
      operations: [{ name: 'Location/hut', data: { x: 1, y: 1, danger: 0 } }],
    });
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe(`7 of ${AFTER + 1}`);
    expect([await slider.inputValue(), await slider.getAttribute('max')]).toEqual(['7', String(AFTER + 1)]);
    expect(await page.getByRole('link', { name: 'Location/hut' }).count()).toBe(0);
    expect(await page.locator('.changed, .live-mark').count()).toBe(0);
    await page.getByRole('button', { name: 'Back to now' }).click();
    await page.getByRole('link', { name: 'Location/hut' }).waitFor();
  });

  detail('comes with the second commit', async () => {
    const { url, client, visit } = await openExplorer((c) => c.repo.create('ada', 'young', { visibility: 'public' }));
    const visitor = await visit({ size });
    const { page } = visitor;
    const add = (name: string) =>
      client.commit.submit('ada', 'young', {
        message: name,
        operations: [{ kind: 'shape', name, data: { fields: { label: 'string' } } }],
      });
    await page.goto(`${url}/ada/young/commits`);
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    await add('First');
    await page.getByRole('link', { name: /First/ }).waitFor();
    expect(await page.getByRole('slider').count()).toBe(0);
    await expectWellMade(visitor);
    await add('Second');
    await expect.poll(() => page.getByRole('slider').getAttribute('aria-valuetext')).toBe('2 of 2');
  });

  detail('says of a sequence that the repository has not reached what there is', async () => {
    const { url, visit } = await openExplorer((client) => writeValley(client, 'ada', { visibility: 'public' }));
    const { page } = await visit({ size });
    await page.goto(`${url}/ada/valley?at=99`);
    await page.getByRole('heading', { name: 'Sequence 99 does not exist yet' }).waitFor();
    await page.getByText('This sequence does not exist yet. The latest is').waitFor();
    await page.getByRole('button', { name: 'Back to now' }).click();
    await page.getByRole('heading', { level: 1, name: 'valley' }).waitFor();
    for (const path of ['', '/shapes', '/commits/3', '/export', '/settings'])
      for (const at of ['soon', '0']) {
        await page.goto(`${url}/ada/valley${path}?at=${at}`);
        await page.getByText(`Invalid in the address: at=${at} (showing the latest state).`).waitFor();
      }
    await page.goto(`${url}/ada/valley?at=soon`);
    await page.getByText('Now, at sequence').waitFor();
    await page.getByRole('heading', { level: 1, name: 'valley' }).waitFor();
  });
});
