// Users without write access: the pages offer nothing to write, explain why, and the server refuses forced writes.
import { describe, expect, it } from 'vitest';
import { detail, expectMissing, expectWellMade, openExplorer, SIZES, whileAsked } from '../support/explorer.ts';
import { fillCave } from '../support/explorer-cave.ts';
import { createPerson } from '../support/person.ts';
import type { Page } from '../tools/chromium.ts';

const BOB = { handle: 'bob', email: 'bob@example.com', password: 'correct horse battery staple' };

/** Only writers may see these links. */
const LINKS = [
  'Add a record',
  'Import a file',
  'Add a shape',
  'Edit fields',
  'Revise',
  'Rename',
  'Retract',
  'Add readme',
];

const PAGES = ['', '/records', '/shapes', '/shapes/Place', '/record/Place/cave'];

const FORMS = ['/new', '/edit/Place/cave', '/new-shape', '/edit-shape/Place', '/edit-text/readme', '/draft', '/import'];

async function draftCave(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/ada/world/edit/Place/cave`);
  await page.getByLabel('label').fill('Bob was here');
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('button', { name: 'Commit', exact: true }).waitFor();
}

describe('who may not write', () => {
  it.each(SIZES)('is offered nothing of it, and told at its address what it needs, on a $device', async ({ size }) => {
    const { url, store, client, visit } = await openExplorer(fillCave);
    await createPerson(store, { ...BOB, operator: false });
    await client.repo.setRole('ada', 'world', 'bob', 'read');
    const visited = await visit({ size, signedIn: BOB });
    const { page } = visited;
    for (const path of PAGES) {
      await page.goto(`${url}/ada/world${path}`);
      await page.getByText('Get this by REST, SDK or CLI').waitFor();
      for (const name of LINKS) expect(await page.getByRole('link', { name, exact: true }).count()).toBe(0);
    }
    for (const path of FORMS) {
      await page.goto(`${url}/ada/world${path}`);
      await page
        .getByText('This needs permission to write to the repository (repo:write). Your role here does not include it.')
        .waitFor();
      expect(await page.getByRole('button', { name: /^(Review|Commit|Import)/ }).count()).toBe(0);
    }
    await expectWellMade(visited);
  });

  detail('is refused by the server where a page is made to ask all the same, and told what was drafted', async () => {
    const { url, store, client, visit } = await openExplorer(fillCave);
    await createPerson(store, { ...BOB, operator: false });
    await client.repo.setRole('ada', 'world', 'bob', 'write');
    const { page } = await visit({ signedIn: BOB });
    await draftCave(page, url);
    await whileAsked(page, 'commit.submit', () => client.repo.setRole('ada', 'world', 'bob', 'read'));
    await page.getByRole('button', { name: 'Commit', exact: true }).click();
    await page.getByText('An admin of ada can change your role.').waitFor();
    expect((await client.repo.get('ada', 'world')).repoSeq).toBe(1);
    page.on('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.getByText('1 change is not committed yet, and you cannot commit now.').waitFor();
    await page.getByText('You can commit them here once you have write access again.').waitFor();
    await client.repo.setRole('ada', 'world', 'bob', 'write');
    await page.getByRole('button', { name: 'Commit', exact: true }).click();
    await page.getByText('Committed as 2.').waitFor();
  });

  it.each(SIZES)(
    'any more sees the draft, takes it along, and lets go of it, wherever they are, on a $device',
    async ({ size }) => {
      const { url, store, client, visit } = await openExplorer(fillCave);
      await createPerson(store, { ...BOB, operator: false });
      await client.repo.setRole('ada', 'world', 'bob', 'write');
      const visited = await visit({ size, signedIn: BOB });
      const { page } = visited;
      page.on('dialog', (dialog) => void dialog.accept());
      await draftCave(page, url);
      // The draft may still be under review, which an archived repository refuses.
      visited.expected.push(/status of 409 /);
      await client.repo.archive('ada', 'world');
      await page.goto(`${url}/ada/world/records`);
      await page.getByText('1 change is not committed yet, and you cannot commit now.').waitFor();
      await page.getByRole('link', { name: 'Review' }).click();
      await page.getByText('ada/world is archived').waitFor();
      await page.getByRole('listitem').getByText('Revise Place/cave').waitFor();
      await expectWellMade(visited);
      // A user without read access finds no repository.
      expectMissing(visited);
      await client.repo.unarchive('ada', 'world');
      await client.repo.setVisibility('ada', 'world', { visibility: 'private' });
      await client.repo.setRole('ada', 'world', 'bob', null);
      await page.reload();
      await page.getByRole('heading', { level: 1, name: 'Repository not found' }).waitFor();
      await page.getByText('an admin of ada can give you access').waitFor();
      await page.getByRole('listitem').getByText('Revise Place/cave').waitFor();
      await page.getByText('Export as JSON').click();
      await page.getByRole('figure').getByText('{"operation":"revise","name":"Place/cave"').waitFor();
      await expectWellMade(visited);
      await page.getByRole('button', { name: 'Discard all' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Discard all' }).click();
      await expect.poll(() => page.getByText('not committed yet').count()).toBe(0);
      await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('content');
    },
  );

  detail.each([
    ['in the past', 'at=1', 'which is read-only'],
    ['in an archived repository', '', 'ada/world is archived'],
  ])('cannot write %s either', async (_where, search, told) => {
    const { url, client, visit } = await openExplorer(fillCave);
    if (search === '') await client.repo.archive('ada', 'world');
    const { page } = await visit({ signedIn: true });
    await page.goto(`${url}/ada/world/record/Place/cave?${search}`);
    await page.getByRole('heading', { level: 1, name: 'Place/cave' }).waitFor();
    expect(await page.getByRole('link', { name: 'Revise' }).count()).toBe(0);
    await page.goto(`${url}/ada/world/edit/Place/cave?${search}`);
    await page.getByText(told).waitFor();
  });
});
