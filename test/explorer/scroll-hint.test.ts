// Content wider than the window fades at the edge that hides more.
import { expect } from 'vitest';
import { writeValley } from '../../packages/web/src/features/home/valley.ts';
import { DESKTOP, detail, expectWellMade, openExplorer, PHONE } from '../support/explorer.ts';
import type { Locator } from '../tools/chromium.ts';

interface Fades {
  readonly left: number;
  readonly right: number;
}

const styleOf = (part: Locator, property: string): Promise<string> =>
  part.evaluate(
    (element, name) => element.ownerDocument.defaultView?.getComputedStyle(element).getPropertyValue(name) ?? '',
    property,
  );
/** Widths of the fading edges, in pixels. */
const fadesOf = async (part: Locator): Promise<Fades> => ({
  left: Number.parseFloat(await styleOf(part, '--fade-left')),
  right: Number.parseFloat(await styleOf(part, '--fade-right')),
});
const scrollTo = (part: Locator, share: number) =>
  part.evaluate((element, by) => {
    element.scrollLeft = (element.scrollWidth - element.clientWidth) * by;
  }, share);

const NONE: Fades = { left: 0, right: 0 };

detail.each([
  ['/ada/valley', 'navigation', 'Repository'],
  ['/ada/valley/records?shape=Person', 'region', 'Records'],
  ['/ada/valley/shapes/Location', 'region', 'Table of fields'],
] as const)('%s fades on a phone where it goes on: %s %s', async (path, role, name) => {
  const { url, visit } = await openExplorer((client) => writeValley(client, 'ada', { visibility: 'public' }));
  const visited = await visit({ size: PHONE });
  const { page } = visited;
  await page.goto(`${url}${path}`);
  const part = page.getByRole(role, { name, exact: true });
  await part.getByText(/./).first().waitFor();
  await expect.poll(() => fadesOf(part)).toEqual({ left: 0, right: 48 });
  expect(await styleOf(part, 'mask-image')).toContain('linear-gradient');
  await expectWellMade(visited);
  await scrollTo(part, 0.5);
  await expect.poll(() => fadesOf(part)).toEqual({ left: 48, right: 48 });
  await scrollTo(part, 1);
  await expect.poll(() => fadesOf(part)).toEqual({ left: 48, right: 0 });
  await page.setViewportSize(DESKTOP);
  await expect.poll(() => fadesOf(part)).toEqual(NONE);
});

detail('does not fade the name of the page that is open', async () => {
  const { url, visit } = await openExplorer((client) => client.org.create('acme'));
  const { page } = await visit({ size: PHONE, signedIn: true });
  for (const name of ['Components', 'Audit', 'Settings']) {
    await page.goto(`${url}/acme/-/${name.toLowerCase()}`);
    const tabs = page.getByRole('navigation', { name: 'Organization' });
    const open = tabs.getByRole('link', { name, exact: true });
    await tabs.getByRole('link', { name: 'Settings' }).waitFor();
    await expect
      .poll(async () => {
        const [whole, one, { left, right }] = [await tabs.boundingBox(), await open.boundingBox(), await fadesOf(tabs)];
        if (whole === null || one === null) return false;
        return one.x >= whole.x + left - 1 && one.x + one.width <= whole.x + whole.width - right + 1;
      })
      .toBe(true);
  }
});

detail('fades the panel of the graph where it goes on', async () => {
  const { url, visit } = await openExplorer((client) => writeValley(client, 'ada', { visibility: 'public' }));
  const visited = await visit({ size: { ...DESKTOP, height: 600 } });
  const { page } = visited;
  await page.goto(`${url}/ada/valley/graph?selected=Location%2Fvillage`);
  const side = page.locator('.graph-side');
  await side.getByRole('heading', { name: 'Referenced by' }).waitFor();
  const ends = async () => [await styleOf(side, '--fade-top'), await styleOf(side, '--fade-bottom')];
  await expect.poll(ends).toEqual(['0px', '48px']);
  expect(await styleOf(side, 'mask-image')).toContain('linear-gradient');
  await expectWellMade(visited);
  await side.evaluate((element) => {
    element.scrollTop = element.scrollHeight;
  });
  await expect.poll(ends).toEqual(['48px', '0px']);
  await page.setViewportSize({ width: DESKTOP.width, height: 3_000 });
  await expect.poll(ends).toEqual(['0px', '0px']);
});

detail('fades a table of many columns in a wide window too', async () => {
  const names = Array.from({ length: 14 }, (_, field) => `field-${field}`);
  const { url, visit } = await openExplorer(async (client) => {
    await client.repo.create('ada', 'wide', { visibility: 'public' });
    const fields = Object.fromEntries(names.map((name) => [name, 'string']));
    const data = Object.fromEntries(names.map((name) => [name, 'A text of some length']));
    const operations = [
      { kind: 'shape', name: 'Wide', data: { fields } },
      { name: 'Wide/one', data },
    ];
    await client.commit.submit('ada', 'wide', { operations });
  });
  const { page } = await visit();
  await page.goto(`${url}/ada/wide/records?shape=Wide`);
  const part = page.getByRole('region', { name: 'Records', exact: true });
  await part.getByText('Wide/one').waitFor();
  await expect.poll(() => fadesOf(part)).toEqual({ left: 0, right: 48 });
  expect(await styleOf(part, 'mask-image')).toContain('linear-gradient');
});

detail('does not fade what fits', async () => {
  const { url, visit } = await openExplorer((client) => writeValley(client, 'ada', { visibility: 'public' }));
  const { page } = await visit({ size: { ...PHONE, width: 620 } });
  await page.goto(`${url}/ada/valley`);
  const tabs = page.getByRole('navigation', { name: 'Repository' });
  await tabs.getByText('Export').waitFor();
  expect(await fadesOf(tabs)).toEqual(NONE);
});
