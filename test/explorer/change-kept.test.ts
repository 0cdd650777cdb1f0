// A tab keeps the draft and unfinished forms of its user.
import type { CairnClient } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import { detail, expectMissing, expectWellMade, openExplorer, SIZES, whileAsked } from '../support/explorer.ts';
import { IS_LONG } from '../support/suite.ts';
import type { Page } from '../tools/chromium.ts';

async function fill(client: CairnClient) {
  await client.repo.create('ada', 'world', { visibility: 'public' });
  await client.shape.create('ada', 'world', 'Place', { fields: { label: 'string' } });
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const label = (page: Page) => page.getByLabel('label');
const NOTHING = 'Your draft is empty.';
const kept = (page: Page) => page.evaluate("sessionStorage.getItem('cairn-drafts')");
const begun = (page: Page) => page.evaluate("sessionStorage.getItem('cairn-forms')");
const HERE_AGAIN = 'Your earlier input was restored. It is not in your draft yet.';

async function draftCave(page: Page, text: string): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill('cave');
  await label(page).fill(text);
  await press(page, 'Review');
  await page.getByRole('heading', { name: 'Add Place/cave' }).waitFor();
}

it.each(SIZES)('a draft is there again when the page is loaded anew on a $device', async ({ size }) => {
  const { url, client, visit } = await openExplorer(fill);
  const visited = await visit({ size, signedIn: true });
  const { page } = visited;
  page.on('dialog', (dialog) => void dialog.accept());
  await page.goto(`${url}/ada/world/new`);
  await draftCave(page, 'A cave');
  await page.getByText('stored in this tab only. They survive a reload.').waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Add Place/cave' }).waitFor();
  await expectWellMade(visited);
  await page.getByRole('link', { name: 'Edit: Add Place/cave' }).click();
  await label(page).waitFor();
  await page.reload();
  await expect.poll(() => label(page).inputValue()).toBe('A cave');
  await page.goto(`${url}/ada/world/draft`);
  await press(page, 'Commit');
  await page.getByText('Committed as 2.').waitFor();
  expect((await client.thing.get('ada', 'world', 'Place/cave')).data).toEqual({ label: 'A cave' });
  expect(await kept(page)).toBeNull();
  await page.goto(`${url}/ada/world/draft`);
  await page.getByText(NOTHING).waitFor();
});

detail.each(SIZES)('what is dropped from a draft, or all of it, is put back on a $device', async ({ size }) => {
  const { url, visit } = await openExplorer(fill);
  const visited = await visit({ size, signedIn: true });
  const { page } = visited;
  await page.goto(`${url}/ada/world/new`);
  await draftCave(page, 'A cave');
  await page.getByRole('link', { name: 'Add another record' }).click();
  await page.getByLabel('Name', { exact: true }).fill('lake');
  await label(page).fill('A lake');
  await press(page, 'Review');
  const titles = () => page.locator('.draft-changes h2').allTextContents();
  await expect.poll(titles).toEqual(['Add Place/cave', 'Add Place/lake']);
  await press(page, 'Discard: Add Place/cave');
  await page.getByText('Discarded: Add Place/cave.').waitFor();
  expect(await titles()).toEqual(['Add Place/lake']);
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('content');
  await expectWellMade(visited);
  await press(page, 'Undo');
  await page.getByText('1 change is back in your draft.').waitFor();
  expect(await titles()).toEqual(['Add Place/cave', 'Add Place/lake']);
  await press(page, 'Discard all');
  await page.getByRole('dialog').getByRole('button', { name: 'Discard all' }).click();
  await page.getByText(NOTHING).waitFor();
  expect(await kept(page)).toBeNull();
  await press(page, 'Undo');
  await expect.poll(titles).toEqual(['Add Place/cave', 'Add Place/lake']);
  expect(await kept(page)).not.toBeNull();
});

detail('what is dropped is not put back where something else has its place, and that is told', async () => {
  const { url, visit } = await openExplorer(fill);
  const { page } = await visit({ signedIn: true });
  await page.goto(`${url}/ada/world/new`);
  await draftCave(page, 'A cave');
  await press(page, 'Discard: Add Place/cave');
  await page.getByRole('link', { name: 'Add a record' }).click();
  await draftCave(page, 'Another cave');
  await press(page, 'Undo');
  await page.getByText('Not restored: Add Place/cave. Your draft now has another change to it.').waitFor();
  await page.getByText('Another cave').waitFor();
  await page.getByRole('link', { name: 'Add another record' }).click();
  await page.getByLabel('What to add').selectOption('assertion');
  await page.getByLabel('Shape').selectOption('Place');
  await page.getByLabel('About').fill('Place/cave');
  await page.keyboard.press('Escape');
  await label(page).fill('It is dry');
  await press(page, 'Review');
  await page.getByText('About Place/cave in your draft').waitFor();
  expect(await page.getByRole('link', { name: 'Place/cave', exact: true }).count()).toBe(0);
});

