// A commit of some time ago is taken back in the explorer without what others did since.
import type { CairnClient } from '@cairn/sdk';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectWellMade, openExplorer } from '../support/explorer.ts';

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

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

it('a commit is taken back without what was done since, of a record that was renamed too', async () => {
  const { url, client, visit } = await openExplorer(fill);
  const visited = await visit({ signedIn: true });
  const { page } = visited;
  await page.goto(`${url}/ada/wood/commits/2`);
  await press(page, 'Take this commit back…');
  const change = (name: string) => page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) });
  await change('Revise Bird/tawny-owl').getByText('wrote version 3').waitFor();
  await change('Retract Bird/jay').getByText('To retract it is to retract that too.').waitFor();
  await expectWellMade(visited);
  await press(page, 'Commit 2 changes');
  await page.getByText('Committed as 5.').waitFor();
  expect(await client.thing.get('ada', 'wood', 'Bird/tawny-owl')).toMatchObject({
    data: { label: 'Owl', wingspan: 90, note: 'Heard at night' },
  });
  await page.goto(`${url}/ada/wood/commits/4`);
  await press(page, 'Take this commit back…');
  await page.getByRole('heading', { name: 'Rename Bird/tawny-owl to Bird/owl' }).waitFor();
});

it('a change of a shape is taken back field by field: what it got since stays', async () => {
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
  await press(page, 'Take this commit back…');
  await page.getByText('What is not shown here stays as it is.').waitFor();
  await press(page, 'Commit');
  await page.getByText('Committed as 4.').waitFor();
  expect((await client.shape.get('ada', 'wood', 'Bird')).data).toEqual(shapeOf('label', 'song?'));
});
