// Unusual input: only blanks, huge numbers, and characters that reverse the text direction. Each problem shows at its
// field, and no typed text is lost.
import type { CairnClient } from '@cairn/sdk';
import { describe, expect } from 'vitest';
import { detail, expectMissing, expectWellMade, openExplorer, SIZES } from '../support/explorer.ts';
import type { Page } from '../tools/chromium.ts';

async function fill(client: CairnClient) {
  await client.repo.create('ada', 'wood', { visibility: 'public' });
  await client.commit.submit('ada', 'wood', {
    operations: [
      { kind: 'shape', name: 'Tree', data: { fields: { name: 'string', 'age?': 'number' } } },
      { name: 'Tree/elm', data: { name: 'The elm' } },
    ],
  });
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const box = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const problemOf = (page: Page, label: string) =>
  page
    .locator('.field')
    .filter({ has: page.getByLabel(label, { exact: true }).and(page.locator('[aria-invalid=true]')) })
    .locator('.problem');

describe('odd input in the explorer', () => {
  detail.each(SIZES)('is told beside the fields of a record on a $device', async ({ size }) => {
    const { url, client, visit } = await openExplorer(fill);
    const visited = await visit({ size, signedIn: true });
    const { page } = visited;
    await page.goto(`${url}/ada/wood/new?shape=Tree`);
    await box(page, 'Name').fill('  ');
    await expect
      .poll(() => problemOf(page, 'Name').textContent())
      .toBe('The name contains only spaces. Enter a name, or clear the field.');
    await page.getByText('The full name starts with Tree/. Left empty').waitFor();
    // A text may consist of blanks, so the form only points it out.
    await box(page, 'name').fill('   ');
    await page.getByText('This text contains only spaces.').waitFor();
    await page.getByLabel('age').fill('9'.repeat(400));
    await page.getByText('This number is too large').waitFor();
    await expectWellMade(visited);
    await page.getByLabel('age').fill('a\u202egnp');
    await press(page, 'Review');
    await expect
      .poll(() => problemOf(page, 'age (optional)').textContent())
      .toBe('expected a number, got "aU+202Egnp"');
    expect(await page.getByLabel('age').inputValue()).toBe('a\u202egnp');
    await expectWellMade(visited);
    await box(page, 'Name').fill('');
    await page.getByLabel('age').fill('');
    await press(page, 'Review');
    await page.getByText('only spaces (3)').waitFor();
    await press(page, 'Commit');
    await page.getByText('Committed as 2.').waitFor();
    const trees = await client.thing.head('ada', 'wood', { shape: 'Tree' });
    expect(trees.items.map(({ data }) => data)).toContainEqual({ name: '   ' });
  });

  detail.each(SIZES)(
    'is told beside the members of a collection, and what an assertion is about, on a $device',
    async ({ size }) => {
      const { url, visit } = await openExplorer(fill);
      const visited = await visit({ size, signedIn: true });
      expectMissing(visited);
      const { page } = visited;
      page.on('dialog', (dialog) => void dialog.accept());
      await page.goto(`${url}/ada/wood/new?kind=collection&shape=Arc`);
      await page.getByLabel('from').waitFor();
      await press(page, 'Review');
      await expect.poll(() => problemOf(page, 'from').textContent()).toBe('Choose a record.');
      await expect.poll(() => problemOf(page, 'to').textContent()).toBe('Choose a record.');
      await page.getByLabel('from').and(page.locator(':focus')).fill('Tree/elm');
      await page.keyboard.press('Escape');
      await page.getByLabel('to', { exact: true }).fill('Tree/none');
      await page.keyboard.press('Escape');
      await press(page, 'Review');
      await expect.poll(() => problemOf(page, 'to').textContent()).toContain('There is no record Tree/none');
      expect(await problemOf(page, 'from').count()).toBe(0);
      await expectWellMade(visited);
      await page.goto(`${url}/ada/wood/new?kind=collection&shape=List`);
      for (const item of ['', 'Tree/none', 'Tree/elm', 'Tree/gone']) {
        await press(page, 'Add to items');
        await page.locator(':focus').fill(item);
        await page.keyboard.press('Escape');
      }
      await press(page, 'Review');
      await expect.poll(() => problemOf(page, 'items 2').textContent()).toContain('There is no record Tree/none');
      await expect.poll(() => problemOf(page, 'items 4').textContent()).toContain('There is no record Tree/gone');
      expect(await page.locator('.items .problem').count()).toBe(2);
      await expectWellMade(visited);
      await page.goto(`${url}/ada/wood/new?kind=assertion&shape=Tree`);
      await page.getByLabel('About').pressSequentially('  ');
      await press(page, 'Review');
      await expect
        .poll(() => problemOf(page, 'About').textContent())
        .toBe('Choose the record that the assertion is about.');
    },
  );

  detail('is told in names, and left out of reasons', async () => {
    const { url, client, visit } = await openExplorer(fill);
    const { page } = await visit({ signedIn: true });
    await page.goto(`${url}/ada/wood/new-shape`);
    await page.getByText('Enter a name for the shape.').waitFor();
    await box(page, 'Name').fill(' ');
    await expect.poll(() => problemOf(page, 'Name').textContent()).toBe('The name contains only spaces. Enter a name.');
    await box(page, 'Name').fill('Bird');
    await page.getByLabel('Field name').fill(' ');
    await page.getByText('A field has no name. Enter one, or remove the field.').waitFor();
    expect(await page.getByRole('button', { name: 'Review' }).isDisabled()).toBe(true);
    page.on('dialog', (dialog) => void dialog.accept());
    await page.goto(`${url}/ada/wood/edit/Tree/elm?step=rename`);
    await box(page, 'New name').fill('  ');
    await expect
      .poll(() => problemOf(page, 'New name').textContent())
      .toBe('The name contains only spaces. Enter a name.');
    expect(await page.getByRole('button', { name: 'Review' }).isDisabled()).toBe(true);
    await page.goto(`${url}/ada/wood/edit/Tree/elm?step=retract`);
    await box(page, 'Reason (optional)').fill('  ');
    await press(page, 'Review');
    await press(page, 'Commit');
    await page.getByText('Committed as 2.').waitFor();
    const elm = await client.thing.get('ada', 'wood', 'Tree/elm', { includeRetracted: true });
    expect(elm).toMatchObject({ active: false });
    expect(elm.reason).toBeUndefined();
  });
});