it('a draft is gone once its writer has signed out', async () => {
  const { url, visit } = await openExplorer(fill);
  const { page } = await visit({ signedIn: true });
  page.on('dialog', (dialog) => void dialog.accept());
  await page.goto(`${url}/ada/world/new`);
  await draftCave(page, 'A cave');
  await page.goto(`${url}/auth/account`);
  await press(page, 'Sign out');
  await page.goto(`${url}/ada/world`);
  await page.getByRole('link', { name: 'Sign in' }).waitFor();
  await expect.poll(() => kept(page)).toBeNull();
});

detail('a draft that is too large is on its page only, and says so', async () => {
  const { url, visit } = await openExplorer(fill);
  const { page } = await visit({ signedIn: true });
  page.on('dialog', (dialog) => void dialog.accept());
  await page.goto(`${url}/ada/world/new`);
  // Simulates a full session storage.
  await page.evaluate("Storage.prototype.setItem = () => { throw new Error('There is no room.'); }");
  await draftCave(page, 'A cave');
  await page.getByText('the browser has no space to store them').waitFor();
  await page.reload();
  await page.getByText(NOTHING).waitFor();
});

detail.each(SIZES)(
  'what was typed into a form is there again when the page is loaded anew on a $device',
  async ({ size }) => {
    const { url, client, visit } = await openExplorer(async (owner) => {
      await fill(owner);
      await owner.commit.submit('ada', 'world', { operations: [{ name: 'Place/lake', data: { label: 'A lake' } }] });
    });
    const visited = await visit({ size, signedIn: true });
    const { page } = visited;
    page.on('dialog', (dialog) => void dialog.accept());
    await page.goto(`${url}/ada/world/new?kind=assertion&shape=Place&about=Place/lake`);
    expect(await page.getByText(HERE_AGAIN).count()).toBe(0);
    await page.getByLabel('Name', { exact: true }).fill('deep');
    await label(page).fill('It is deep');
    await page.reload();
    await page.getByText(HERE_AGAIN).waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('deep');
    expect(await label(page).inputValue()).toBe('It is deep');
    await expectWellMade(visited);
    await press(page, 'Start over');
    expect(await label(page).inputValue()).toBe('');
    expect(await page.getByLabel('About').and(page.locator(':focus')).inputValue()).toBe('Place/lake');
    expect(await begun(page)).toBeNull();
    await page.goto(`${url}/ada/world/edit/Place/lake`);
    await label(page).fill('A dry lake');
    await page.reload();
    await page.getByText(HERE_AGAIN).waitFor();
    await page.getByRole('link', { name: 'Rename' }).click();
    await page.getByRole('link', { name: 'Revise' }).click();
    await expect.poll(() => label(page).inputValue()).toBe('A dry lake');
    // A form that is out of date says so, and offers to start again from the newer version.
    const operations = [{ operation: 'revise', name: 'Place/lake', data: { label: 'A cold lake' } }] as const;
    await client.commit.submit('ada', 'world', { operations: [...operations] });
    await page.reload();
    await page.getByText('It is at version 2 now; you started from 1').waitFor();
    await page.getByText(HERE_AGAIN).waitFor();
    await expectWellMade(visited);
    expect(await page.getByRole('button', { name: /^Start over/ }).allTextContents()).toEqual([
      'Start over from version 2',
    ]);
    await press(page, 'Start over from version 2');
    expect(await label(page).inputValue()).toBe('A cold lake');
    await label(page).fill('A dry lake');
    await press(page, 'Review');
    await press(page, 'Commit');
    await page.getByText('Committed as 4.').waitFor();
    expect((await client.thing.get('ada', 'world', 'Place/lake')).data).toEqual({ label: 'A dry lake' });
    expect(await begun(page)).toBeNull();
  },
);

