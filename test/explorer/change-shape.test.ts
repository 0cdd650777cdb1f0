// Editing shapes and texts in the explorer. A changed shape shows its effect on records before the commit.
import type { CairnClient } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import { detail, expectWellMade, openExplorer, SIZES } from '../support/explorer.ts';
import type { Page } from '../tools/chromium.ts';

async function fill(client: CairnClient) {
  await client.repo.create('ada', 'world', { visibility: 'public' });
  await client.commit.submit('ada', 'world', {
    operations: [
      { kind: 'shape', name: 'Place', data: { fields: { label: 'string', 'depth?': 'number', at: { x: 'number' } } } },
      ...Array.from({ length: 250 }, (_, number) => ({
        name: `Place/p${number}`,
        data: { label: `Place ${number}`, at: { x: number }, ...(number % 100 === 0 && { depth: 3 }) },
      })),
    ],
  });
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

describe('shapes in the explorer', () => {
  detail('are kept apart in one draft, and renamed there', async () => {
    const { url, visit } = await openExplorer((client) => client.repo.create('ada', 'empty', {}));
    const { page } = await visit({ signedIn: true });
    const name = page.getByLabel('Name', { exact: true });
    const add = async (shapeName: string, fieldName: string) => {
      await page.getByRole('link', { name: 'Add a shape' }).first().click();
      await expect.poll(() => name.inputValue()).toBe('');
      await name.fill(shapeName);
      expect(await page.getByLabel('Field name').inputValue()).toBe('');
      await page.getByLabel('Field name').fill(fieldName);
      await press(page, 'Review');
      await page.getByRole('heading', { name: `Add ${shapeName}` }).waitFor();
    };
    await page.goto(`${url}/ada/empty`);
    await add('Person', 'label');
    await page.getByText('stored in this tab only').waitFor();
    await page.getByRole('link', { name: 'Overview' }).first().click();
    await add('Place', 'height');
    await page.getByRole('link', { name: 'Edit: Add Place' }).click();
    await expect.poll(() => name.inputValue()).toBe('Place');
    expect(await page.getByLabel('Field name').inputValue()).toBe('height');
    await name.fill('Peak');
    await press(page, 'Review');
    await page.getByRole('heading', { name: 'Add Peak' }).waitFor();
    await page.getByRole('heading', { name: 'Add Person' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Add Place' }).count()).toBe(0);
  });

  it.each(SIZES)(
    'are made field by field in an empty repository, with a first record, on a $device',
    async ({ size }) => {
      const { url, client, visit } = await openExplorer((client) => client.repo.create('ada', 'empty', {}));
      const visited = await visit({ size, signedIn: true });
      const { page } = visited;
      await page.goto(`${url}/ada/empty`);
      await page.getByRole('link', { name: 'Add a shape' }).click();
      await page.getByLabel('Name', { exact: true }).fill('Person');
      await page.getByLabel('Description').first().fill('Somebody');
      const field = (name: string) => page.getByRole('group', { name });
      await field('Field 1').getByLabel('Field name').fill('label');
      await press(page, 'Add a field');
      await field('Field 2').getByLabel('Field name').fill('label');
      await page.getByText('Two fields have the name label').waitFor();
      await field('Field label').last().getByText('Another field has this name.').waitFor();
      await field('Field label').last().getByLabel('Field name').fill('knows');
      await field('Field knows').getByLabel('Type').selectOption('wref');
      await field('Field knows').getByLabel('Refers to').fill('Person');
      await field('Field knows').getByLabel('Optional').check();
      await field('Field knows').getByLabel('List of values').check();
      await press(page, 'Add a field');
      await field('Field 3').getByLabel('Field name').fill('role');
      await field('Field role')
        .getByText(/^More:/)
        .click();
      await field('Field role').getByLabel('Allowed values').fill('owner, or nearly\nguest');
      await field('Field role').getByText('2 values: “owner, or nearly” “guest”').waitFor();
      await expectWellMade(visited);
      await press(page, 'Review');
      await page.getByRole('heading', { name: 'Add Person' }).waitFor();
      await press(page, 'Commit');
      await page.getByRole('heading', { level: 1, name: 'Person' }).waitFor();
      expect((await client.shape.get('ada', 'empty', 'Person')).data).toEqual({
        description: 'Somebody',
        fields: {
          label: 'string',
          'knows?': [{ type: 'wref', shape: 'Person' }],
          role: { type: 'string', enum: ['owner, or nearly', 'guest'] },
        },
      });
      await page.getByRole('link', { name: 'Add a record' }).click();
      await page.getByLabel('label').fill('Ada');
      await page.getByLabel('role').selectOption('owner, or nearly');
      await press(page, 'Save and add another');
      await page.getByText('1 change is not committed yet').waitFor();
      await expect.poll(() => page.getByLabel('label').inputValue()).toBe('');
      await page.getByLabel('Name', { exact: true }).fill('bob');
      await page.getByLabel('label').fill('Bob');
      await page.getByLabel('role').selectOption('guest');
      await press(page, 'Review');
      await press(page, 'Commit 2 changes');
      await page.getByText('Committed as 2.').waitFor();
      const people = await client.thing.head('ada', 'empty', { shape: 'Person' });
      expect(people.items.map(({ data }) => data)).toEqual([
        { label: 'Ada', role: 'owner, or nearly' },
        { label: 'Bob', role: 'guest' },
      ]);
    },
  );

  detail.each(SIZES)('are renamed, retracted and brought back from their page on a $device', async ({ size }) => {
    const { url, client, visit } = await openExplorer(fill);
    const visited = await visit({ size, signedIn: true });
    const { page } = visited;
    const go = (name: string) => page.getByRole('link', { name, exact: true }).click();
    await page.goto(`${url}/ada/world/shapes/Place`);
    await go('Rename');
    await page.getByLabel('New name').fill('Spot');
    await press(page, 'Review');
    await press(page, 'Commit');
    await page.getByText('Committed as 2.').waitFor();
    await page.goto(`${url}/ada/world/shapes/Spot`);
    await go('Retract');
    await page.getByText('It has 250 records. They remain').waitFor();
    await expectWellMade(visited);
    await press(page, 'Review');
    await press(page, 'Commit');
    await page.getByText('Committed as 3.').waitFor();
    const revised = { operation: 'revise', name: 'Spot/p1', data: { label: 'Revised all the same', at: { x: 1 } } };
    await client.commit.submit('ada', 'world', { operations: [revised] });

    await page.goto(`${url}/ada/world`);
    const row = page.getByRole('row', { name: 'Spot retracted' });
    await row.getByRole('link', { name: '250 records of Spot' }).waitFor();
    await expectWellMade(visited);
    await row.getByRole('link', { name: 'Spot', exact: true }).click();
    await page.getByRole('link', { name: '250 records' }).waitFor();
    await page.getByRole('link', { name: 'Restore' }).waitFor();
    expect(await page.getByRole('link', { name: 'Add a record' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Edit fields' }).count()).toBe(0);
    await page.goto(`${url}/ada/world/new?shape=Spot`);
    await page.getByText('it is retracted or missing').waitFor();
    expect(await page.getByRole('button', { name: 'Review' }).count()).toBe(0);
    await expectWellMade(visited);
    await page.getByRole('alert').getByRole('link', { name: 'Spot' }).click();
    await go('Restore');
    await page.getByRole('heading', { level: 1, name: 'Restore the shape Spot' }).waitFor();
    await press(page, 'Review');
    await press(page, 'Commit');
    await page.getByText('Committed as 5.').waitFor();
    expect((await client.shape.get('ada', 'world', 'Spot')).active).toBe(true);
  });

  it.each(SIZES)('show which records would not fit before they are changed on a $device', async ({ size }) => {
    const { url, client, visit } = await openExplorer(fill);
    const visited = await visit({ size, signedIn: true });
    const { page } = visited;
    await page.goto(`${url}/ada/world/shapes/Place`);
    await page.getByRole('link', { name: 'Edit fields' }).click();
    const depth = page.getByRole('group', { name: 'Field depth' });
    await depth.getByLabel('Optional').uncheck();
    await press(page, 'Remove field label');
    await press(page, 'Check existing records');
    const check = page.getByRole('region', { name: 'Records that would not match' });
    await check.getByText('247 of 250 records would not match.').waitFor();
    await check.getByRole('link', { name: 'Place/p1', exact: true }).waitFor();
    await check.getByText('And 147 more.').waitFor();
    await check.getByText('Records keep their data in them: label (250 records).').waitFor();
    await expectWellMade(visited);
    await depth.getByLabel('Optional').check();
    await depth.getByLabel('Type').selectOption('string');
    await press(page, 'Add a field');
    await page.getByRole('group', { name: 'Field 3' }).getByLabel('Field name').fill('label');
    await press(page, 'Review');
    await check.getByText('3 of 250 records would not match.').waitFor();
    await check.getByText('depth: expected a string, got 3').first().waitFor();
    await page.getByText('type: number').waitFor();
    await expectWellMade(visited);
    // Misfits that the same draft fixes are not counted.
    await page.goto(`${url}/ada/world/edit/Place/p100`);
    await page.getByLabel('depth').fill('three');
    await press(page, 'Review');
    await check.getByText('2 of 249 records would not match.').waitFor();
    await check.getByText('does not include 1 record in your draft').waitFor();
    expect(await check.getByRole('link', { name: 'Place/p100', exact: true }).count()).toBe(0);
    await expectWellMade(visited);
    await press(page, 'Discard: Revise Place/p100');
    expect((await client.repo.get('ada', 'world')).repoSeq).toBe(1);
    await press(page, 'Commit');
    await page.getByRole('heading', { level: 1, name: 'Place' }).waitFor();
    expect((await client.shape.get('ada', 'world', 'Place')).data).toMatchObject({
      fields: { 'depth?': 'string', at: { x: 'number' } },
    });
    expect(await client.thing.get('ada', 'world', 'Place/p0')).toMatchObject({ version: 1, data: { depth: 3 } });
  });
});

describe('the form of a shape', () => {
  detail.each(SIZES)(
    'sets limits, knows the shapes that there are, and tells what became required on a $device',
    async ({ size }) => {
      const { url, client, visit } = await openExplorer(fill);
      const visited = await visit({ size, signedIn: true });
      const { page } = visited;
      const field = (name: string) => page.getByRole('group', { name: `Field ${name}` });
      await client.shape.create('ada', 'world', 'Hut', {
        fields: { beds: { type: 'number', minimum: 1, integer: true }, 'note?': 'string', by: 'wref' },
      });
      await page.goto(`${url}/ada/world/edit-shape/Hut`);
      const fold = (name: string) => field(name).getByText(/^More:/);
      await field('beds').getByText('More: a whole number, at least 1').waitFor();
      expect(await field('beds').getByLabel('Minimum').isVisible()).toBe(false);
      await fold('beds').click();
      expect(await field('beds').getByLabel('Minimum').inputValue()).toBe('1');
      expect(await field('beds').getByLabel('Whole numbers only').isChecked()).toBe(true);
      await field('beds').getByLabel('Maximum').fill('many');
      await page.getByText('In beds, under “More”, the maximum is not a number.').waitFor();
      await field('beds').getByText('More: contains an error').waitFor();
      const wrong = page.locator('[aria-invalid=true]');
      await field('beds').getByLabel('Maximum').and(wrong).waitFor();
      await field('beds').getByText('The maximum is not a number.', { exact: true }).waitFor();
      const tops = () =>
        Promise.all(
          ['Minimum', 'Maximum'].map(async (label) => {
            const { y, height } = (await field('beds').getByLabel(label).boundingBox()) ?? { y: 0, height: 0 };
            return [y, height];
          }),
        );
      const [minimum, maximum] = await tops();
      expect(minimum).toEqual(maximum);
      await field('beds').getByLabel('Maximum').fill('40');
      await fold('note').click();
      await field('note').getByLabel('Maximum length').fill('80');
      await field('note').getByLabel('Pattern').fill('([');
      // A problem unfolds its group.
      await fold('note').click();
      await field('note').getByLabel('Pattern').waitFor({ state: 'hidden' });
      await press(page, 'Review');
      await field('note').getByText('not a valid regular expression in RE2 syntax').waitFor();
      await field('note').getByLabel('Pattern').and(wrong).and(page.locator(':focus')).waitFor();
      await expectWellMade(visited);
      await field('note').getByLabel('Pattern').fill('');
      expect(await wrong.count()).toBe(0);
      await field('note').getByLabel('Optional').uncheck();
      const shapes = await field('by')
        .locator('option')
        .evaluateAll((all) => all.map((one) => one.getAttribute('value')));
      expect(shapes).toContain('Place');
      await field('by').getByLabel('Refers to').fill('Plaice');
      await field('by').getByText('The shape Plaice does not exist yet').waitFor();
      await expectWellMade(visited);
      await press(page, 'Review');
      const draft = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Revise Hut' }) });
      await draft.getByText('The shape Plaice does not exist yet').waitFor();
      const told = draft.locator('.field-changes > li');
      await expect
        .poll(() => told.filter({ hasText: 'note' }).textContent())
        .toMatch(/^changed note.*optional.*required/);
      await expect.poll(() => told.filter({ hasText: 'beds' }).textContent()).toMatch('1 to 40');
      await expectWellMade(visited);
      await press(page, 'Commit');
      await page.getByRole('heading', { level: 1, name: 'Hut' }).waitFor();
      await page.getByRole('cell', { name: 'a whole number; 1 to 40' }).waitFor();
      expect((await client.shape.get('ada', 'world', 'Hut')).data).toEqual({
        fields: {
          beds: { type: 'number', minimum: 1, maximum: 40, integer: true },
          note: { type: 'string', maxLength: 80 },
          by: { type: 'wref', shape: 'Plaice' },
        },
      });
      const { repoSeq } = await client.repo.get('ada', 'world');
      await page.goto(`${url}/ada/world/commits/${repoSeq}`);
      await page.locator('.field-changes > li', { hasText: 'note' }).getByText('required').waitFor();
      await expectWellMade(visited);
    },
  );
});

describe('texts in the explorer', () => {
  detail.each(SIZES)('are written with a look at them, and compared line by line, on a $device', async ({ size }) => {
    const { url, client, visit } = await openExplorer(fill);
    const visited = await visit({ size, signedIn: true });
    const { page } = visited;
    await page.goto(`${url}/ada/world`);
    await page.getByRole('link', { name: 'Add readme' }).click();
    await page.getByRole('textbox', { name: 'Readme' }).fill('# The valley\n\nIt is *deep*.\nIt is wide.\n');
    await page.getByRole('region', { name: 'Preview' }).getByRole('heading', { name: 'The valley' }).waitFor();
    await expectWellMade(visited);
    await press(page, 'Review');
    await page.getByRole('heading', { name: 'Add the readme' }).waitFor();
    await page.locator('ins', { hasText: 'It is wide.' }).waitFor();
    await page.getByRole('link', { name: 'Edit: Add the readme' }).click();
    await page.getByRole('textbox', { name: 'Readme' }).waitFor();
    await press(page, 'Review');
    await press(page, 'Commit');
    await page.getByText('Committed as 2.').waitFor();
    expect((await client.commit.get('ada', 'world', 2)).message).toBe('Add the readme');
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('link', { name: 'Edit readme' }).click();
    await page.getByRole('textbox', { name: 'Readme' }).fill('# The valley\n\nIt is *very deep*.\nIt is wide.\n');
    await press(page, 'Review');
    await page.getByRole('heading', { name: 'Revise the readme' }).waitFor();
    await page.locator('del', { hasText: 'It is *deep*.' }).waitFor();
    await page.locator('ins', { hasText: 'It is *very deep*.' }).waitFor();
    await expectWellMade(visited);
    await page.goto(`${url}/ada/world/edit-text/agents`);
    await page.getByRole('textbox', { name: 'Instructions for agents' }).fill('Ask before you write.');
    await press(page, 'Review');
    await press(page, 'Commit 2 changes');
    await page.getByText('Committed as 3.').waitFor();
    const agents = await client.repo.getContent('ada', 'world', 'agents');
    expect(agents.content).toBe('Ask before you write.');
  });

  detail.each(SIZES)(
    'is told all that is wrong with it before it is reviewed, also in what is folded, on a $device',
    async ({ size }) => {
      const { url, visit } = await openExplorer(fill);
      const visited = await visit({ size, signedIn: true });
      const { page } = visited;
      const field = (name: string) => page.getByRole('group', { name: `Field ${name}` });
      await page.goto(`${url}/ada/world/new-shape`);
      await page.getByLabel('Name', { exact: true }).fill('Item');
      await field('1').getByLabel('Field name').fill('state');
      await field('state')
        .getByText(/^More:/)
        .click();
      await field('state').getByLabel('Allowed values').fill('new\nolder');
      await field('state').getByLabel('Minimum length').fill('5');
      await field('state').getByText('“new” is shorter than the minimum length: change one of them.').waitFor();
      await field('state')
        .getByText(/^More:/)
        .click();
      await field('state').getByText('More: contains an error').waitFor();
      await press(page, 'Add a field');
      await field('2').getByLabel('Type').selectOption('other');
      await field('2').getByLabel('Definition as JSON').fill('{"x": strnig}');
      await field('2').getByText('expected a value at line 1, column 7').waitFor();
      await expect
        .poll(() => page.locator('.mistakes li').allTextContents())
        .toEqual([
          'A field has no name. Enter one, or remove the field.',
          'In state, under “More”, “new” is shorter than the minimum length: change one of them.',
          expect.stringContaining('In field 2, the definition is not JSON yet: expected a value'),
        ]);
      await expectWellMade(visited);
      await field('state')
        .getByText(/^More:/)
        .click();
      await field('state').getByLabel('Minimum length').fill('3');
      await field('2').getByLabel('Definition as JSON').fill('{"x": "strnig"}');
      await field('2').getByLabel('Field name').fill('size');
      await press(page, 'Review');
      await field('size').getByLabel('Definition as JSON').and(page.locator('[aria-invalid=true]')).waitFor();
      await expectWellMade(visited);
      await field('size').getByLabel('Definition as JSON').fill('{"x": "string"}');
      await press(page, 'Review');
      await page.getByRole('heading', { name: 'Add Item' }).waitFor();
    },
  );
});
