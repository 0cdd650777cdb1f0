// Writing in the explorer: record forms made from shapes, several changes in one commit, undo, and concurrent edits.
import type { CairnClient } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import { detail, expectMissing, expectWellMade, openExplorer, SIZES } from '../support/explorer.ts';
import type { Page } from '../tools/chromium.ts';

const LOCATION = {
  label: { type: 'string', description: 'What people call it', minLength: 2 },
  'depth?': { type: 'number', minimum: 0 },
  'kind?': { type: 'string', enum: ['cave', 'hut'] },
  'open?': 'boolean',
  'next?': { type: 'wref', shape: 'Location' },
  'tags?': ['string'],
  'position?': { x: 'number', y: 'number' },
  'more?': 'json',
};

async function fill(client: CairnClient) {
  await client.repo.create('ada', 'world', { visibility: 'public' });
  await client.commit.submit('ada', 'world', {
    message: 'The first places',
    operations: [
      { kind: 'shape', name: 'Location', data: { fields: LOCATION } },
      { kind: 'shape', name: 'Belief', data: { fields: { safe: 'boolean' } } },
      { name: 'Location/hut', data: { label: 'A hut' } },
      {
        name: 'Location/cave',
        data: { label: 'A cave', depth: 3, next: 'Location/hut', tags: ['dark'], colour: 'grey' },
      },
    ],
  });
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

describe('writing in the explorer', () => {
  it.each(SIZES)('adds a record by a form made from its shape on a $device', async ({ size }) => {
    const { url, client, visit } = await openExplorer(fill);
    const visited = await visit({ size, signedIn: true });
    expectMissing(visited);
    const { page } = visited;
    await page.goto(`${url}/ada/world/records?shape=Location`);
    await page.getByRole('link', { name: 'Add a record' }).click();
    await heading(page, 'Add a record');
    await page.getByLabel('Name').fill('lake');
    // References get the same room as other texts, with an explanation.
    const widthOf = async (label: string) => (await page.getByLabel(label).boundingBox())?.width;
    expect(await widthOf('next')).toBe(await widthOf('label'));
    expect(await page.getByLabel('next').getAttribute('placeholder')).toBe('Search by name');
    await page.getByLabel('label').fill('L');
    await page.getByLabel('depth').fill('deep');
    await page.getByLabel('next').fill('Location/nowhere');
    await press(page, 'Review');
    // The server's message stands next to its field.
    await page.getByLabel('label').and(page.locator('[aria-invalid=true]')).waitFor();
    await page.getByText('expected a number, got "deep"').waitFor();
    await expectWellMade(visited);
    await page.getByLabel('label').fill('A lake');
    await page.getByLabel('depth').fill('12.5');
    await press(page, 'Review');
    await page.getByText('There is no record Location/nowhere').waitFor();
    await page.getByLabel('next').fill('Location/cave');
    await page.getByLabel('kind').selectOption('cave');
    await page.getByLabel('open').selectOption('yes');
    await press(page, 'Add to tags');
    await page.getByRole('textbox', { name: 'tags 1' }).fill('wet');
    await page.getByLabel('x', { exact: true }).fill('1');
    await page.getByLabel('y', { exact: true }).fill('-2');
    await page.getByLabel('more').fill('{"a": ');
    await page.getByText('This is not JSON yet').waitFor();
    for (const button of ['Save and add another', 'Review']) {
      await press(page, button);
      await page.getByLabel('more').and(page.locator(':focus:user-invalid')).waitFor();
    }
    await page.getByLabel('more').fill('{"a": [1]}');
    await press(page, 'Review');
    await heading(page, 'Your changes');
    await page.getByRole('heading', { name: 'Add Location/lake' }).waitFor();
    await expectWellMade(visited);
    await page.getByLabel('Message').fill('A lake was found');
    await press(page, 'Commit');
    await heading(page, 'Location/lake');
    await page.getByText('Committed as 2.').waitFor();
    await expectWellMade(visited);
    const { data } = await client.thing.get('ada', 'world', 'Location/lake');
    expect(data).toEqual({
      label: 'A lake',
      depth: 12.5,
      kind: 'cave',
      open: true,
      next: 'Location/cave@v1',
      tags: ['wet'],
      position: { x: 1, y: -2 },
      more: { a: [1] },
    });
    expect((await client.commit.get('ada', 'world', 2)).message).toBe('A lake was found');
  });

  it('revises, renames and retracts as one commit, shows the difference before it, and takes it back', async () => {
    const { url, client, visit } = await openExplorer(fill);
    const visited = await visit({ signedIn: true });
    const { page } = visited;
    await page.goto(`${url}/ada/world/record/Location/cave`);
    await page.getByRole('link', { name: 'Revise' }).click();
    await page.getByLabel('label').fill('A deep cave');
    await page.getByLabel('depth').fill('');
    await page.getByText('so they keep their values: colour').waitFor();
    await press(page, 'Review');
    const list = page.getByRole('listitem').filter({ hasText: 'Revise Location/cave' });
    await list.getByText('A deep cave').waitFor();
    await list.getByText('Removed').waitFor();
    await page.getByRole('link', { name: 'Edit: Revise Location/cave' }).click();
    expect(await page.getByLabel('label').inputValue()).toBe('A deep cave');
    await page.getByRole('link', { name: 'Rename' }).click();
    await page.getByLabel('New name').fill('hut');
    await press(page, 'Review');
    await page.getByText('Location/hut exists already').waitFor();
    await page.getByLabel('New name').fill('Location/cavern');
    await press(page, 'Review');
    await heading(page, 'Your changes');
    await page.getByRole('link', { name: 'Edit: Rename Location/cave' }).click();
    await expect.poll(() => page.getByLabel('New name').inputValue()).toBe('cavern');
    await page.getByRole('link', { name: 'Review' }).click();
    await page.getByRole('link', { name: 'Records' }).click();
    await page.getByText('2 changes are not committed yet.').waitFor();
    await page.getByRole('link', { name: 'Location/hut', exact: true }).first().click();
    await page.getByRole('link', { name: 'Retract' }).click();
    await page.getByLabel('Reason').fill('It fell');
    await press(page, 'Review');
    await expectWellMade(visited);
    expect((await client.repo.get('ada', 'world')).repoSeq).toBe(1);
    await press(page, 'Commit 3 changes');
    await page.getByText('Committed as 2.').waitFor();
    expect(await client.thing.get('ada', 'world', 'Location/cavern')).toMatchObject({
      version: 2,
      data: { label: 'A deep cave', tags: ['dark'], colour: 'grey' },
    });
    const hut = () => client.thing.get('ada', 'world', 'Location/hut', { includeRetracted: true });
    expect(await hut()).toMatchObject({ active: false, reason: 'It fell' });
    await press(page, 'Revert commit 2');
    await page.getByText('Commit 3 reverted commit 2').waitFor();
    expect(await hut()).toMatchObject({ active: true, data: { label: 'A hut' } });
    expect(await client.thing.get('ada', 'world', 'Location/cave')).toMatchObject({
      data: { label: 'A cave', depth: 3, colour: 'grey' },
    });
  });

  detail('takes back an older commit, and begins with an older version', async () => {
    const { url, client, visit } = await openExplorer(fill);
    const { page } = await visit({ signedIn: true });
    const submit = (...operations: object[]) => client.commit.submit('ada', 'world', { operations });
    await submit(
      { operation: 'revise', name: 'Location/cave', data: { label: 'Second' } },
      { operation: 'retract', name: 'Location/hut' },
      { name: 'Location/lake', data: { label: 'A lake' } },
    );
    await submit({ operation: 'revise', name: 'Location/cave', data: { label: 'Third' } });
    await page.goto(`${url}/ada/world/commits/2`);
    await press(page, 'Revert this commit…');
    await heading(page, 'Your changes');
    for (const title of ['Revise Location/cave', 'Restore Location/hut', 'Retract Location/lake']) {
      await page.getByRole('heading', { name: title }).waitFor();
    }
    // Fields that only the commit changed are reverted; the label, which both changed, is left to the user.
    await page.getByText('It is at version 3 now; the commit wrote 2').waitFor();
    await page
      .getByRole('group', { name: 'label' })
      .getByRole('radio', { name: /^Before the commit/ })
      .check();
    await press(page, 'Use the selected values');
    await press(page, 'Commit 3 changes');
    await page.getByText('Committed as 4.').waitFor();
    const names = async () =>
      (await client.thing.head('ada', 'world', { kind: 'thing' })).items.map(({ name }) => name);
    expect((await names()).sort()).toEqual(['Location/cave', 'Location/hut']);
    expect(await client.thing.get('ada', 'world', 'Location/cave')).toMatchObject({
      data: { label: 'A cave', depth: 3, colour: 'grey' },
    });
    await page.goto(`${url}/ada/world/record/Location/cave?version=3`);
    await page.getByRole('link', { name: 'Revise from this version' }).click();
    await expect.poll(() => page.getByLabel('label').inputValue()).toBe('Third');
    await press(page, 'Review');
    await press(page, 'Commit');
    await page.getByText('Committed as 5.').waitFor();
    expect(await client.thing.get('ada', 'world', 'Location/cave')).toMatchObject({ data: { label: 'Third' } });
  });

  detail('keeps changes apart by their names, refers to what is only drafted, and discards all of them', async () => {
    const { url, client, visit } = await openExplorer(fill);
    const { page } = await visit({ signedIn: true });
    await page.goto(`${url}/ada/world/new?shape=Location`);
    await page.getByLabel('Name').fill('lake');
    await page.getByLabel('label').fill('A lake');
    await press(page, 'Edit as JSON');
    await page.getByRole('textbox', { name: 'Data' }).press('Control+A');
    await page.keyboard.type('{"label": ');
    await page.getByText('This is not JSON yet: expected').waitFor();
    expect(await page.getByRole('button', { name: 'Save and add another' }).isDisabled()).toBe(true);
    await page.keyboard.type('"A lake"');
    await press(page, 'Edit as form');
    await press(page, 'Add to tags');
    // An added item gets the focus. Empty items are not sent.
    await page.keyboard.type('wet');
    await press(page, 'Add to tags');
    await press(page, 'Save and add another');
    await page.getByText('Location/lake was added to your draft').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.labels?.[0]?.textContent')).toBe('Name');
    await page.keyboard.type('lake');
    await page.getByLabel('label').fill('Another lake');
    await press(page, 'Review');
    await page.getByText('Your draft already adds Location/lake').waitFor();
    await page.getByLabel('Name').fill('mere');
    await page.getByLabel('next').fill('lak');
    await page.getByRole('option', { name: 'Location/lake' }).click();
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.message());
      void dialog.dismiss();
    });
    await page.getByRole('navigation', { name: 'Repository' }).getByRole('link', { name: 'Shapes' }).click();
    await expect.poll(() => asked.length).toBe(1);
    await press(page, 'Review');
    await page.getByRole('heading', { name: 'Add Location/mere' }).waitFor();
    await page.getByText('wet').waitFor();
    expect(await page.getByText('empty text').count()).toBe(0);
    const [commit, discard] = await Promise.all(
      [/^Commit/, 'Discard all'].map((name) => page.getByRole('button', { name }).boundingBox()),
    );
    expect(discard?.y).toBe(commit?.y);
    await press(page, 'Discard all');
    await page.getByRole('dialog').getByRole('button', { name: 'Discard all' }).click();
    await page.getByText('Your draft is empty.').waitFor();
    expect((await client.repo.get('ada', 'world')).repoSeq).toBe(1);
  });

  detail('brings a retracted record back', async () => {
    const { url, client, visit } = await openExplorer(fill);
    const { page } = await visit({ signedIn: true });
    await page.goto(`${url}/ada/world/edit/Location/cave?step=retract`);
    await press(page, 'Review');
    await press(page, 'Commit');
    await page.getByText('This record is retracted. Lists do not show it').waitFor();
    await press(page, 'Revert commit 2');
    await page.getByText('reverted commit 2').waitFor();
    expect(await client.thing.get('ada', 'world', 'Location/cave')).toMatchObject({ active: true, version: 3 });
    await client.commit.submit('ada', 'world', {
      operations: [{ operation: 'retract', name: 'Location/cave', reason: 'It fell' }],
    });
    await page.getByRole('link', { name: 'Restore' }).click();
    await press(page, 'Review');
    await page.getByRole('heading', { name: 'Restore Location/cave' }).waitFor();
    await press(page, 'Commit');
    await page.getByText('Committed as 5.').waitFor();
    expect(await client.thing.get('ada', 'world', 'Location/cave')).toMatchObject({ active: true, version: 5 });
    await press(page, 'Revert commit 5');
    await page.getByText('reverted commit 5').waitFor();
    expect(await client.thing.get('ada', 'world', 'Location/cave', { includeRetracted: true })).toMatchObject({
      active: false,
      reason: 'It fell',
    });
  });

  it.each(SIZES)(
    'shows both sides where somebody was faster, and lets the person choose, on a $device',
    async ({ size }) => {
      const { url, client, visit } = await openExplorer(fill);
      const visited = await visit({ size, signedIn: true });
      const { page } = visited;
      await page.goto(`${url}/ada/world/edit/Location/cave`);
      await page.getByLabel('label').fill('Mine');
      await page.getByLabel('kind').selectOption('cave');
      const theirs = { label: 'Theirs', depth: 9, next: 'Location/hut', tags: ['dark'], colour: 'grey' };
      await client.commit.submit('ada', 'world', {
        operations: [{ operation: 'revise', name: 'Location/cave', data: theirs }],
      });
      await press(page, 'Review');
      await page.getByText('It is at version 2 now; you started from 1').waitFor();
      const side = (field: string, name: string) =>
        page.getByRole('group', { name: field }).getByRole('radio', { name: new RegExp(`^${name}`) });
      expect(await side('depth', 'Theirs').isChecked()).toBe(true);
      expect(await side('kind', 'Mine').isChecked()).toBe(true);
      expect(await page.getByRole('button', { name: 'Use the selected values' }).isDisabled()).toBe(true);
      await page.getByText('Choose a side for label, or use all values of one side.').waitFor();
      await side('label', 'Mine').check();
      await expectWellMade(visited);
      await press(page, 'Use the selected values');
      await press(page, 'Commit');
      await page.getByText('Committed as 3.').waitFor();
      expect(await client.thing.get('ada', 'world', 'Location/cave')).toMatchObject({
        version: 3,
        data: { label: 'Mine', depth: 9, kind: 'cave' },
      });
    },
  );

  detail('begins with what is there now, where a form was open before', async () => {
    const { url, client, visit } = await openExplorer(fill);
    const { page } = await visit({ signedIn: true });
    await page.goto(`${url}/ada/world/edit/Location/cave`);
    await page.getByLabel('label').waitFor();
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Commits' }).click();
    await heading(page, 'Commits');
    // The list has loaded, so the new commit and record can only arrive through the live stream.
    await page.locator('a[href$="/commits/1"]').first().waitFor();
    const theirs = { operation: 'revise', name: 'Location/cave', data: { label: 'Theirs' } };
    const { repoSeq } = await client.commit.submit('ada', 'world', { operations: [theirs] });
    await page.locator(`a[href$="/commits/${repoSeq}"]`).first().waitFor();
    await page.goBack();
    await expect.poll(() => page.getByLabel('label').inputValue()).toBe('Theirs');
    expect(await page.getByText('Meanwhile').count()).toBe(0);
  });

  detail('leads on at once, whatever else takes its time', async () => {
    const { url, visit } = await openExplorer(fill);
    const { page } = await visit({ signedIn: true });
    await page.goto(`${url}/ada/world/edit/Location/cave`);
    await page.getByLabel('label').fill('Mine');
    await press(page, 'Review');
    await heading(page, 'Your changes');
    await page.route('**/trpc/*repo.get*', () => undefined);
    await press(page, 'Commit');
    await heading(page, 'Location/cave');
    await page.getByText('Mine').first().waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  detail('notices who was faster at the very moment of the commit, and while the draft is open', async () => {
    const { url, client, visit } = await openExplorer(fill);
    const { page } = await visit({ signedIn: true });
    await page.goto(`${url}/ada/world/edit/Location/cave?step=retract`);
    await page.getByLabel('Reason (optional)').fill('It fell in');
    await press(page, 'Review');
    await heading(page, 'Your changes');
    await client.commit.submit('ada', 'world', {
      operations: [{ operation: 'revise', name: 'Location/cave', data: { label: 'Theirs' } }],
    });
    await page.getByText('It is at version 2 now; you started from 1').waitFor();
    await page.getByText('Meanwhile, ada').waitFor();
    expect(await page.getByRole('button', { name: 'Commit', exact: true }).isDisabled()).toBe(true);
    await press(page, 'Retract anyway');
    await press(page, 'Commit');
    await page.getByText('Committed as 3.').waitFor();
    expect((await client.commit.get('ada', 'world', 3)).message).toBe('Retract Location/cave: It fell in');
    const { active } = await client.thing.get('ada', 'world', 'Location/cave', { includeRetracted: true });
    expect(active).toBe(false);
  });

  it('says something about a record, and gathers records, by the keyboard alone', async () => {
    const { url, client, visit } = await openExplorer(fill);
    const visited = await visit({ signedIn: true });
    const { page } = visited;
    const { keyboard } = page;
    await page.goto(`${url}/ada/world/record/Location/cave`);
    await page.getByRole('link', { name: 'Add an assertion' }).focus();
    await keyboard.press('Enter');
    await heading(page, 'Add a record');
    await page.getByLabel('Shape').focus();
    await keyboard.type('Bel');
    await page.getByLabel('safe').waitFor();
    expect(await page.getByLabel('About').inputValue()).toBe('Location/cave');
    await page.getByLabel('Name').focus();
    await keyboard.type('cave-safe');
    await page.getByLabel('safe').focus();
    await keyboard.type('yes');
    await page.getByRole('button', { name: 'Review' }).focus();
    await keyboard.press('Enter');
    await heading(page, 'Your changes');
    await page.getByRole('link', { name: 'Add another record' }).focus();
    await keyboard.press('Enter');
    await heading(page, 'Add a record');
    await page.getByLabel('What to add').focus();
    await keyboard.type('Coll');
    await page.getByLabel('from').focus();
    await keyboard.type('Location/cave');
    await keyboard.press('Escape');
    await page.getByLabel('to', { exact: true }).focus();
    await keyboard.type('Location/hut');
    await keyboard.press('Escape');
    await page.getByRole('button', { name: 'Review' }).focus();
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Add an arc' }).waitFor();
    await page.getByRole('button', { name: 'Commit 2 changes' }).focus();
    await keyboard.press('Enter');
    await page.getByText('Committed as 2.').waitFor();
    await expectWellMade(visited);
    const about = await client.thing.about('ada', 'world', 'Location/cave');
    expect(about.items).toMatchObject([{ name: 'Belief/cave-safe', data: { safe: true } }]);
    const arcs = await client.thing.head('ada', 'world', { kind: 'collection' });
    expect(arcs.items).toMatchObject([
      { collection: 'arc', data: { from: 'Location/cave@v1', to: 'Location/hut@v1' } },
    ]);
  });

  it('edits data as JSON, with completion, and refuses what is none', async () => {
    const { url, client, visit } = await openExplorer(fill);
    const visited = await visit({ signedIn: true });
    const { page } = visited;
    await page.goto(`${url}/ada/world/edit/Location/hut`);
    await press(page, 'Edit as JSON');
    const editor = page.getByRole('textbox', { name: 'Data' });
    await editor.press('Control+A');
    await page.keyboard.type('{"label": ');
    await page.getByText('This is not JSON yet: expected').waitFor();
    expect(await page.getByRole('button', { name: 'Review' }).isDisabled()).toBe(true);
    await page.keyboard.type('7');
    await press(page, 'Review');
    const refusal = page.getByText('label: expected a string, got 7');
    await refusal.waitFor();
    // A problem disappears when the data changes.
    await editor.press('Control+A');
    await page.keyboard.type('{"label": "A new hut", "colour": "red"');
    await expect.poll(() => refusal.count()).toBe(0);
    await expectWellMade(visited);
    await press(page, 'Review');
    await page.getByText('The shape does not declare these fields: colour.').waitFor();
    await press(page, 'Commit');
    await page.getByText('Committed as 2.').waitFor();
    expect((await client.thing.get('ada', 'world', 'Location/hut')).data).toEqual({
      label: 'A new hut',
      colour: 'red',
    });
    await expectWellMade(visited);
  });
});