detail('JSON that is none yet is there again too, as it stands', async () => {
  const { url, client, visit } = await openExplorer(fill);
  const visited = await visit({ signedIn: true });
  const { page } = visited;
  page.on('dialog', (dialog) => void dialog.accept());
  await page.goto(`${url}/ada/world/new`);
  await page.getByLabel('Name', { exact: true }).fill('cave');
  await press(page, 'Edit as JSON');
  const editor = page.getByRole('textbox', { name: 'Data' });
  const write = async (text: string) => {
    await editor.press('Control+A');
    await page.keyboard.insertText(text);
  };
  await write('{"label": "A cave');
  await page.getByText('expected the closing double quote of a string at line 1, column 18').waitFor();
  await page.reload();
  await page.getByText(HERE_AGAIN).waitFor();
  await expect.poll(() => editor.textContent()).toBe('{"label": "A cave');
  await page.getByText('expected the closing double quote of a string at line 1, column 18').waitFor();
  expect(await page.getByRole('button', { name: 'Review' }).isDisabled()).toBe(true);
  await expectWellMade(visited);
  await write('{"label": "A deep cave"}');
  await press(page, 'Edit as form');
  expect(await label(page).inputValue()).toBe('A deep cave');
  await press(page, 'Review');
  await press(page, 'Commit');
  await page.getByText('Committed as 2.').waitFor();
  expect((await client.thing.get('ada', 'world', 'Place/cave')).data).toEqual({ label: 'A deep cave' });
});

detail.each(SIZES)('a form that the tab has no room for says so once on a $device', async ({ size }) => {
  const { url, visit } = await openExplorer(fill);
  const visited = await visit({ size, signedIn: true });
  const { page } = visited;
  await page.goto(`${url}/ada/world/new`);
  await label(page).fill('A cave');
  const noRoom = page.getByText('The browser has no space to store your input');
  expect(await noRoom.count()).toBe(0);
  await page.evaluate("Storage.prototype.setItem = () => { throw new Error('There is no room.'); }");
  await label(page).fill('A large cave');
  await noRoom.waitFor();
  await expectWellMade(visited);
  await press(page, 'Close');
  await label(page).fill('A larger cave');
  expect(await noRoom.count()).toBe(0);
});

detail('what was typed into a form is gone once it is left, or its writer has signed out', async () => {
  const { url, visit } = await openExplorer(fill);
  const { page } = await visit({ signedIn: true });
  page.on('dialog', (dialog) => void dialog.accept());
  await page.goto(`${url}/ada/world/new`);
  await label(page).fill('A cave');
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('link', { name: 'Add readme' }).click();
  expect(await begun(page)).toBeNull();
  await page.getByRole('textbox', { name: 'Readme' }).fill('# The valley');
  await page.reload();
  await page.getByText(HERE_AGAIN).waitFor();
  expect(await page.getByRole('textbox', { name: 'Readme' }).inputValue()).toBe('# The valley');
  await page.goto(`${url}/ada/world/new-shape`);
  await page.getByLabel('Name', { exact: true }).first().fill('Tree');
  await page.reload();
  await page.getByText(HERE_AGAIN).waitFor();
  expect(await page.getByLabel('Name', { exact: true }).first().inputValue()).toBe('Tree');
  await page.goto(`${url}/auth/account`);
  await press(page, 'Sign out');
  await page.goto(`${url}/ada/world`);
  await page.getByRole('link', { name: 'Sign in' }).waitFor();
  await expect.poll(() => begun(page)).toBeNull();
});

detail('what is begun goes along when its repository, or its organization, has another name', async () => {
  const { url, client, visit } = await openExplorer(async (owner) => {
    await owner.org.create('acme');
    await owner.repo.create('acme', 'world');
    await owner.shape.create('acme', 'world', 'Place', { fields: { label: 'string' } });
  });
  const { page } = await visit({ signedIn: true });
  page.on('dialog', (dialog) => void dialog.accept());
  await page.goto(`${url}/acme/world/new`);
  await draftCave(page, 'A cave');
  await page.goto(`${url}/acme/world/new-shape`);
  await page.getByLabel('Name', { exact: true }).first().fill('Path');
  const rename = async (address: string, name: string) => {
    await page.goto(`${url}${address}`);
    await page.getByRole('form', { name: 'Rename' }).getByLabel('Name').fill(name);
    await press(page, 'Rename');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await page.getByText(new RegExp(`Renamed to .*${name}`)).waitFor();
  };
  await rename('/acme/world/settings', 'caves');
  await rename('/acme/-/settings', 'maps');
  await page.goto(`${url}/maps/caves/new-shape`);
  await page.getByText(HERE_AGAIN).waitFor();
  await page.goto(`${url}/maps/caves/draft`);
  await press(page, 'Commit');
  await page.getByText('Committed as 2.').waitFor();
  expect((await client.thing.get('maps', 'caves', 'Place/cave')).data).toEqual({ label: 'A cave' });
  expect(await kept(page)).toBeNull();
});

