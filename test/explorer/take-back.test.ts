// Taking back an older commit keeps the later edits of others.
import type { CairnClient } from '@cairn/sdk';
import { expect, it } from 'vitest';
import { detail, expectWellMade, openExplorer, SIZES } from '../support/explorer.ts';
import type { Locator, Page } from '../tools/chromium.ts';

async function fill(client: CairnClient) {
  await client.repo.create('ada', 'wood', { visibility: 'public' });
  const submit = (...operations: object[]) => client.commit.submit('ada', 'wood', { operations });
  await submit(
    { kind: 'shape', name: 'Bird', data: { fields: { label: 'string', 'wingspan?': 'number', 'note?': 'string' } } },
    { name: 'Bird/owl', data: { label: 'Owl', wingspan: 90 } },
  );
  await submit(
    { operation: 'revise', name: 'Bird/owl', data: { label: 'Owl', wingspan: 900 } },
    { name: 'Bird/jay', data: { label: 'Jay' } },
  );
  await submit(
    { operation: 'revise', name: 'Bird/owl', data: { label: 'Owl', wingspan: 900, note: 'Heard at night' } },
    { operation: 'revise', name: 'Bird/jay', data: { label: 'Jay', note: 'Blue' } },
  );
  await submit({ operation: 'rename', name: 'Bird/owl', newName: 'Bird/tawny-owl' });
}

const shapeOf = (...names: string[]) => ({ fields: Object.fromEntries(names.map((name) => [name, 'string'])) });

const colourOf = (text: Locator) =>
  text.evaluate((shown) => shown.ownerDocument.defaultView?.getComputedStyle(shown).color);
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

it('a commit is taken back without what was done since, of a record that was renamed too', async () => {
  const { url, client, visit } = await openExplorer(fill);
  const visited = await visit({ signedIn: true });
  const { page } = visited;
  await page.goto(`${url}/ada/wood/commits/2`);
  await press(page, 'Revert this commit…');
  const change = (name: string) => page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) });
  await change('Revise Bird/tawny-owl').getByText('wrote version 3').waitFor();
  await change('Retract Bird/jay').getByText('Retracting it also retracts that version.').waitFor();
  await expectWellMade(visited);
  await press(page, 'Commit 2 changes');
  await page.getByText('Committed as 5.').waitFor();
  expect((await client.commit.get('ada', 'wood', 5)).message).toBe('Revert commit 2');
  expect(await client.thing.get('ada', 'wood', 'Bird/tawny-owl')).toMatchObject({
    data: { label: 'Owl', wingspan: 90, note: 'Heard at night' },
  });
  await page.goto(`${url}/ada/wood/commits/4`);
  await press(page, 'Revert this commit…');
  await page.getByRole('heading', { name: 'Rename Bird/tawny-owl to Bird/owl' }).waitFor();
});

detail('a change of a shape is taken back field by field: what it got since stays', async () => {
  const { url, client, visit } = await openExplorer(async (client) => {
    await client.repo.create('ada', 'wood', {});
    for (const names of [['label'], ['label', 'wings?'], ['label', 'wings?', 'song?']]) {
      const operation = names.length === 1 ? 'add' : 'revise';
      await client.commit.submit('ada', 'wood', {
        operations: [{ operation, kind: 'shape', name: 'Bird', data: shapeOf(...names) }],
      });
    }
  });
  const { page } = await visit({ signedIn: true });
  await page.goto(`${url}/ada/wood/commits/2`);
  await press(page, 'Revert this commit…');
  await page.getByText('Other fields keep their current values.').waitFor();
  await press(page, 'Commit');
  await page.getByText('Committed as 4.').waitFor();
  expect((await client.shape.get('ada', 'wood', 'Bird')).data).toEqual(shapeOf('label', 'song?'));
});

