// Related changes share one draft: a shape with its first records, and assertions with their shape. Writing leads back
// to the page where it began.
import { describe, expect, it } from 'vitest';
import { detail, expectWellMade, openExplorer, SIZES } from '../support/explorer.ts';
import { fillCave } from '../support/explorer-cave.ts';
import type { Page } from '../tools/chromium.ts';

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const box = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });

async function makeShape(page: Page, name: string, fieldName: string): Promise<void> {
  await heading(page, 'Add a shape');
  await box(page, 'Name').fill(name);
  await page.getByLabel('Field name').fill(fieldName);
}

describe('what is drafted together', () => {
  it.each(SIZES)('is a shape with its first records, in one commit, on a $device', async ({ size }) => {
    const { url, client, visit } = await openExplorer((client) => client.repo.create('ada', 'empty', {}));
    const visited = await visit({ size, signedIn: true });
    const { page } = visited;
    await page.goto(`${url}/ada/empty/new`);
    await page.getByRole('link', { name: 'Create the first shape' }).click();
    await makeShape(page, 'Person', 'label');
    await press(page, 'Add a field');
    const knows = page.getByRole('group', { name: 'Field 2' });
    await knows.getByLabel('Optional').check();
    await knows.getByLabel('Type').selectOption('wref');
    await knows.getByLabel('Refers to').fill('Person');
    await knows.getByLabel('Field name').fill('knows');
    await press(page, 'Review');
    await heading(page, 'Add a record');
    await page.getByText('Person was added to your draft').waitFor();
    expect(await page.getByLabel('Shape').locator('option').allTextContents()).toEqual(['Person (in your draft)']);
    await box(page, 'Name').fill('ada');
    await page.getByLabel('label').fill('Ada');
    await press(page, 'Save and add another');
    await page.getByText('2 changes are not committed yet.').waitFor();
    await box(page, 'Name').fill('bob');
    await page.getByLabel('label').fill('Bob');
    await page.getByLabel('knows').fill('ad');
    await page.getByRole('option', { name: 'Person/ada in your draft' }).click();
    await expectWellMade(visited);
    await press(page, 'Review');
    await page.getByRole('link', { name: 'another shape' }).click();
    await makeShape(page, 'Place', 'height');
    await box(page, 'Description').first().fill('Where people are');
    await press(page, 'Review');
    await page.getByRole('heading', { name: 'Add Place' }).waitFor();
    await page.getByRole('listitem').getByText('Where people are').waitFor();
    await expectWellMade(visited);
    // References in the draft follow a new name before the commit.
    await page.getByRole('link', { name: 'Edit: Add Person/ada' }).click();
    await box(page, 'Name').fill('countess');
    await press(page, 'Review');
    await page.getByRole('heading', { name: 'Add Person/countess' }).waitFor();
    await press(page, 'Commit 4 changes');
    await page.getByText('Committed as 1.').waitFor();
    expect(await client.thing.get('ada', 'empty', 'Person/bob')).toMatchObject({
      data: { label: 'Bob', knows: 'Person/countess@v1' },
    });
    expect((await client.commit.get('ada', 'empty', 1)).operations.map(({ name }) => name)).toEqual([
      'Person',
      'Place',
      'Person/countess',
      'Person/bob',
    ]);
  });

  detail('is what is said, with its shape: then one is back at the record, as after a reply', async () => {
    const { url, client, visit } = await openExplorer(fillCave);
    const visited = await visit({ signedIn: true });
    const { page } = visited;
    await page.goto(`${url}/ada/world/record/Place/cave`);
    await page.getByRole('link', { name: 'Add an assertion' }).click();
    // No assertions exist yet, so no shape is likely.
    await page.getByText('An assertion is a claim about a record').waitFor();
    expect(await page.getByLabel('Shape').inputValue()).toBe('');
    expect(await page.getByRole('form', { name: 'Record' }).count()).toBe(0);
    await page.getByText('About Place/cave').waitFor();
    await expectWellMade(visited);
    await page.getByRole('link', { name: 'create one' }).click();
    await makeShape(page, 'Opinion', 'words');
    await press(page, 'Review');
    await heading(page, 'Add a record');
    await expect.poll(() => page.getByLabel('About').inputValue()).toBe('Place/cave');
    expect(await page.getByLabel('Shape').inputValue()).toBe('Opinion');
    await box(page, 'Name').fill('dry');
    await page.getByLabel('words').fill('It is dry');
    await press(page, 'Review');
    await press(page, 'Commit 2 changes');
    await heading(page, 'Place/cave');
    const notice = page.getByRole('status', { name: 'Notices' });
    expect(await notice.getByRole('link', { name: 'Committed as 2' }).getAttribute('href')).toBe(
      '/ada/world/commits/2',
    );
    await expectWellMade(visited);
    await page.getByText('Assertions about Opinion/dry').click();
    await page.getByRole('link', { name: 'Reply' }).click();
    await expect.poll(() => page.getByLabel('About').inputValue()).toBe('Opinion/dry');
    await page.getByLabel('words').fill('It is not');
    await press(page, 'Review');
    await press(page, 'Commit');
    await page.getByText('Committed as 3.').waitFor();
    await heading(page, 'Place/cave');
    const replies = await client.thing.about('ada', 'world', 'Opinion/dry');
    expect(replies.items).toMatchObject([{ data: { words: 'It is not' } }]);
  });

  detail.each(SIZES)(
    'is any number of collections without a name, unless their members are the same, on a $device',
    async ({ size }) => {
      const { url, client, visit } = await openExplorer(fillCave);
      const visited = await visit({ size, signedIn: true });
      const { page } = visited;
      const add = async (member: string) => {
        await page.getByRole('link', { name: 'Add another record' }).click();
        await page.getByLabel('What to add').selectOption('collection');
        await page.getByLabel('Type').selectOption('Set');
        await press(page, 'Add to members');
        await page.getByLabel('members 1', { exact: true }).fill(member);
        await page.keyboard.press('Escape');
        await press(page, 'Review');
      };
      const titles = () => page.locator('.draft-changes h2').allTextContents();
      await page.goto(`${url}/ada/world/new?kind=collection&shape=List`);
      await press(page, 'Review');
      await page.getByText('It has no members.').waitFor();
      await add('Place/cave');
      await expect.poll(titles).toEqual(['Add a list', 'Add a set']);
      await add('Place');
      await expect.poll(titles).toEqual(['Add a list', 'Add a set', 'Add a set']);
      await page.getByRole('link', { name: 'Edit: Add a set' }).last().click();
      await expect.poll(() => page.getByLabel('members 1', { exact: true }).inputValue()).toBe('Place');
      await page.getByLabel('members 1', { exact: true }).fill('Place/cave');
      await page.keyboard.press('Escape');
      await press(page, 'Review');
      await page.getByText('A collection with the same members already exists').waitFor();
      await expectWellMade(visited);
      await press(page, 'Add to members');
      await page.getByLabel('members 2', { exact: true }).fill('Place');
      await page.keyboard.press('Escape');
      await press(page, 'Review');
      await expect.poll(titles).toEqual(['Add a list', 'Add a set', 'Add a set']);
      await press(page, 'Commit 3 changes');
      await page.getByText('Committed as 2.').waitFor();
      const sets = await client.thing.head('ada', 'world', { shape: 'Set' });
      expect(sets.items).toHaveLength(2);
    },
  );

  detail('is in an order that the server takes, in whatever order it was drafted', async () => {
    const { url, client, visit } = await openExplorer(async (client) => {
      await client.repo.create('ada', 'town', {});
      const fields = { label: 'string', 'near?': { type: 'wref', shape: 'Cafe' } };
      await client.commit.submit('ada', 'town', {
        operations: [
          { kind: 'shape', name: 'Cafe', data: { fields } },
          { name: 'Cafe/ten', data: { label: 'Ten' } },
        ],
      });
    });
    const { page } = await visit({ signedIn: true });
    const revise = async (label: string, value: string) => {
      await page.getByLabel(label).fill(value);
      await press(page, 'Review');
      await heading(page, 'Your changes');
    };
    await page.goto(`${url}/ada/town/edit/Cafe/ten`);
    await revise('label', 'Number ten');
    await page.getByRole('link', { name: 'Add a record' }).click();
    await box(page, 'Name').fill('hub');
    await revise('label', 'The hub');
    await page.getByRole('link', { name: 'Edit: Revise Cafe/ten' }).click();
    await revise('near', 'Cafe/hub');
    expect(await page.locator('.draft-changes h2').allTextContents()).toEqual(['Add Cafe/hub', 'Revise Cafe/ten']);
    await press(page, 'Commit 2 changes');
    await page.getByText('Committed as 2.').waitFor();
    expect((await client.thing.get('ada', 'town', 'Cafe/ten')).data).toEqual({
      label: 'Number ten',
      near: 'Cafe/hub@v1',
    });
    await press(page, 'Revert commit 2');
    await page.getByText('Commit 3 reverted commit 2').waitFor();
    expect((await client.thing.get('ada', 'town', 'Cafe/ten')).data).toEqual({ label: 'Ten' });
  });
});