detail.each(SIZES)(
  'a draft is found again when somebody else renamed its repository on a $device',
  async ({ size }) => {
    const { url, client, visit } = await openExplorer(fill);
    const visited = await visit({ size, signedIn: true });
    expectMissing(visited);
    const { page } = visited;
    page.on('dialog', (dialog) => void dialog.accept());
    await page.goto(`${url}/ada/world/new`);
    await draftCave(page, 'A cave');
    await client.repo.rename('ada', 'world', { newName: 'caves' });
    await page.goto(url);
    await page.getByText('The repository no longer exists under this name, or you do not have access').waitFor();
    await expectWellMade(visited);
    await page.getByRole('link', { name: 'ada/world' }).click();
    await page.getByText('The repository of your draft was renamed to ada/caves.').waitFor();
    await page.getByText('1 change is not committed yet.').waitFor();
    await expectWellMade(visited);
    // Another repository that takes the name must not take the draft.
    await client.repo.create('ada', 'world', {});
    await page.goto(`${url}/ada/world/draft`);
    await page.getByText('Your draft belongs to another repository, which formerly had this name.').waitFor();
    await expectWellMade(visited);
    await press(page, 'Continue in ada/caves');
    await page.getByRole('heading', { name: 'Add Place/cave' }).waitFor();
    await press(page, 'Commit');
    await page.getByText('Committed as 2.').waitFor();
    expect((await client.thing.get('ada', 'caves', 'Place/cave')).data).toEqual({ label: 'A cave' });
    expect(await page.evaluate("sessionStorage.getItem('cairn-draft-origins')")).toBeNull();
  },
);

const FATES = [
  {
    fate: 'renamed',
    meet: (client: CairnClient) => client.repo.rename('ada', 'world', { newName: 'caves' }),
    told: 'The repository of your draft was renamed to ada/caves.',
  },
  {
    fate: 'deleted',
    meet: (client: CairnClient) => client.repo.delete('ada', 'world'),
    told: 'The repository of your draft was deleted',
  },
];

describe.runIf(IS_LONG).each(FATES)('a draft whose repository was $fate', ({ meet, told }) => {
  it.each([
    ['checked', 'validate', (page: Page) => page.getByRole('link', { name: 'Review', exact: true }).click()],
    ['committed', 'submit', (page: Page) => press(page, 'Commit')],
  ])('says so when it is %s', async (_when, call, ask) => {
    const { url, client, visit } = await openExplorer(fill);
    const visited = await visit({ signedIn: true });
    expectMissing(visited);
    const { page } = visited;
    await page.goto(`${url}/ada/world/new`);
    await draftCave(page, 'A cave');
    if (call === 'validate') await page.goto(`${url}/ada/world`);
    await whileAsked(page, `commit.${call}`, () => meet(client));
    await ask(page);
    await page.getByText(told).waitFor();
    await page.getByRole('heading', { level: 1, name: 'Repository not found' }).waitFor();
    expect(await page.getByText('Live', { exact: true }).count()).toBe(0);
    await expectWellMade(visited);
  });
});

detail('a draft of a repository that was deleted says so, and can be dropped', async () => {
  const { url, client, visit } = await openExplorer(fill);
  const visited = await visit({ signedIn: true });
  const { page } = visited;
  page.on('dialog', (dialog) => void dialog.accept());
  await page.goto(`${url}/ada/world/new`);
  await draftCave(page, 'A cave');
  await client.repo.delete('ada', 'world');
  await page.reload();
  await page.getByText('The repository of your draft was deleted').waitFor();
  await page.getByRole('link', { name: 'the settings of ada' }).waitFor();
  await page.getByRole('link', { name: 'all repositories' }).click();
  await page.getByText('The repository no longer exists under this name, or you do not have access').waitFor();
  await press(page, 'Discard all');
  await page.getByRole('dialog').getByRole('button', { name: 'Discard all' }).click();
  await page.getByText('Your draft was discarded').waitFor();
  expect(await page.getByRole('heading', { name: 'Your drafts' }).count()).toBe(0);
  expect(await kept(page)).toBeNull();
});
