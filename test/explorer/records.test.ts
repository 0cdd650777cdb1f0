// The table of records: choosing, filtering, searching and scrolling.
import type { CairnClient } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import { writeValley } from '../../packages/web/src/features/home/valley.ts';
import { DESKTOP, detail, expectWellMade, openExplorer, SIZES } from '../support/explorer.ts';
import { measureScroll } from '../support/explorer-million.ts';
import type { Locator, Page } from '../tools/chromium.ts';

const valley = (client: CairnClient) => writeValley(client, 'ada', { visibility: 'public' });
const RECORDS = '/ada/valley/records';

const table = (page: Page): Locator => page.getByRole('table');
const names = (page: Page): Promise<string[]> => page.locator('.rows tbody th').allInnerTexts();
const headings = (page: Page): Promise<string[]> => page.getByRole('columnheader').allInnerTexts();
const rowOf = (page: Page, name: string): Locator =>
  page.locator('tr').filter({ has: page.getByRole('link', { name, exact: true }) });
const searchOf = (page: Page) => new URL(page.url()).searchParams;
const status = (page: Page, text: string | RegExp): Locator => page.getByRole('status').getByText(text);

/** Omits the browser's messages about 404 answers. */
const withoutMissing = (complaints: readonly string[]) => complaints.filter((one) => !one.includes('404'));

async function openFilters(page: Page): Promise<void> {
  const filters = page.locator('details.filters');
  if ((await filters.getAttribute('open')) === null) await filters.getByText(/^Filters/).click();
}

/** Writes `Item/0` and so on in few commits, to be fast. */
async function writeItems(client: CairnClient, count: number): Promise<void> {
  await client.repo.create('ada', 'items', { visibility: 'public' });
  const shape = { fields: { n: { type: 'number', indexed: true }, label: 'string' } };
  await client.commit.submit('ada', 'items', { operations: [{ kind: 'shape', name: 'Item', data: shape }] });
  for (let from = 0; from < count; from += 5_000) {
    const operations = Array.from({ length: Math.min(5_000, count - from) }, (_, n) => ({
      name: `Item/${from + n}`,
      data: { n: from + n, label: `the item ${from + n}` },
    }));
    await client.commit.submit('ada', 'items', { operations });
  }
}