detail('a change of a shape and of a record that needs it are taken back together, at once and later', async () => {
  const { url, client, visit } = await openExplorer(async (client) => {
    await client.repo.create('ada', 'wood', {});
    await client.commit.submit('ada', 'wood', {
      operations: [
        { kind: 'shape', name: 'Bird', data: shapeOf('label') },
        { name: 'Bird/owl', data: { label: 'Owl' } },
      ],
    });
  });
  const visited = await visit({ signedIn: true });
  const { page } = visited;
  const standing = async () => [
    (await client.shape.get('ada', 'wood', 'Bird')).data,
    (await client.thing.get('ada', 'wood', 'Bird/owl')).data,
  ];
  const before = await standing();
  await page.goto(`${url}/ada/wood/edit-shape/Bird`);
  await press(page, 'Add a field');
  await page.getByRole('group', { name: 'Field 2' }).getByLabel('Field name').fill('note');
  await press(page, 'Review');
  await page.getByRole('heading', { name: 'Revise Bird' }).waitFor();
  await page.goto(`${url}/ada/wood/edit/Bird/owl`);
  await page.getByLabel('note').fill('Heard at night');
  await press(page, 'Review');
  await press(page, 'Commit 2 changes');
  await press(page, 'Revert commit 2');
  await page.getByText('Commit 3 reverted commit 2').waitFor();
  expect(await standing()).toEqual(before);
  // Taking back the reversal restores the commit.
  await page.goto(`${url}/ada/wood/commits/3`);
  await press(page, 'Revert this commit…');
  await press(page, 'Commit 2 changes');
  await page.getByText('Committed as 4.').waitFor();
  await page.goto(`${url}/ada/wood/commits/2`);
  await press(page, 'Revert this commit…');
  await page.getByRole('heading', { name: 'Revise Bird', exact: true }).waitFor();
  expect(await page.locator('.draft-changes h2').allTextContents()).toEqual(['Revise Bird', 'Revise Bird/owl']);
  await press(page, 'Commit 2 changes');
  await page.getByText('Committed as 5.').waitFor();
  expect(await standing()).toEqual(before);
});

detail('what could not be taken back is told as a failure, which stays', async () => {
  const { url, client, visit } = await openExplorer(fill);
  const visited = await visit({ signedIn: true });
  const { page } = visited;
  await page.goto(`${url}/ada/wood/edit/Bird/jay`);
  await page.getByLabel('label').fill('A jay');
  await press(page, 'Review');
  await press(page, 'Commit');
  const usual = await colourOf(page.getByText('Committed as 5.'));
  const [operation, name] = ['revise', 'Bird/jay'];
  await client.commit.submit('ada', 'wood', { operations: [{ operation, name, data: { label: 'Theirs' } }] });
  await press(page, 'Revert commit 5');
  const failure = page.getByRole('alert').filter({ hasText: 'This could not be undone.' });
  await failure.waitFor();
  expect(await colourOf(failure)).not.toBe(usual);
  expect(visited.complaints.splice(0)).toHaveLength(1);
  await expectWellMade(visited);
  await failure.getByRole('link', { name: 'the page of commit 5' }).click();
  await page.getByRole('button', { name: 'Revert this commit…' }).waitFor();
});

detail.each(SIZES)(
  'what takes a commit back goes into a draft only when that is wanted, on a $device',
  async ({ size }) => {
    const { url, client, visit } = await openExplorer(fill);
    const visited = await visit({ size, signedIn: true });
    const { page } = visited;
    await page.goto(`${url}/ada/wood/new?shape=Bird`);
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('kite');
    await page.getByLabel('label').fill('Kite');
    await press(page, 'Review');
    await page.getByRole('heading', { name: 'Add Bird/kite' }).waitFor();
    await page.goto(`${url}/ada/wood/commits/4`);
    await press(page, 'Revert this commit…');
    const question = page.getByRole('dialog');
    await question.getByText('1 change is already in your draft.').waitFor();
    await expectWellMade(visited);
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('1 change is not committed yet.').waitFor();
    await press(page, 'Revert this commit…');
    await question.getByRole('button', { name: 'Add to draft' }).click();
    await page.getByRole('heading', { name: 'Rename Bird/tawny-owl to Bird/owl' }).waitFor();
    await press(page, 'Commit 2 changes');
    await page.getByText('Committed as 5.').waitFor();
    expect((await client.commit.get('ada', 'wood', 5)).message).toBe('Add Bird/kite; reverts commit 4');
  },
);
