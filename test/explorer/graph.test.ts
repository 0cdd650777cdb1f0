// The graph in the explorer: its start, and its drawing with few records and with thousands.
import { describe, expect, it } from 'vitest';
import { writeValley } from '../../packages/web/src/features/home/valley.ts';
import { DESKTOP, detail, expectWellMade, openExplorer, PHONE, SIZES } from '../support/explorer.ts';
import { fillHouse, fillLongNames, has, settled } from '../support/explorer-house.ts';
import { fillStars, measureStars, STARS } from '../support/explorer-stars.ts';
import { waitForSearch } from '../support/search-wait.ts';
import type { Page } from '../tools/chromium.ts';

async function drawHouse() {
  const { url, visit } = await openExplorer(fillHouse);
  const { page } = await visit();
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const drawn = await watchNames(page);
  await page.goto(`${url}/ada/house/graph`);
  await settled(page);
  return { page, drawn };
}

describe('the graph in the explorer', () => {
  it.each(SIZES)('is reached by one click, and drawn on a $device', async ({ size }) => {
    const { url, visit } = await openExplorer(fillHouse);
    const visited = await visit({ size });
    const { page } = visited;
    await page.goto(`${url}/ada/house/graph`);
    await page.getByRole('heading', { level: 1, name: 'Graph' }).waitFor();
    await has(page, '8 records, 7 references');
    await settled(page);
    await expectWellMade(visited);
    await page.getByText('Latest changes').click();
    await page.getByRole('link', { name: 'Room/0' }).waitFor();
    const choices = await page.locator('.graph-choices').getByRole('listitem').allInnerTexts();
    expect(choices.slice(0, 2)).toEqual(['Room/0 thing', 'Note/first assertion']);
    await expectWellMade(visited);
    await page.getByRole('link', { name: 'Room/0' }).click();
    await has(page, '4 records, 3 references');
    await settled(page);
    await page.getByRole('group', { name: 'Shapes' }).getByText('Start: Room/0').waitFor();
    expect(await page.getByRole('img', { name: 'Graph of 4 records, 3 references' }).count()).toBe(1);
    expect(await page.getByRole('option').allInnerTexts()).toEqual(['Note/first', 'Room/0 start', 'Room/1', 'Room/2']);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.getByRole('button', { name: 'Fit' }).click();
    await expectWellMade(visited);
    await page.goto(`${url}/ada/house/graph?from=Note%2Ffirst&selected=Room%2F1`);
    await page.getByRole('heading', { level: 2, name: 'Room/1' }).waitFor();
    await settled(page);
    await expectWellMade(visited);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectWellMade(visited);
  });

  detail('of a small repository is drawn whole at once, with all names, as it is and as it was', async () => {
    const { url, client, visit } = await openExplorer(fillHouse);
    const { page } = await visit();
    const drawn = await watchNames(page);
    await page.goto(`${url}/ada/house/graph`);
    await page.getByRole('searchbox', { name: 'Find a record by its name, or by words in it' }).waitFor();
    await has(page, '8 records, 7 references');
    await page.getByText('This is the whole repository').waitFor();
    // Most of the graph is visible without scrolling.
    await settled(page);
    expect((await page.locator('.graph-canvas').boundingBox())?.y).toBeLessThan(DESKTOP.height / 2);
    expect(await page.getByRole('button', { name: 'Expand all' }).count()).toBe(0);
    const all = ['Note/first', ...[0, 1, 2, 3, 4, 5, 6].map((room) => `Room/${room}`)];
    expect(await page.getByRole('option').allInnerTexts()).toEqual(all);
    await settled(page);
    await expect.poll(async () => new Set((await drawn()).map(({ text }) => text))).toEqual(new Set(all));
    await page.getByRole('option', { name: 'Room/4' }).click();
    const panel = page.getByRole('region', { name: 'Room/4' });
    await panel.getByRole('button', { name: 'Room/5' }).waitFor();
    expect(await panel.getByRole('button', { name: 'Expand' }).count()).toBe(0);
    await page.reload();
    await panel.waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    const operations = [{ name: 'Room/alone', data: { label: 'Far away' } }];
    await client.commit.submit('ada', 'house', { operations });
    await has(page, '9 records, 7 references');
    await page.getByRole('button', { name: 'One commit back' }).click();
    await has(page, '8 records, 7 references');
    await page.getByRole('button', { name: 'One commit back' }).click();
    await has(page, '7 records, 6 references');
    // Views of the past find names, but not words.
    await page.getByRole('searchbox').first().fill('3');
    await page.getByRole('link', { name: 'Room/3' }).click();
    await page.getByRole('heading', { level: 1, name: 'Graph around Room/3' }).waitFor();
  });

  detail('says why it is gone when there are too many records for it', async () => {
    const { url, client, visit } = await openExplorer(fillHouse);
    const visited = await visit();
    const { page } = visited;
    await page.goto(`${url}/ada/house/graph`);
    await has(page, '8 records, 7 references');
    await page.getByText('Live', { exact: true }).waitFor();
    const operations = Array.from({ length: 200 }, (_, room) => ({ name: `Room/new-${room}`, data: { label: 'New' } }));
    await client.commit.submit('ada', 'house', { operations });
    await page.getByText('There are too many records to draw at once (208). Start with one').waitFor();
    await page.locator('.graph-choices').getByRole('link').first().waitFor();
    expect(await page.locator('.walk-bar').count()).toBe(0);
    await expectWellMade(visited);
  });

  detail('begins with what is searched for', async () => {
    const { url, client, visit } = await openExplorer(fillHouse);
    await waitForSearch(() => client.thing.search('ada', 'house', 'sixth'));
    const { page } = await visit();
    await page.goto(`${url}/ada/house/graph`);
    const search = page.getByRole('searchbox', { name: 'Find a record by its name, or by words in it' });
    await search.fill('sixth');
    await page.getByRole('link', { name: 'Room/6' }).waitFor();
    await search.fill('Room/3');
    await page.getByRole('link', { name: 'Room/3' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/graph?from=Room%2F3');
    await has(page, '5 records');
    // Enter before the results arrive opens a single result, or offers a choice.
    await page.goto(`${url}/ada/house/graph`);
    await search.fill('number');
    await page.keyboard.press('Enter');
    await page.getByText('Choose a record.').waitFor();
    expect(await page.locator('.graph-choices').getByRole('link').count()).toBe(5);
    await search.fill('sixth');
    await page.getByRole('button', { name: 'Start here' }).click();
    await page.waitForURL('**/graph?from=Room%2F6');
    await page.goto(`${url}/ada/house/graph`);
    await search.fill('seventh');
    await page.keyboard.press('Enter');
    await page.getByText('No record has this name or these words.').waitFor();
    expect(page.url()).not.toContain('from');
    await page.goto(`${url}/ada/house/graph?from=Room%2Fnone`);
    await page.getByRole('heading', { name: 'Record not found' }).waitFor();
    await search.waitFor();
  });

  detail('is filtered by shape, and as it was at a sequence', async () => {
    const { url, visit } = await openExplorer(fillHouse);
    const { page } = await visit();
    await page.goto(`${url}/ada/house/graph?from=Room%2F1`);
    await has(page, '5 records, 4 references');
    await page.getByRole('option', { name: 'Room/1' }).click();
    const panel = page.getByRole('region', { name: 'Room/1' });
    await panel.getByRole('button', { name: 'Note/first' }).waitFor();
    await page.getByRole('checkbox', { name: 'Note' }).uncheck();
    await has(page, '4 of 5 records, 3 of 4 references');
    await page.getByRole('img', { name: 'Graph of 4 of 5 records, 3 of 4 references' }).waitFor();
    await panel.getByText('1 more in hidden shapes.').waitFor();
    expect(await panel.getByRole('button', { name: 'Note/first' }).count()).toBe(0);
    expect(await page.getByRole('option', { name: 'Note/first' }).count()).toBe(0);
    await page.reload();
    await has(page, '4 of 5 records, 3 of 4 references');
    expect(await page.getByRole('checkbox', { name: 'Note' }).isChecked()).toBe(false);
    await page.getByRole('button', { name: 'One commit back' }).click();
    await has(page, '3 of 4 records, 2 of 3 references');
    expect(await page.getByRole('option', { name: 'Room/0' }).count()).toBe(0);
    await page.getByRole('checkbox', { name: 'Note' }).check();
    await has(page, '4 records, 3 references');
  });

  detail('keeps shapes in their order and colours while others are added, and in the past', async () => {
    const { url, client, visit } = await openExplorer(fillHouse);
    const { page } = await visit();
    await page.goto(`${url}/ada/house/graph`);
    const legend = page.getByRole('group', { name: 'Shapes' });
    // Colours are read in one call, because Playwright would wait for a shape that disappears meanwhile.
    const colours = async () => {
      const names = await legend.locator('label > input + span + *').allInnerTexts();
      const classes = await legend.locator('label .swatch').evaluateAll((all) => all.map(({ className }) => className));
      return names.map((name, index) => [name, classes[index]]);
    };
    const before = [
      ['Room', 'swatch swatch-1'],
      ['Note', 'swatch swatch-2'],
    ];
    await expect.poll(colours).toEqual(before);
    await page.getByText('Live', { exact: true }).waitFor();
    const operations = [
      { kind: 'shape', name: 'Attic', data: { fields: {} } },
      { name: 'Attic/old', data: {} },
    ];
    await client.commit.submit('ada', 'house', { operations });
    await expect.poll(colours).toEqual([...before, ['Attic', 'swatch swatch-3']]);
    await page.getByRole('button', { name: 'One commit back' }).click();
    await expect.poll(colours).toEqual(before);
  });

  detail('selects what is clicked in the picture', async () => {
    const { url, client, visit } = await openExplorer(fillHouse);
    const operations = [{ name: 'Room/alone', data: { label: 'Far away' } }];
    await client.commit.submit('ada', 'house', { operations });
    const { page } = await visit();
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.goto(`${url}/ada/house/graph?from=Room%2Falone`);
    await page.getByText('It has no references').waitFor();
    await settled(page);
    await page.locator('.graph-canvas').click();
    await page.getByRole('region', { name: 'Room/alone' }).waitFor();
    await page.goto(`${url}/ada/house/graph?from=Room%2Falone&selected=Room%2Falone`);
    await page.getByRole('region', { name: 'Room/alone' }).waitFor();
    await settled(page);
    await page.locator('.graph-canvas').click({ position: { x: 5, y: 5 } });
    await page.getByText('Select a record in the graph').waitFor();
  });

  detail('leaves the wheel to the page, and zooms by it with Ctrl', async () => {
    const { page, drawn } = await drawHouse();
    const widthOf = async () => {
      const lefts = (await drawn()).map(({ left }) => left);
      return Math.max(...lefts) - Math.min(...lefts);
    };
    await expect.poll(async () => (await drawn()).length).toBe(8);
    const before = await widthOf();
    await page.locator('.graph-canvas').hover({ position: { x: 5, y: 5 } });
    await page.mouse.wheel(0, 200);
    await expect.poll(() => page.evaluate<number>('scrollY')).toBeGreaterThan(100);
    const hint = page.getByText('Hold Ctrl or ⌘ to zoom with the mouse wheel');
    await hint.waitFor();
    expect(await widthOf()).toBe(before);
    await page.locator('.graph-canvas').hover();
    const scrolled = await page.evaluate<number>('scrollY');
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, 200);
    await page.keyboard.up('Control');
    await expect.poll(widthOf).toBeLessThan(before);
    await hint.waitFor({ state: 'detached' });
    expect(await page.evaluate<number>('scrollY')).toBe(scrolled);
  });

  detail('keeps its place when a record is chosen, unless that is out of sight', async () => {
    const { page, drawn } = await drawHouse();
    const placeOf = async (name: string) => (await drawn()).find(({ text }) => text === name);
    await expect.poll(() => placeOf('Room/3')).toBeDefined();
    const before = await placeOf('Room/3');
    await page.getByRole('option', { name: 'Room/3' }).click();
    await page.getByRole('region', { name: 'Room/3' }).getByRole('button', { name: 'Room/4' }).waitFor();
    // Selecting a record hides the names of unrelated ones.
    await expect.poll(() => placeOf('Room/6')).toBeUndefined();
    const after = await placeOf('Room/3');
    expect(Math.hypot((after?.left ?? 0) - (before?.left ?? 0), (after?.top ?? 0) - (before?.top ?? 0))).toBeLessThan(
      10,
    );
    for (let step = 0; step < 8; step += 1) await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.getByRole('option', { name: 'Note/first' }).click();
    const { width, height } = (await page.locator('.graph-canvas').boundingBox()) ?? { width: 0, height: 0 };
    const fromTheMiddle = async () => {
      const place = await placeOf('Note/first');
      if (place === undefined) return width;
      return Math.hypot(place.left + place.width / 2 - width / 2, place.top - height / 2);
    };
    await expect.poll(fromTheMiddle).toBeLessThan(120);
  });

  detail('zooms around the record that is chosen', async () => {
    const { page, drawn } = await drawHouse();
    const placeOf = async (name: string) => (await drawn()).find(({ text }) => text === name);
    await page.getByRole('option', { name: 'Room/6' }).click();
    await expect.poll(() => placeOf('Room/0')).toBeUndefined();
    const before = await placeOf('Room/6');
    for (let step = 0; step < 5; step += 1) await page.getByRole('button', { name: 'Zoom in' }).click();
    // The disappearance of the next name proves that the picture was redrawn.
    await expect.poll(() => placeOf('Room/5')).toBeUndefined();
    const after = await placeOf('Room/6');
    // The label may have moved to another side of its node.
    expect(Math.hypot((after?.left ?? 0) - (before?.left ?? 0), (after?.top ?? 0) - (before?.top ?? 0))).toBeLessThan(
      100,
    );
  });

  detail('cuts long names where they would cover other records', async () => {
    const { url, visit } = await openExplorer(fillLongNames);
    const { page } = await visit();
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const drawn = await watchNames(page);
    await page.goto(`${url}/ada/parts/graph`);
    await settled(page);
    await page.getByText('Zoom in or point at a record to see more names').waitFor();
    const names = await drawn();
    expect(names.map(({ text }) => text)).toContainEqual(expect.stringMatching(/^Part\/a….*-\d+$/));
    expect(names.length).toBeLessThan(40);
  });

  detail.each([
    { device: 'desktop', size: DESKTOP, least: 18 },
    { device: 'phone', size: PHONE, least: 6 },
  ])('lets no name cover another, nor touch the edge, on a $device', async ({ size, least }) => {
    const { url, visit } = await openExplorer((client) => writeValley(client, 'ada', { visibility: 'public' }));
    const { page } = await visit({ size });
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const drawn = await watchNames(page);
    await page.goto(`${url}/ada/valley/graph`);
    await settled(page);
    await expect.poll(async () => (await drawn()).length).toBeGreaterThanOrEqual(least);
    const names = await drawn();
    const covered = names.filter((one, index) => names.slice(index + 1).some((other) => overlap(one, other)));
    expect(covered).toEqual([]);
    const room = await page.locator('.graph-canvas').evaluate(({ clientWidth }) => clientWidth);
    expect(names.filter(({ left, width }) => left < 5 || left + width > room - 5)).toEqual([]);
    // A hint appears if some labels have no room.
    if (names.length < 27) await page.getByText('Zoom in or point at a record to see more names').waitFor();
  });

  detail('lets no name of an edge cover another, also while something else is pointed at', async () => {
    const { url, visit } = await openExplorer((client) => writeValley(client, 'ada', { visibility: 'public' }));
    const { page } = await visit();
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const drawn = await watchNames(page, 'sigma-edgeLabels');
    await page.goto(`${url}/ada/valley/graph?selected=Location%2Fvillage`);
    await settled(page);
    await expect.poll(async () => (await drawn()).length).toBeGreaterThan(1);
    const names = await drawn();
    expect(names.filter((one, index) => names.slice(index + 1).some((other) => overlap(one, other)))).toEqual([]);
    const [first] = names;
    await page.locator('.graph-canvas').hover({ position: { x: first?.left ?? 0, y: first?.top ?? 0 } });
    await expect.poll(drawn).toEqual(names);
  });

  detail.each(SIZES)('shows what is retracted while others refer to it on a $device', async ({ size }) => {
    const { url, client, visit } = await openExplorer(fillHouse);
    const operations = [{ operation: 'retract', name: 'Room/5', reason: 'Walled up' }];
    await client.commit.submit('ada', 'house', { operations });
    const visited = await visit({ size });
    const { page } = visited;
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const drawn = await watchNames(page);
    await page.goto(`${url}/ada/house/graph`);
    await has(page, '8 records (1 retracted), 6 references');
    await page.getByText('Retracted, but still referenced').waitFor();
    await settled(page);
    await expect.poll(async () => (await drawn()).map(({ text }) => text)).toContain('Room/5 (retracted)');
    await page.getByRole('option', { name: 'Room/4' }).click();
    await page.getByRole('region', { name: 'Room/4' }).getByText('Room/5 retracted').waitFor();
    await expectWellMade(visited);
    await page.getByRole('option', { name: 'Room/5 retracted' }).click();
    await page.getByRole('region', { name: 'Room/5' }).getByRole('link', { name: 'Start here' }).click();
    await page.getByRole('heading', { level: 1, name: 'Graph around Room/5' }).waitFor();
    await has(page, '3 records (1 retracted), 2 references');
    await page.goto(`${url}/ada/house/graph?from=Room%2F4`);
    await has(page, '4 records (1 retracted), 3 references');
    await page.getByText('Live', { exact: true }).waitFor();
    const revision = [{ operation: 'revise', name: 'Room/4', data: { label: 'Room number 4' } }];
    await client.commit.submit('ada', 'house', { operations: revision });
    await has(page, '3 records, 2 references');
  });

  it('is a list where nothing can be drawn', async () => {
    const { url, visit } = await openExplorer(fillHouse);
    const visited = await visit();
    const { page } = visited;
    await page.addInitScript(`
      const getContext = HTMLCanvasElement.prototype.getContext;
      HTMLCanvasElement.prototype.getContext = function (kind, ...others) {
        return kind.startsWith('webgl') ? null : getContext.call(this, kind, ...others);
      };
    `);
    await page.goto(`${url}/ada/house/graph?from=Room%2F0`);
    await page.getByText('This browser cannot draw the graph').waitFor();
    await page.getByRole('option', { name: 'Room/2' }).click();
    await page.getByRole('region', { name: 'Room/2' }).getByRole('button', { name: 'Expand' }).click();
    await has(page, '5 records, 4 references');
    await expectWellMade(visited);
  });

  detail('is laid out in the page where the script of its worker cannot be had', async () => {
    const { url, visit } = await openExplorer(fillHouse);
    const visited = await visit();
    const { page } = visited;
    await page.route('**/layout-worker-*.js', (route) => route.abort());
    const refused = page.waitForEvent('requestfailed', (request) => request.url().includes('layout-worker'));
    await page.goto(`${url}/ada/house/graph?from=Room%2F0`);
    await refused;
    await settled(page);
  });

  detail('holds five thousand records', async () => {
    const { url, visit } = await openExplorer((client) => fillStars(client, 'ada'));
    const visited = await visit();
    const { page } = visited;
    await page.goto(`${url}/ada/stars/graph`);
    await page
      .getByText(`There are too many records to draw at once (${STARS.toLocaleString('en')}). Start with one`)
      .waitFor();
    await page.locator('.graph-choices').getByRole('link').first().waitFor();
    expect(await page.locator('.graph-canvas').count()).toBe(0);
    await page.goto(`${url}/ada/stars/graph?from=Star%2Fcentre`);
    await has(page, '300 records');
    const release = await holdGraphs(page);
    await page.getByRole('button', { name: 'Expand all' }).click();
    await page.getByRole('progressbar').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await release();
    const measured = await measureStars(page);
    await expectWellMade(visited);
    for (const [what, { scriptMs, taskMs, wholeMs }] of Object.entries(measured)) {
      const [script, task, whole] = [scriptMs, taskMs, wholeMs].map((ms) => `${Math.round(ms)} ms`);
      console.info(`${STARS} records, ${what}: ${whole}, of which scripts took ${script} at once, a task ${task}.`);
    }
  });
});

interface DrawnName {
  readonly text: string;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Collects the drawn labels of records or edges, with their positions. */
async function watchNames(page: Page, layer = 'sigma-labels'): Promise<() => Promise<DrawnName[]>> {
  await page.addInitScript(`
    globalThis.drawnNames = [];
    const { fillText, clearRect } = CanvasRenderingContext2D.prototype;
    const isOfNames = ({ canvas }) => canvas.classList.contains('${layer}');
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
      const { width, actualBoundingBoxAscent: ascent, actualBoundingBoxDescent: descent } = this.measureText(text);
      if (isOfNames(this)) drawnNames.push({ text, left: x, top: y - ascent, width, height: ascent + descent });
      return fillText.call(this, text, x, y);
    };
    CanvasRenderingContext2D.prototype.clearRect = function (...place) {
      if (isOfNames(this)) drawnNames = [];
      return clearRect.apply(this, place);
    };
  `);
  return () => page.evaluate<DrawnName[]>('drawnNames');
}

const overlap = (one: DrawnName, other: DrawnName): boolean =>
  one.left < other.left + other.width &&
  other.left < one.left + one.width &&
  one.top < other.top + other.height &&
  other.top < one.top + one.height;

/** Blocks graph answers until they are released. */
async function holdGraphs(page: Page): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>();
  await page.route('**/trpc/thing.graph?*', async (route) => {
    await held.promise;
    await route.continue();
  });
  return async () => {
    held.resolve();
    await page.unroute('**/trpc/thing.graph?*');
  };
}