describe.each(SIZES)('the table of records on a $device', ({ size }) => {
  it('has what is common to all records, and the fields of a shape when one is chosen', async () => {
    const { url, visit } = await openExplorer(valley);
    const visitor = await visit({ size });
    const { page } = visitor;
    await page.goto(`${url}${RECORDS}`);
    await page.getByRole('link', { name: 'Location/cave' }).waitFor();
    expect(await page.title()).toBe('Records · ada/valley · Cairn');
    expect(await headings(page)).toEqual(['Name', 'Shape', 'Kind', 'Data', 'Version', 'Updated']);
    await expectWellMade(visitor);
    await openFilters(page);
    await page.getByLabel('Shape', { exact: true }).selectOption('Person');
    await status(page, '3 records').waitFor();
    expect(await headings(page)).toEqual(['Name', 'Kind', 'home', 'name', 'trade', 'knows', 'Version', 'Updated']);
    expect(await page.getByLabel('Shape', { exact: true }).locator('option').allInnerTexts()).toContain('Location (7)');
    const mara = rowOf(page, 'Person/mara');
    expect(await mara.getByRole('cell').allInnerTexts()).toEqual(
      expect.arrayContaining(['thing', 'Location/village@v1', 'Mara', 'guide', '1']),
    );
    await expectWellMade(visitor);
    await page.reload();
    await status(page, '3 records').waitFor();
    await page.getByRole('link', { name: 'Person/mara', exact: true }).click();
    await page.waitForURL(/record\/Person\/mara$/);
  });

  detail('chooses by kind and order, and shows what is retracted', async () => {
    const { url, visit } = await openExplorer(valley);
    const { page } = await visit({ size });
    await page.goto(`${url}${RECORDS}?kind=assertion`);
    await status(page, '3 records').waitFor();
    expect(await headings(page)).toEqual(['Name', 'Shape', 'Kind', 'About', 'Data', 'Version', 'Updated']);
    await page.getByText('Order: oldest first.').waitFor();
    await openFilters(page);
    await page.getByLabel('Order', { exact: true }).selectOption('By name');
    await page.getByText('Order: by name.').waitFor();
    await expect.poll(() => names(page)).toEqual(['Belief/cave-by-mara', 'Belief/cave-by-oda', 'Reply/oda-to-mara']);
    await page.getByLabel('Kind', { exact: true }).selectOption('');
    await page.getByLabel('Shape', { exact: true }).selectOption('Belief');
    await expect
      .poll(() => headings(page))
      .toEqual(['Name', 'Kind', 'About', 'safe', 'by', 'why', 'Version', 'Updated']);
    const about = rowOf(page, 'Belief/cave-by-oda').getByRole('link', { name: 'Location/cave@v2' });
    expect(await about.getAttribute('href')).toBe('/ada/valley/record/Location/cave?version=2');
    await page.getByLabel('Kind', { exact: true }).selectOption('thing');
    await page.getByLabel('Shape', { exact: true }).selectOption('Location');
    await status(page, '7 records').waitFor();
    await page.getByLabel('Include retracted').check();
    await status(page, '8 records').waitFor();
    // The counts in the choices cover active records only.
    expect(await page.locator('option[value="Location"]').innerText()).toBe('Location (7 active)');
    await rowOf(page, 'Location/bridge').getByText('retracted').waitFor();
    expect(Object.fromEntries(searchOf(page))).toEqual({
      kind: 'thing',
      order: 'name',
      retracted: 'true',
      shape: 'Location',
    });
  });

  detail('marks references to what is retracted, and asks for that once', async () => {
    const { url, client, visit } = await openExplorer(valley);
    const visitor = await visit({ size });
    const { page } = visitor;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(`${request.url()} ${request.postData() ?? ''}`));
    await page.goto(`${url}${RECORDS}?shape=Person`);
    await status(page, '3 records').waitFor();
    await page.getByText('Rows 1 to 3 of 3', { exact: true }).waitFor();
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    await expect.poll(() => asked.filter((request) => request.includes('thing.getMany')).length).toBe(1);
    expect(await page.locator('.rows .retracted').count()).toBe(0);
    await client.commit.submit('ada', 'valley', { operations: [{ operation: 'retract', name: 'Location/village' }] });
    const home = rowOf(page, 'Person/mara').locator('.retracted');
    await home.getByRole('link', { name: 'Location/village@v1' }).waitFor();
    expect(await home.innerText()).toContain('retracted');
    const decoration = "getComputedStyle(document.querySelector('.rows .retracted a')).textDecorationLine";
    expect(await page.evaluate<string>(decoration)).toBe('line-through');
    await expectWellMade(visitor);
    await client.commit.submit('ada', 'valley', {
      operations: [{ operation: 'retract', name: 'Location/cave', reason: 'It fell in' }],
    });
    await page.goto(`${url}${RECORDS}?kind=assertion`);
    await rowOf(page, 'Belief/cave-by-oda').locator('.retracted', { hasText: 'Location/cave' }).waitFor();
    await client.commit.submit('ada', 'valley', { operations: [{ operation: 'retract', name: 'Person/mara' }] });
    await page.goto(`${url}${RECORDS}?shape=Person`);
    const known = rowOf(page, 'Person/oda').locator('td', { hasText: 'Person/mara' });
    await known.locator('.retracted', { hasText: 'Person/mara' }).waitFor();
    await page.goto(`${url}${RECORDS}?kind=assertion&at=9`);
    await rowOf(page, 'Belief/cave-by-oda').waitFor();
    await expect.poll(() => page.locator('.rows .retracted').count()).toBe(0);
  });

  it('filters by fields, in the address, and says beside the filter what is wrong with it', async () => {
    const { url, visit } = await openExplorer(valley);
    const visitor = await visit({ size });
    const { page } = visitor;
    await page.goto(`${url}${RECORDS}?shape=Location`);
    await status(page, '7 records').waitFor();
    await openFilters(page);
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByLabel('Field of condition 1').selectOption('danger');
    await page.getByLabel('Comparison of condition 1').selectOption('is at least');
    await page.getByLabel('Value of condition 1').fill('0.5');
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    await status(page, '3 records').waitFor();
    expect(JSON.parse(searchOf(page).get('where') ?? '')).toEqual(['danger:gte:0.5']);
    await expectWellMade(visitor);
    await page.reload();
    await status(page, '3 records').waitFor();
    await openFilters(page);
    await page.getByLabel('Value of condition 1').fill('much');
    await page.keyboard.press('Enter');
    const alert = page.locator('details.filters').getByRole('alert');
    await alert.getByText('danger has the type number, but "much" does not. Compare it with a number.').waitFor();
    await page.getByLabel('Value of condition 1').fill('7');
    await page.keyboard.press('Enter');
    await page.getByText('No records match.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('link', { name: 'Location/cave' }).waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  detail('says what in the address is not understood, and shows the rest', async () => {
    const { url, visit } = await openExplorer(valley);
    const visitor = await visit({ size });
    const { page } = visitor;
    const where = encodeURIComponent(JSON.stringify(['danger:gte:0.5', 'banana']));
    await page.goto(`${url}${RECORDS}?shape=Location&at=banana&kind=nonsense&order=nonsense&where=${where}`);
    await status(page, '3 records').waitFor();
    const note = page.getByRole('status').filter({ hasText: 'Invalid in the address' });
    expect((await note.innerText()).replaceAll(/\s+/g, ' ')).toBe(
      'Invalid in the address: at=banana (showing the latest state), kind=nonsense (showing all kinds), ' +
        'order=nonsense (using the default order), where=banana (condition ignored).',
    );
    await expectWellMade(visitor);
    // A valid choice replaces the ignored parameter.
    await openFilters(page);
    await page.getByLabel('Order', { exact: true }).selectOption('By name');
    await expect.poll(() => note.count()).toBe(0);
    expect(searchOf(page).has('kind')).toBe(false);
    await status(page, '3 records').waitFor();
  });

  detail('completes the names of records in a filter, by the keyboard, and says what is not applied yet', async () => {
    const { url, visit } = await openExplorer(valley);
    const visitor = await visit({ size });
    const { page } = visitor;
    await page.goto(`${url}${RECORDS}?shape=Walk`);
    await status(page, '5 records').waitFor();
    await openFilters(page);
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByLabel('Field of condition 1').selectOption('who');
    const value = page.getByRole('combobox', { name: 'Value of condition 1' });
    await value.focus();
    await page.keyboard.press('ArrowDown');
    const options = page.getByRole('listbox', { name: 'Matching records' }).getByRole('option');
    // The box offers only records of the shape that the field refers to.
    await expect
      .poll(async () => (await options.allInnerTexts()).sort())
      .toEqual(['Person/ilan', 'Person/mara', 'Person/oda']);
    await page.keyboard.press('Escape');
    expect([await options.count(), await value.getAttribute('aria-expanded')]).toEqual([0, 'false']);
    await value.fill('mar');
    await expect.poll(() => options.allInnerTexts()).toEqual(['Person/mara']);
    // Old results are not offered for a new text.
    await value.fill('il');
    expect(await options.getByText('Person/mara').count()).toBe(0);
    await expect.poll(() => options.allInnerTexts()).toEqual(['Person/ilan']);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => value.getAttribute('aria-activedescendant')).toBeTruthy();
    const active = await value.getAttribute('aria-activedescendant');
    expect(await page.locator(`[id="${active}"]`).getAttribute('aria-selected')).toBe('true');
    await expectWellMade(visitor);
    await page.keyboard.press('Enter');
    expect(await value.inputValue()).toBe('Person/ilan');
    await status(page, 'Not applied yet').waitFor();
    expect(await page.getByRole('button', { name: 'Apply', exact: true }).getAttribute('class')).toContain('primary');
    await page.keyboard.press('Enter');
    await status(page, '1 record').waitFor();
    expect(await status(page, 'Not applied yet').count()).toBe(0);
    expect(JSON.parse(searchOf(page).get('where') ?? '')).toEqual(['who:eq:Person/ilan']);
    await page.getByLabel('Comparison of condition 1').selectOption('is one of');
    await value.fill('Person/ilan,od');
    await options.getByText('Person/oda').click();
    expect(await value.inputValue()).toBe('Person/ilan,Person/oda');
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    await status(page, '3 records').waitFor();
  });

  detail('suggests the full name where the shape was left away', async () => {
    const { url, visit } = await openExplorer(valley);
    const visitor = await visit({ size });
    const { page } = visitor;
    const where = encodeURIComponent(JSON.stringify(['who:eq:mara']));
    await page.goto(`${url}${RECORDS}?shape=Walk&where=${where}`);
    await page.getByText('No records match.').waitFor();
    await openFilters(page);
    await page.getByRole('button', { name: 'Use Person/mara', exact: true }).waitFor();
    await expectWellMade(visitor);
    await page.getByRole('button', { name: 'Use Person/mara', exact: true }).click();
    await status(page, 'Not applied yet').waitFor();
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    await status(page, '2 records').waitFor();
    await page.getByRole('combobox', { name: 'Value of condition 1' }).fill('nobody');
    await page.keyboard.press('Escape');
    await status(page, /^No record has this name\./).waitFor();
  });

  detail('says why nothing fits, and what can be done next', async () => {
    const { url, client, visit } = await openExplorer(valley);
    const data = { name: 'Nobody', trade: 'guide', home: 'Location/village' };
    await client.commit.submit('ada', 'valley', { operations: [{ name: 'Person/nobody', data }] });
    await client.commit.submit('ada', 'valley', { operations: [{ operation: 'retract', name: 'Person/nobody' }] });
    const visitor = await visit({ size });
    const { page } = visitor;
    const found = page.getByRole('region', { name: 'Results' });
    const open = (shape: string, ...where: string[]) =>
      page.goto(`${url}${RECORDS}?shape=${shape}&where=${encodeURIComponent(JSON.stringify(where))}`);
    const chosen = () => JSON.parse(searchOf(page).get('where') ?? '[]');
    await open('Walk', 'who:eq:mara', 'hours:gte:0');
    await found.getByText('mara is not the full name of a record.').waitFor();
    await expectWellMade(visitor);
    await found.getByRole('button', { name: 'Use Person/mara instead' }).click();
    await status(page, '2 records').waitFor();
    expect(chosen()).toEqual(['who:eq:Person/mara', 'hours:gte:0']);
    await open('Walk', 'who:eq:Person/marra');
    await found.getByText('There is no record Person/marra.').waitFor();
    await open('Walk', 'who:eq:Person/nobody', 'hours:gte:0');
    await found.getByText('Person/nobody is retracted').waitFor();
    await expectWellMade(visitor);
    await found.getByRole('button', { name: 'Without who is Person/nobody' }).click();
    await status(page, '5 records').waitFor();
    expect(chosen()).toEqual(['hours:gte:0']);
    await open('Location', 'label:eq:The rope bridge');
    await found.getByText('1 retracted record would match').waitFor();
    await found.getByRole('link', { name: 'show it' }).click();
    await rowOf(page, 'Location/bridge').getByText('retracted').waitFor();
    expect(searchOf(page).get('retracted')).toBe('true');
  });

  detail('offers in a filter what is retracted too, marked and last', async () => {
    const { url, client, visit } = await openExplorer(valley);
    const data = { name: 'Maro', trade: 'guide', home: 'Location/village' };
    await client.commit.submit('ada', 'valley', { operations: [{ name: 'Person/maro', data }] });
    await client.commit.submit('ada', 'valley', { operations: [{ operation: 'retract', name: 'Person/maro' }] });
    const visitor = await visit({ size });
    const { page } = visitor;
    const where = encodeURIComponent(JSON.stringify(['who:eq:Person/oda']));
    await page.goto(`${url}${RECORDS}?shape=Walk&where=${where}`);
    await status(page, /^\d records/).waitFor();
    await openFilters(page);
    await page.getByRole('combobox', { name: 'Value of condition 1' }).fill('mar');
    const options = page.getByRole('listbox', { name: 'Matching records' }).getByRole('option');
    await expect.poll(() => options.allInnerTexts()).toEqual(['Person/mara', 'Person/maro retracted']);
    await page.keyboard.press('ArrowUp');
    await expectWellMade(visitor);
  });

  detail('says that there is no such shape, and which one is near', async () => {
    const { url, visit } = await openExplorer(valley);
    const visitor = await visit({ size });
    const { page } = visitor;
    const found = page.getByRole('region', { name: 'Results' });
    await page.goto(`${url}${RECORDS}?shape=Dragon`);
    await found.getByText('The shape Dragon does not exist.').waitFor();
    expect(await found.getByRole('link').allInnerTexts()).toEqual(['View all shapes']);
    await expectWellMade({ ...visitor, complaints: withoutMissing(visitor.complaints) });
    await page.goto(`${url}${RECORDS}?shape=Persons&where=${encodeURIComponent('["name:eq:Mara"]')}`);
    await found.getByText('The shape Persons does not exist. Did you mean').waitFor();
    await found.getByRole('link', { name: 'Person', exact: true }).click();
    await status(page, '3 records').waitFor();
    expect(Object.fromEntries(searchOf(page))).toEqual({ shape: 'Person' });
  });

  detail('leaves shapes out until they are asked for', async () => {
    const { url, client, visit } = await openExplorer(valley);
    const { page } = await visit({ size });
    await page.goto(`${url}${RECORDS}`);
    await page.getByRole('link', { name: 'Location/cave' }).waitFor();
    const counts = await Promise.all(
      [{}, { kind: 'shape' as const }].map((filter) => client.thing.count('ada', 'valley', filter)),
    );
    const [all = 0, shapes = 0] = counts.map(({ count }) => count);
    await status(page, `${all - shapes} records`).waitFor();
    expect((await names(page)).filter((name) => !name.includes('/'))).toEqual([]);
    await openFilters(page);
    await page.getByLabel('Kind', { exact: true }).selectOption('shape');
    await status(page, `${shapes} records`).waitFor();
    expect(await names(page)).toEqual(expect.arrayContaining(['Location', 'Person', 'Walk', 'Belief']));
  });

  detail('begins conditions as JSON with those that are there, applied or not', async () => {
    const { url, visit } = await openExplorer(valley);
    const { page } = await visit({ size });
    const where = encodeURIComponent(JSON.stringify(['danger:gte:0.1']));
    await page.goto(`${url}${RECORDS}?shape=Location&where=${where}`);
    await status(page, '4 records').waitFor();
    await openFilters(page);
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByLabel('Field of condition 2').selectOption('label');
    await page.getByLabel('Value of condition 2').fill('The peak');
    await page.getByText('As JSON').click();
    const editor = page.getByRole('textbox', { name: 'Conditions as JSON' });
    const written = async () => JSON.parse(await editor.innerText());
    const danger = { fieldPath: 'danger', op: 'gte', rhs: 0.1 };
    await expect.poll(written).toEqual([danger, { fieldPath: 'label', op: 'eq', rhs: 'The peak' }]);
    await page.getByLabel('Value of condition 2').fill('The lake');
    await expect.poll(written).toEqual([danger, { fieldPath: 'label', op: 'eq', rhs: 'The lake' }]);
    await editor.click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.type(' ');
    expect(await status(page, 'Not applied yet').count()).toBe(2);
    await page.getByRole('button', { name: 'Apply JSON' }).click();
    await status(page, '1 record').waitFor();
    expect(await names(page)).toEqual(['Location/lake']);
  });

  detail('takes conditions as JSON, with completion from the shape', async () => {
    const { url, visit } = await openExplorer(valley);
    const visitor = await visit({ size });
    const { page } = visitor;
    await page.goto(`${url}${RECORDS}?shape=Person`);
    await status(page, '3 records').waitFor();
    await openFilters(page);
    await page.getByText('As JSON').click();
    const editor = page.getByRole('textbox', { name: 'Conditions as JSON' });
    await editor.click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('[{ "fieldPath": "tr');
    await page.getByRole('option', { name: /"trade"/ }).waitFor();
    await expectWellMade(visitor);
    await page.keyboard.press('Enter');
    await page.keyboard.type(', "op": "e');
    await page.getByRole('option', { name: '"eq"' }).click();
    await page.keyboard.type(', "rhs": "m');
    await page.getByRole('option', { name: '"map maker"' }).waitFor();
    expect((await page.getByRole('listbox').getByRole('option').allInnerTexts()).sort()).toEqual([
      '"map maker"',
      '"miller"',
    ]);
    await page.getByRole('option', { name: '"map maker"' }).click();
    await page.getByRole('button', { name: 'Apply JSON' }).click();
    await status(page, '1 record').waitFor();
    expect(await names(page)).toEqual(['Person/oda']);
    expect(JSON.parse(searchOf(page).get('where') ?? '')).toEqual(['trade:eq:map maker']);
    expect(visitor.complaints).toEqual([]);
  });

  it('searches for words, and marks where they stand', async () => {
    const { url, visit } = await openExplorer(valley);
    const visitor = await visit({ size });
    const { page } = visitor;
    await page.goto(`${url}${RECORDS}`);
    await page.getByRole('searchbox').fill('roof');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=roof/);
    await page.getByRole('link', { name: 'Belief/cave-by-oda' }).waitFor();
    await expect.poll(() => page.locator('mark').allInnerTexts()).toEqual(['roof']);
    expect(await headings(page)).toEqual(['Name', 'Found in', 'Shape', 'Kind', 'Version', 'Updated']);
    await expectWellMade(visitor);
    await page.getByRole('searchbox').fill('roo');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Clear search', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Search for roo*' }).click();
    await page.getByRole('link', { name: 'Belief/cave-by-oda' }).waitFor();
    await page.getByRole('searchbox').fill('roof OR lake');
    await page.keyboard.press('Enter');
    await page.getByText('A record must contain all of the words. AND, OR and NOT are treated as words.').waitFor();
    expect(await page.getByRole('button', { name: /^Search for/ }).allInnerTexts()).toEqual([
      'Search for roof',
      'Search for lake',
    ]);
    await expectWellMade(visitor);
    await page.getByRole('button', { name: 'Search for roof' }).click();
    await page.getByRole('link', { name: 'Belief/cave-by-oda' }).waitFor();
    await page.getByRole('searchbox').fill('*');
    await page.keyboard.press('Enter');
    await page.getByRole('search').getByRole('alert').getByText('Your search contains no word.').waitFor();
    await page.getByRole('search').getByRole('button', { name: 'Clear search' }).click();
    await page.getByRole('link', { name: 'Location/cave' }).waitFor();
    expect(searchOf(page).has('q')).toBe(false);
    await page.getByRole('searchbox').fill('cave');
    await page.keyboard.press('Enter');
    await expect.poll(() => searchOf(page).get('q')).toBe('cave');
    await page.getByRole('searchbox').fill('');
    await expect.poll(() => searchOf(page).has('q')).toBe(false);
  });

  detail('says that words are in what is retracted, and leads to it', async () => {
    const { url, visit } = await openExplorer(valley);
    const visitor = await visit({ size });
    const { page } = visitor;
    const found = page.getByRole('region', { name: 'Results' });
    await page.goto(`${url}${RECORDS}?q=rope`);
    await found.getByText('1 retracted record would match').waitFor();
    await expectWellMade(visitor);
    await found.getByRole('link', { name: 'show it' }).click();
    await rowOf(page, 'Location/bridge').getByText('retracted').waitFor();
    expect(Object.fromEntries(searchOf(page))).toEqual({ q: 'rope', retracted: 'true' });
    expect(await page.getByText('would match').count()).toBe(0);
    await page.goto(`${url}${RECORDS}?q=the&shape=Location`);
    await page.getByRole('link', { name: 'Location/cave' }).waitFor();
    await page.getByText('1 retracted record would match').waitFor();
    await expectWellMade(visitor);
    await page.getByRole('link', { name: 'show it' }).click();
    await page.getByRole('link', { name: 'Location/bridge' }).waitFor();
    await page.getByRole('link', { name: 'Location/cave' }).waitFor();
  });

  detail('shows the past as it was, where words cannot be searched for', async () => {
    const { url, visit } = await openExplorer(valley);
    const { page } = await visit({ size });
    await page.goto(`${url}${RECORDS}?shape=Location&at=6`);
    await status(page, '8 records').waitFor();
    const cave = rowOf(page, 'Location/cave');
    expect(await cave.getByRole('cell').allInnerTexts()).toEqual(expect.arrayContaining(['0.2', '1']));
    await page.getByRole('searchbox').fill('cave');
    await page.keyboard.press('Enter');
    await page.getByText('Search covers only current records').waitFor();
    await page.getByRole('button', { name: 'Search current records' }).click();
    await page.getByRole('link', { name: 'Location/cave' }).waitFor();
    expect(Object.fromEntries(searchOf(page))).toEqual({ q: 'cave', shape: 'Location' });
  });
});

