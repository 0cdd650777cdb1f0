// A first-time writer's mistakes: all of them show at once, each next to its field and with a way to fix it.
import type { CairnClient } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import { detail, expectMissing, expectWellMade, openExplorer, SIZES } from '../support/explorer.ts';
import type { Page } from '../tools/chromium.ts';

const TREE = {
  'age?': { type: 'number', minimum: 0 },
  'beside?': { type: 'wref', shape: 'Tree' },
  kind: { type: 'string', enum: ['oak', 'elm'] },
  name: { type: 'string', minLength: 2 },
  sound: 'boolean',
};

async function fill(client: CairnClient) {
  await client.repo.create('ada', 'wood', { visibility: 'public' });
  await client.commit.submit('ada', 'wood', {
    message: 'The wood',
    operations: [
      { kind: 'shape', name: 'Tree', data: { fields: TREE } },
      { kind: 'shape', name: 'Opinion', data: { fields: { stars: 'number' } } },
      { name: 'Tree/elm', data: { name: 'The elm', kind: 'elm', sound: true, age: 80 } },
    ],
  });
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const box = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const REFUSED_BORDERS =
  "[...document.querySelectorAll('[aria-invalid=true]')].map((one) => getComputedStyle(one).borderTopColor)";
const PROBLEM_COLOUR = "getComputedStyle(document.querySelector('.field .problem')).color";
const problemOf = (page: Page, label: RegExp) =>
  page
    .locator('.field')
    .filter({ has: page.getByLabel(label).and(page.locator('[aria-invalid=true]')) })
    .locator('.problem');

describe('mistakes in the explorer', () => {
  it.each(SIZES)('are told all at once, with a name that would be taken, on a $device', async ({ size }) => {
    const { url, client, visit } = await openExplorer(fill);
    const visited = await visit({ size, signedIn: true });
    expectMissing(visited);
    const { page } = visited;
    await page.goto(`${url}/ada/wood/new?shape=Tree`);
    await heading(page, 'Add a record');
    // Required fields come first.
    const labels = page.getByRole('form', { name: 'The record' }).locator('.field > label');
    await expect
      .poll(() => labels.allTextContents())
      .toEqual(['Name', 'kind', 'name', 'sound', 'age (optional)', 'beside (optional)']);
    await box(page, 'Name').fill('Old Oak');
    await box(page, 'name').fill('O');
    await page.getByLabel('age').fill('old');
    await page.getByLabel('beside').fill('Tree/none');
    await press(page, 'Review');
    await expect.poll(() => problemOf(page, /^Name$/).textContent()).toContain(`"Tree/Old Oak" is not a record name`);
    await expect.poll(() => problemOf(page, /^name$/).textContent()).toBe('expected at least 2 characters, got "O"');
    await expect.poll(() => problemOf(page, /^kind$/).textContent()).toBe('Choose one of oak, elm.');
    await expect.poll(() => problemOf(page, /^sound$/).textContent()).toBe('Choose yes or no.');
    await expect.poll(() => problemOf(page, /^age/).textContent()).toBe('expected a number, got "old"');
    await expect.poll(() => problemOf(page, /^beside/).textContent()).toContain('There is no record Tree/none');
    // All controls look invalid.
    expect(await page.evaluate(REFUSED_BORDERS)).toEqual(Array(6).fill(await page.evaluate(PROBLEM_COLOUR)));
    await expectWellMade(visited);
    await press(page, 'Call it old-oak');
    expect(await box(page, 'Name').inputValue()).toBe('old-oak');
    await expect.poll(() => page.evaluate('document.activeElement.labels?.[0]?.textContent')).toBe('Name');
    expect(await problemOf(page, /^Name$/).count()).toBe(0);
    await box(page, 'name').fill('The old oak');
    await page.getByLabel('kind').selectOption('oak');
    await page.getByLabel('sound').selectOption('no');
    await page.getByLabel('age').fill('300');
    await page.getByLabel('beside').fill('Tree/elm');
    await press(page, 'Review');
    await page.getByRole('heading', { name: 'Add Tree/old-oak' }).waitFor();
    await press(page, 'Commit');
    await heading(page, 'Tree/old-oak');
    const names = page.getByRole('tabpanel', { name: 'Fields' }).locator('dt > :first-child');
    await expect.poll(() => names.allTextContents()).toEqual(['kind', 'name', 'sound', 'age', 'beside']);
    expect((await client.thing.get('ada', 'wood', 'Tree/old-oak')).data).toMatchObject({ name: 'The old oak' });
    await page.goto(`${url}/ada/wood/shapes/Tree`);
    const rows = page.getByRole('region', { name: 'The fields' }).getByRole('rowheader');
    await expect.poll(() => rows.allTextContents()).toEqual(['kind', 'name', 'sound', 'age', 'beside']);
  });

  detail('with a name that is taken, and with what is spoken about, do not hide those in the data', async () => {
    const { url, visit } = await openExplorer(fill);
    const visited = await visit({ signedIn: true });
    expectMissing(visited);
    const { page } = visited;
    await page.goto(`${url}/ada/wood/new?shape=Tree`);
    await box(page, 'Name').fill('elm');
    await press(page, 'Review');
    await expect.poll(() => problemOf(page, /^Name$/).textContent()).toContain('There is a Tree/elm already');
    await expect.poll(() => problemOf(page, /^kind$/).textContent()).toBe('Choose one of oak, elm.');
    // A valid name that is taken gets no suggestion.
    expect(await page.getByRole('button', { name: /^Call it/ }).count()).toBe(0);
    await page.goto(`${url}/ada/wood/new?kind=assertion&shape=Opinion`);
    await page.getByLabel('About').fill('Tree/none');
    await page.keyboard.press('Escape');
    await box(page, 'Name').fill('a b');
    await page.getByLabel('stars').fill('many');
    await press(page, 'Review');
    await expect.poll(() => problemOf(page, /^About$/).textContent()).toContain('There is no record Tree/none');
    await expect.poll(() => problemOf(page, /^stars$/).textContent()).toBe('expected a number, got "many"');
    await page.getByRole('button', { name: 'Call it a-b' }).waitFor();
    await expectWellMade(visited);
  });

  detail.each(SIZES)('in short texts and references are hardly made on a $device', async ({ size }) => {
    const { url, client, visit } = await openExplorer(fill);
    await client.shape.create('ada', 'wood', 'Sign', {
      fields: { text: { type: 'string', maxLength: 12 }, 'more?': 'json', 'note?': 'string', 'on?': 'wref' },
    });
    const visited = await visit({ size, signedIn: true });
    const { page } = visited;
    await page.goto(`${url}/ada/wood/new?shape=Sign`);
    await box(page, 'Name').fill('gate');
    await page.getByText('as JSON, such as "text"').waitFor();
    await page.getByLabel('text', { exact: true }).fill('Mind the old gate');
    await page.keyboard.press('Enter');
    await expect.poll(() => problemOf(page, /^text$/).textContent()).toBe('expected at most 12 characters, got 17');
    await press(page, 'As JSON');
    await page.getByRole('alert').getByText('text: expected at most 12 characters').waitFor();
    await press(page, 'As a form');
    await page.getByLabel('text', { exact: true }).fill('The gate');
    await page.getByLabel('note').fill('One');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.keyboard.type('two');
    await page.getByLabel('on (optional)').evaluate((one) => one.scrollIntoView({ block: 'end' }));
    await page.getByLabel('on (optional)').pressSequentially('elm');
    await page.getByRole('option', { name: 'Tree/elm' }).waitFor();
    const isWithin = "document.querySelector('[role=listbox]').getBoundingClientRect().bottom <= innerHeight";
    await expect.poll(() => page.evaluate(isWithin)).toBe(true);
    await expectWellMade(visited);
    await page.getByRole('option', { name: 'Tree/elm' }).click();
    await page.getByLabel('text', { exact: true }).press('Enter');
    await page.getByRole('heading', { name: 'Add Sign/gate' }).waitFor();
    await press(page, 'Commit');
    await heading(page, 'Sign/gate');
    expect((await client.thing.get('ada', 'wood', 'Sign/gate')).data).toEqual({
      text: 'The gate',
      note: 'One\ntwo',
      on: 'Tree/elm@v1',
    });
  });

  detail('in the names of shapes and in new names are mended by the keyboard', async () => {
    const { url, client, visit } = await openExplorer(fill);
    const visited = await visit({ signedIn: true });
    const { page } = visited;
    const { keyboard } = page;
    await page.goto(`${url}/ada/wood/new-shape`);
    await page.getByLabel('Name', { exact: true }).fill('wild flower');
    await page.getByLabel('Field name').fill('colour');
    await press(page, 'Review');
    await page.getByRole('button', { name: 'Call it WildFlower' }).focus();
    await keyboard.press('Enter');
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Add WildFlower' }).waitFor();
    await page.goto(`${url}/ada/wood/edit/Tree/elm?step=rename`);
    await page.getByLabel('New name').fill('Old Elm');
    await keyboard.press('Enter');
    await page.getByRole('button', { name: 'Call it old-elm' }).focus();
    await expectWellMade(visited);
    await keyboard.press('Enter');
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Rename Tree/elm to Tree/old-elm' }).waitFor();
    await press(page, 'Commit 2 changes');
    await heading(page, 'Tree/old-elm');
    expect((await client.thing.get('ada', 'wood', 'Tree/old-elm')).version).toBe(1);
  });

  detail.each([
    ['brings it back', 'Bring it back, all of mine', true],
    ['leaves it', 'Leave it retracted', false],
  ])('of who changes what somebody retracted meanwhile: the person %s', async (_what, choice, isActive) => {
    const { url, client, visit } = await openExplorer(fill);
    const visited = await visit({ signedIn: true });
    const { page } = visited;
    await page.goto(`${url}/ada/wood/edit/Tree/elm`);
    await page.getByLabel('age').fill('81');
    await client.commit.submit('ada', 'wood', {
      operations: [{ operation: 'retract', name: 'Tree/elm', ...(isActive && { reason: 'The storm took it' }) }],
    });
    await press(page, 'Review');
    await page.getByText('To commit your change is to bring it back.').waitFor();
    await page.getByText(isActive ? 'The storm took it' : 'No reason was given').waitFor();
    expect(await page.getByRole('button', { name: 'All of theirs' }).count()).toBe(0);
    await expectWellMade(visited);
    await press(page, choice);
    if (isActive) {
      await page.getByRole('heading', { name: 'Bring back Tree/elm' }).waitFor();
      await press(page, 'Commit');
      await page.getByText('Committed as 3.').waitFor();
    } else {
      await page.getByText('There is nothing to commit.').waitFor();
    }
    const { active } = await client.thing.get('ada', 'wood', 'Tree/elm', { includeRetracted: true });
    expect(active).toBe(isActive);
  });
});

detail.each(SIZES)('what a number or JSON would lose is told before it is sent on a $device', async ({ size }) => {
  const { url, visit } = await openExplorer(fill);
  const visited = await visit({ size, signedIn: true });
  const { page } = visited;
  await page.goto(`${url}/ada/wood/edit/Tree/elm`);
  await page.getByLabel('age').fill('9007199254740993');
  await page.getByText('this would become 9007199254740992').waitFor();
  await expectWellMade(visited);
  await press(page, 'Review');
  expect(await page.getByLabel('age').and(page.locator(':focus')).inputValue()).toBe('9007199254740993');
  await page.getByLabel('age').fill('81');
  await expect.poll(() => page.getByText('this would become').count()).toBe(0);
  await press(page, 'As JSON');
  const editor = page.getByRole('textbox', { name: 'Data' });
  const write = async (text: string) => {
    await editor.press('Control+A');
    await page.keyboard.insertText(text);
  };
  const marked = page.locator('.cm-lintRange-error');
  await write('{"name": "The elm", "age": 81, "name": "Another"}');
  await page.getByText('The key at /name appears twice in its object. Write it once.').waitFor();
  await expect.poll(() => marked.allTextContents()).toEqual(['"name"']);
  expect(await page.getByRole('button', { name: 'Review' }).isDisabled()).toBe(true);
  await expectWellMade(visited);
  await write('{"name": "The elm", "age": 9007199254740993}');
  await page.getByText('The number 9007199254740993 at /age cannot be stored exactly.').waitFor();
  await expect.poll(() => marked.allTextContents()).toEqual(['9007199254740993']);
  await write('{"name": "The elm", "age": 82, "kind": "elm", "sound": true}');
  await press(page, 'Review');
  await heading(page, 'Your changes');
});
