// Concurrent edits by others to records in a draft: the user is told, and can continue.
import type { CairnClient } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import { detail, expectMissing, expectWellMade, openExplorer, SIZES } from '../support/explorer.ts';
import type { Page } from '../tools/chromium.ts';

const CAFE = { label: 'string', 'near?': { type: 'wref', shape: 'Cafe' } };

async function fill(client: CairnClient) {
  await client.repo.create('ada', 'town', { visibility: 'public' });
  await client.commit.submit('ada', 'town', {
    operations: [
      { kind: 'shape', name: 'Cafe', data: { fields: CAFE } },
      { name: 'Cafe/four', data: { label: 'Four' } },
      { name: 'Cafe/five', data: { label: 'Five', near: 'Cafe/four' } },
    ],
  });
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const change = (page: Page, name: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) });

async function revise(page: Page, address: string, label: string) {
  await page.goto(address);
  await page.getByLabel('label').fill(label);
  await press(page, 'Review');
  await page.getByRole('heading', { level: 1, name: 'Your changes' }).waitFor();
}

describe('what is renamed by others', () => {
  it.each(SIZES)('while it is in a draft is told there, and followed, on a $device', async ({ size }) => {
    const { url, client, visit } = await openExplorer(fill);
    const visited = await visit({ size, signedIn: true });
    expectMissing(visited);
    const { page } = visited;
    await revise(page, `${url}/ada/town/edit/Cafe/four`, 'Number four');
    await revise(page, `${url}/ada/town/edit/Cafe/five`, 'Number five');
    await client.thing.rename('ada', 'town', 'Cafe/four', 'Cafe/corner');
    const four = change(page, 'Revise Cafe/four');
    await four.getByText('Meanwhile, ada').waitFor();
    await four.getByText('renamed Cafe/four to Cafe/corner').waitFor();
    expect(await four.getByRole('link', { name: /^Edit/ }).count()).toBe(0);
    await expectWellMade(visited);
    await four.getByRole('button', { name: 'Continue with Cafe/corner' }).click();
    await change(page, 'Revise Cafe/corner').getByText('Number four').waitFor();
    // References in the draft follow the rename.
    expect(await change(page, 'Revise Cafe/five').getByText('Cafe/corner').count()).toBe(0);
    await press(page, 'Commit 2 changes');
    await page.getByText('Committed as 3.').waitFor();
    expect(await client.thing.get('ada', 'town', 'Cafe/corner')).toMatchObject({ data: { label: 'Number four' } });
    expect(await client.thing.get('ada', 'town', 'Cafe/five')).toMatchObject({
      data: { label: 'Number five', near: 'Cafe/corner@v1' },
    });
  });

  detail('is a shape too, whose records follow, and forms are found under old names', async () => {
    const { url, client, visit } = await openExplorer(fill);
    const { page } = await visit({ signedIn: true });
    await revise(page, `${url}/ada/town/edit/Cafe/four`, 'Number four');
    await page.getByRole('link', { name: 'Add a record' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('six');
    await page.getByLabel('label').fill('Six');
    await press(page, 'Review');
    await change(page, 'Add Cafe/six').waitFor();
    await client.shape.rename('ada', 'town', 'Cafe', 'Bar');
    await change(page, 'Add Cafe/six').getByText('renamed Cafe to Bar').waitFor();
    await change(page, 'Revise Cafe/four').getByRole('button', { name: 'Continue with Bar/four' }).click();
    await change(page, 'Add Bar/six').waitFor();
    await press(page, 'Commit 2 changes');
    await page.getByText('Committed as 3.').waitFor();
    await page.goto(`${url}/ada/town/edit/Cafe/four?step=rename`);
    await page.getByRole('heading', { level: 1, name: 'Edit Bar/four' }).waitFor();
    expect(new URL(page.url())).toMatchObject({ pathname: '/ada/town/edit/Bar/four', search: '?step=rename' });
    await page.goto(`${url}/ada/town/edit-shape/Cafe`);
    await page.getByRole('heading', { level: 1, name: 'Edit the shape Bar' }).waitFor();
  });

  detail('while its form is open keeps what was typed', async () => {
    const { url, client, visit } = await openExplorer(fill);
    const { page } = await visit({ signedIn: true });
    await page.goto(`${url}/ada/town/edit/Cafe/four`);
    await page.getByLabel('label').fill('Number four');
    await client.thing.rename('ada', 'town', 'Cafe/four', 'Cafe/corner');
    await page.getByRole('heading', { level: 1, name: 'Edit Cafe/corner' }).waitFor();
    expect(await page.getByLabel('label').inputValue()).toBe('Number four');
    await press(page, 'Review');
    await change(page, 'Revise Cafe/corner').waitFor();
  });

  detail.each(SIZES)(
    'while a form refers to it is told there, with its present name, on a $device',
    async ({ size }) => {
      const { url, client, visit } = await openExplorer(fill);
      const visited = await visit({ size, signedIn: true });
      expectMissing(visited);
      const { page } = visited;
      await page.goto(`${url}/ada/town/new?shape=Cafe`);
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('six');
      await page.getByLabel('near').fill('Cafe/four');
      await page.keyboard.press('Escape');
      await client.thing.rename('ada', 'town', 'Cafe/four', 'Cafe/corner');
      await press(page, 'Review');
      // The rename shows next to the other problems.
      await page.getByText('Cafe/four was renamed to Cafe/corner.').waitFor();
      await expectWellMade(visited);
      await press(page, 'Use Cafe/corner');
      expect(await page.getByLabel('near').inputValue()).toBe('Cafe/corner');
      await page.getByLabel('label').fill('Six');
      await press(page, 'Review');
      await change(page, 'Add Cafe/six').getByText('Cafe/corner').waitFor();
    },
  );
});

describe('what is added by others', () => {
  detail.each(SIZES)('under the same name is revised, or another name is chosen, on a $device', async ({ size }) => {
    const { url, client, visit } = await openExplorer(fill);
    const visited = await visit({ size, signedIn: true });
    const { page } = visited;
    for (const name of ['six', 'seven']) {
      await page.goto(`${url}/ada/town/new?shape=Cafe`);
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
      await page.getByLabel('label').fill(`My ${name}`);
      await press(page, 'Review');
      await change(page, `Add Cafe/${name}`).waitFor();
    }
    await client.commit.submit('ada', 'town', {
      operations: ['six', 'seven'].map((name) => ({ name: `Cafe/${name}`, data: { label: `Their ${name}` } })),
    });
    const six = change(page, 'Add Cafe/six');
    await six.getByText('already wrote a record with this name').waitFor();
    await expectWellMade(visited);
    await six.getByRole('button', { name: 'Revise the existing one' }).click();
    const revision = change(page, 'Revise Cafe/six');
    await revision.getByText('Their six').waitFor();
    await revision.getByText('My six').waitFor();
    await change(page, 'Add Cafe/seven').getByRole('link', { name: /^Edit/ }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('eight');
    await press(page, 'Review');
    await press(page, 'Commit 2 changes');
    await page.getByText('Committed as 3.').waitFor();
    const labelOf = async (name: string) => (await client.thing.get('ada', 'town', name)).data;
    expect(await Promise.all(['Cafe/six', 'Cafe/seven', 'Cafe/eight'].map(labelOf))).toEqual([
      { label: 'My six' },
      { label: 'Their seven' },
      { label: 'My seven' },
    ]);
  });

  detail('is the first readme, of which the other is a revision', async () => {
    const { url, client, visit } = await openExplorer(fill);
    const visited = await visit({ signedIn: true });
    const { page } = visited;
    const text = page.getByRole('textbox', { name: 'Readme' });
    await page.goto(`${url}/ada/town/edit-text/readme`);
    await text.fill('# Mine');
    await client.repo.setContent('ada', 'town', 'readme', '# Theirs');
    await page.getByText('If you continue, the draft shows how yours differs').waitFor();
    await expectWellMade(visited);
    await press(page, 'Review');
    const revision = change(page, 'Revise the readme');
    await revision.locator('del', { hasText: '# Theirs' }).waitFor();
    await revision.locator('ins', { hasText: '# Mine' }).waitFor();
    await press(page, 'Commit');
    await page.getByText('Committed as 3.').waitFor();
    expect((await client.repo.getContent('ada', 'town', 'readme')).content).toBe('# Mine');
  });

  detail('is the text for agents, after it was drafted', async () => {
    const { url, client, visit } = await openExplorer(fill);
    const { page } = await visit({ signedIn: true });
    await page.goto(`${url}/ada/town/edit-text/agents`);
    await page.getByRole('textbox', { name: 'Instructions for agents' }).fill('Mine');
    await press(page, 'Review');
    await change(page, 'Add the instructions for agents').waitFor();
    await client.repo.setContent('ada', 'town', 'agents', 'Theirs');
    await press(page, 'Revise the existing one');
    await change(page, 'Revise the instructions for agents').locator('del', { hasText: 'Theirs' }).waitFor();
  });
});

detail.each(SIZES)('a shape that others changed too is compared field by field on a $device', async ({ size }) => {
  const { url, client, visit } = await openExplorer(fill);
  const visited = await visit({ size, signedIn: true });
  const { page } = visited;
  await page.goto(`${url}/ada/town/edit-shape/Cafe`);
  const label = page.getByRole('group', { name: 'Field label' });
  await label.getByLabel('Optional').check();
  await page.getByLabel('Description').first().fill('Where one sits');
  await press(page, 'Review');
  await change(page, 'Revise Cafe').waitFor();
  const fields = { ...CAFE, label: { type: 'string', maxLength: 40 }, 'seats?': 'number' };
  await client.shape.revise('ada', 'town', 'Cafe', { fields });
  const side = (field: string, name: string) =>
    page.getByRole('group', { name: field }).locator('label').filter({ hasText: name });
  await side('label', 'Mine').getByText('required').waitFor();
  await side('label', 'Theirs').getByText('constraints').waitFor();
  expect(await side('seats', 'Mine').textContent()).toContain('missing');
  expect(await side('seats', 'Theirs').textContent()).toContain('added seats number, optional');
  expect(await page.locator('.conflict').textContent()).not.toMatch(/fields\.|[{}]/);
  await page.getByText('Choose a side for label, or use all values of one side.').waitFor();
  await expectWellMade(visited);
  await side('label', 'Theirs').getByRole('radio').check();
  await press(page, 'Use the selected values');
  await press(page, 'Commit');
  await page.getByText('Committed as 3.').waitFor();
  expect((await client.shape.get('ada', 'town', 'Cafe')).data).toEqual({ fields, description: 'Where one sits' });
});