detail('says what to do in a repository that has nothing yet, and shows the first record by itself', async () => {
  const { url, client, visit } = await openExplorer((c) => c.repo.create('ada', 'new', { visibility: 'public' }));
  const visitor = await visit();
  const { page } = visitor;
  await page.goto(`${url}/ada/new/records`);
  await page.getByText('There are no records yet.').waitFor();
  await page.getByText('cairn commit submit --repo ada/new').waitFor();
  await expectWellMade(visitor);
  await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
  await client.shape.create('ada', 'new', 'Hut', { fields: { beds: 'number' } });
  // The example uses an existing shape as soon as there is one.
  await page.getByText('{"name":"Hut/new-name","data":{"beds":').waitFor();
  await client.commit.submit('ada', 'new', { operations: [{ name: 'Hut/one', data: { beds: 2 } }] });
  await page.getByRole('link', { name: 'Hut/one' }).waitFor();
});

describe.each(SIZES)('the columns of the table on a $device', ({ size }) => {
  detail('are as wide as what stands in them, and stay so while one scrolls', async () => {
    const { url, client, visit } = await openExplorer((c) => writeItems(c, 3_000));
    const data = { n: 2_999, label: 'the last item, which says much more' };
    await client.commit.submit('ada', 'items', { operations: [{ operation: 'revise', name: 'Item/2999', data }] });
    const visitor = await visit({ size });
    const { page } = visitor;
    await page.goto(`${url}/ada/items/records?shape=Item`);
    await status(page, '3,000 records').waitFor();
    const widthOf = async (name: string) =>
      (await page.getByRole('columnheader', { name, exact: true }).boundingBox())?.width ?? 0;
    const widths = async () => [await widthOf('n'), await widthOf('Version'), await widthOf('label')];
    const before = await widths();
    const [number = 0, version = 0, label = 0] = before;
    expect(number).toBeLessThan(version);
    expect(version).toBeLessThan(label);
    expect(
      await page.evaluate(
        "[...document.querySelectorAll('.rows :is(th, td)')].filter((one) => one.scrollWidth > one.clientWidth).length",
      ),
    ).toBe(0);
    await page.getByRole('region', { name: 'Records' }).focus();
    await page.keyboard.press('End');
    await page.getByText('the last item, which says much more').waitFor();
    expect(await widths()).toEqual(before);
    await expectWellMade(visitor);
  });
});

describe('a long table', () => {
  const SECONDS_A_REQUEST = 3;
  const LONG = 6_000;
  const ITEMS = '/ada/items/records?shape=Item';

  it('is scrolled through by the keyboard, with few rows drawn', async () => {
    const { url, visit } = await openExplorer((client) => writeItems(client, LONG));
    const visitor = await visit();
    const { page } = visitor;
    await page.goto(`${url}${ITEMS}`);
    await status(page, '6,000 records').waitFor();
    expect(await table(page).getAttribute('aria-rowcount')).toBe('6001');
    await page.getByText(/^Rows 1 to \d+ of 6,000\. Scroll the table to see more$/).waitFor();
    const region = page.getByRole('region', { name: 'Records' });
    await region.focus();
    await page.keyboard.press('PageDown');
    await page.getByRole('link', { name: 'Item/30', exact: true }).waitFor();
    await page.keyboard.press('End');
    await page.getByRole('link', { name: 'Item/5999' }).waitFor();
    expect(await rowOf(page, 'Item/5999').getAttribute('aria-rowindex')).toBe('6001');
    await page.getByText(/^Rows [\d,]+ to 6,000 of 6,000$/).waitFor();
    expect((await names(page)).length).toBeLessThan(60);
    const last = await rowOf(page, 'Item/5999').boundingBox();
    const shown = await region.boundingBox();
    expect(last?.height).toBe(33);
    expect((last?.y ?? 0) + 33).toBeLessThanOrEqual((shown?.y ?? 0) + (shown?.height ?? 0) + 1);
    await expectWellMade(visitor);
    await page.keyboard.press('Home');
    await page.getByRole('link', { name: 'Item/0', exact: true }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(/record\/Item\/0$/);
  });

  detail('goes to any row, and is there again for who comes back', async () => {
    const { url, visit } = await openExplorer((client) => writeItems(client, LONG));
    const { page } = await visit();
    await page.goto(`${url}${ITEMS}&order=-created`);
    await status(page, '6,000 records').waitFor();
    await page.getByLabel('Row', { exact: true }).fill('3001');
    await page.keyboard.press('Enter');
    await page.getByText(/^Rows 3,001 to/).waitFor();
    await page.getByRole('link', { name: 'Item/2999', exact: true }).click();
    await page.waitForURL(/record\/Item\/2999$/);
    await page.goBack();
    await page.getByRole('link', { name: 'Item/2999', exact: true }).waitFor();
    await page.getByLabel('Order', { exact: true }).selectOption('Oldest first');
    await page.getByRole('link', { name: 'Item/0', exact: true }).waitFor();
  });

  detail('follows what happens where it is looked at, also in the middle', async () => {
    const { url, client, visit } = await openExplorer((c) => writeItems(c, LONG));
    const { page } = await visit();
    await page.goto(`${url}${ITEMS}`);
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    await page.getByLabel('Row', { exact: true }).fill('3001');
    await page.keyboard.press('Enter');
    const middle = rowOf(page, 'Item/3000');
    await middle.waitFor();
    const revise = (n: number, label: string) =>
      client.commit.submit('ada', 'items', {
        operations: [{ operation: 'revise', name: `Item/${n}`, data: { n, label } }],
      });
    await revise(3_000, 'changed in the middle');
    await middle.getByText('changed in the middle').waitFor();
    expect(await middle.getAttribute('class')).toBe('changed');
    await page.getByText(/^Rows 3,001 to/).waitFor();
    await page.getByText('Rows are ordered as of sequence 3.').waitFor();
    await page.getByRole('region', { name: 'Records' }).focus();
    await page.keyboard.press('End');
    await page.getByRole('link', { name: 'Item/5999' }).waitFor();
    // The end of the list is reread completely.
    await expect.poll(() => page.getByText('Rows are ordered as of').count()).toBe(0);
    await client.commit.submit('ada', 'items', {
      operations: [
        { name: 'Item/6000', data: { n: 6_000, label: 'new' } },
        { operation: 'revise', name: 'Item/5999', data: { n: 5_999, label: 'changed at the end' } },
      ],
    });
    await page.getByText('changed at the end').waitFor();
    await status(page, '6,001 records').waitFor();
    await page.keyboard.press('End');
    await page.getByRole('link', { name: 'Item/6000' }).waitFor();
  });

  detail('says when too much was asked for, and goes on by itself where it was', async () => {
    const environment = {
      CAIRN_LIMIT_ANONYMOUS_BURST: '200',
      CAIRN_LIMIT_ANONYMOUS_REQUESTS_PER_HOUR: String(3_600 / SECONDS_A_REQUEST),
    };
    const { url, visit } = await openExplorer((client) => writeItems(client, 2_000), { environment });
    const { page } = await visit();
    await page.goto(`${url}${ITEMS}`);
    await status(page, '2,000 records').waitFor();
    let isRefused = false;
    while (!isRefused) isRefused = (await fetch(`${url}/openapi.json`)).status === 429;
    await page.getByLabel('Row', { exact: true }).fill('501');
    await page.keyboard.press('Enter');
    await status(page, /^Too many requests\. Loading continues in \d seconds?$/).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByText(/^Rows 501 to/).waitFor();
    await page.getByRole('link', { name: 'Item/500', exact: true }).waitFor();
    await page.getByText(/^Rows 501 to/).waitFor();
    await status(page, 'Too many requests').waitFor({ state: 'detached' });
  });

  detail('is measured by what scripts take of the browser', async () => {
    const records = 2_000;
    const { url, visit } = await openExplorer((client) => writeItems(client, records));
    const { page } = await visit({ size: DESKTOP });
    const measured = await measureScroll(page, { address: `${url}${ITEMS}`, records });
    for (const { scriptMs, taskMs, wholeMs } of Object.values(measured)) {
      expect(scriptMs).toBeGreaterThan(0);
      expect(taskMs).toBeGreaterThanOrEqual(scriptMs);
      expect(wholeMs).toBeGreaterThan(0);
    }
  });
});

detail('fits its columns into the window, names records of a long shape apart, and says what is empty', async () => {
  const shape = 'MeasurementOfTheDeepWaterStation';
  const { url, client, visit } = await openExplorer(async (owner) => {
    await owner.repo.create('ada', 'lake', { visibility: 'public' });
    const fields = { title: 'string', note: 'string', place: 'string' };
    const data = { title: 'Depth of the lake', note: 'x'.repeat(60), place: '' };
    await owner.commit.submit('ada', 'lake', {
      operations: [
        { kind: 'shape', name: shape, data: { fields } },
        ...Array.from({ length: 60 }, (_, row) => ({ name: `${shape}/row-${row}`, data })),
        { name: `${shape}/${'long-'.repeat(12)}name`, data },
      ],
    });
  });
  await client.commit.submit('ada', 'lake', { operations: [{ operation: 'retract', name: `${shape}/row-1` }] });
  const visited = await visit();
  const { page } = visited;
  await page.goto(`${url}/ada/lake/records?shape=${shape}&retracted=true`);
  const table = page.getByRole('region', { name: 'Records', exact: true });
  const first = table.getByRole('row', { name: 'row-0' });
  await first.getByRole('link', { name: 'row-0', exact: true }).waitFor();
  await first.getByRole('cell', { name: 'empty text', exact: true }).waitFor();
  await expect.poll(() => table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  await expectWellMade(visited);
});
