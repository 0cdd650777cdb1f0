// Walking the graph in the explorer: expanding, folding, and concurrent writes.
import { describe, expect, it } from 'vitest';
import { detail, expectWellMade, openExplorer } from '../support/explorer.ts';
import { fillCrowd, fillHouse, has, settled } from '../support/explorer-house.ts';

describe('a walk through the graph', () => {
  it('is done by the keyboard alone, and is the same after loading it again', async () => {
    const { url, visit } = await openExplorer(fillHouse);
    const visited = await visit();
    const { page } = visited;
    await page.goto(`${url}/ada/house/graph?from=Room%2F0`);
    await page.getByRole('listbox').focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    const panel = page.getByRole('region', { name: 'Room/2' });
    await panel.getByRole('button', { name: 'Room/1' }).waitFor();
    await panel.getByRole('heading', { name: 'Referenced by' }).waitFor();
    await panel.getByRole('button', { name: 'Expand' }).focus();
    await page.keyboard.press('Enter');
    await has(page, '5 records, 4 references');
    await panel.getByRole('button', { name: 'Room/3' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Room/3' }).getByRole('link', { name: 'Start here' }).waitFor();
    await settled(page);
    await expectWellMade(visited);
    await page.reload();
    await has(page, '5 records, 4 references');
    await page.getByRole('region', { name: 'Room/3' }).getByRole('link', { name: 'Start here' }).click();
    await page.getByRole('heading', { level: 1, name: 'Graph around Room/3' }).waitFor();
    await has(page, '5 records, 4 references');
    await page.getByRole('button', { name: 'Expand all' }).click();
    await has(page, '8 records, 7 references');
    await page.getByText('These are all connected records').waitFor();
    expect(await page.getByRole('button', { name: 'Expand all' }).isDisabled()).toBe(true);
  });

  detail('says what is not expanded, and folds what was, by a button or by going back', async () => {
    const { url, visit } = await openExplorer(fillHouse);
    const visited = await visit();
    const { page } = visited;
    await page.goto(`${url}/ada/house/graph`);
    await page.getByRole('option', { name: 'Room/0' }).click();
    await page.getByRole('link', { name: 'Start here' }).click();
    await has(page, '4 records, 3 references');
    await has(page, 'Records up to 2 references away');
    await page.getByRole('option', { name: 'Room/1' }).click();
    const partly = page.getByText('Some references are not shown yet. Expand to see all of them.');
    await page.getByRole('region', { name: 'Room/1' }).waitFor();
    expect(await partly.count()).toBe(0);
    await page.getByRole('option', { name: 'Room/2' }).click();
    await partly.waitFor();
    await expectWellMade(visited);
    await page.getByRole('button', { name: 'Expand', exact: true }).click();
    await has(page, '5 records, 4 references');
    await has(page, 'Records up to 2 references away, and around expanded records');
    await page.getByRole('button', { name: 'Collapse' }).waitFor();
    expect(await partly.count()).toBe(0);
    await page.getByRole('option', { name: 'Room/3' }).click();
    await page.getByRole('button', { name: 'Expand', exact: true }).click();
    await has(page, '6 records, 5 references');
    await page.goBack();
    await has(page, '5 records, 4 references');
    await page.goForward();
    await has(page, '6 records, 5 references');
    // Room/4 was reached through Room/3, and that through Room/2.
    await page.getByRole('option', { name: 'Room/2' }).click();
    await page.getByRole('button', { name: 'Collapse' }).click();
    await has(page, '4 records, 3 references');
    await partly.waitFor();
    await page.reload();
    await has(page, '4 records, 3 references');
    await page.goBack();
    await has(page, '6 records, 5 references');
    await page.goBack();
    await page.goBack();
    await has(page, '4 records, 3 references');
    await page.goBack();
    await has(page, '8 records, 7 references');
  });

  detail('does not keep a record chosen whose shape is left out, and goes back step by step', async () => {
    const { url, visit } = await openExplorer(fillHouse);
    const visited = await visit();
    const { page } = visited;
    await page.goto(`${url}/ada/house/graph?from=Room%2F0`);
    await page.getByRole('option', { name: 'Room/2' }).click();
    const panel = page.getByRole('region', { name: 'Room/2' });
    await panel.getByRole('button', { name: 'Expand' }).click();
    await has(page, '5 records, 4 references');
    await page.getByRole('checkbox', { name: 'Room' }).uncheck();
    await has(page, '1 of 5 records, 0 of 4 references');
    await page.getByText('Select a record in the graph').waitFor();
    expect(page.url()).not.toContain('selected');
    await expectWellMade(visited);
    await page.goBack();
    await has(page, '5 records, 4 references');
    await panel.waitFor();
    await page.goBack();
    await has(page, '4 records, 3 references');
    await page.goto(`${url}/ada/house/graph?without=Room&selected=Room%2F2`);
    await has(page, '1 of 8 records');
    await page.getByText('Select a record in the graph').waitFor();
    // The page has nothing left to expand.
    await page.goto(`${url}/ada/house/graph?from=Room%2F1&without=Room`);
    await has(page, '1 of 5 records');
    expect(await page.getByRole('button', { name: 'Expand all' }).isDisabled()).toBe(true);
  });

  detail('says that it is a part where a record has many neighbours, and expands it until all are there', async () => {
    const { url, visit } = await openExplorer(fillCrowd);
    const visited = await visit();
    const { page } = visited;
    await page.goto(`${url}/ada/crowd/graph?from=Person%2Fmara`);
    await has(page, '300 records, 299 references');
    await has(page, 'Some of the records up to 2 references away');
    await page.getByLabel('Filter by name').fill('mara');
    await page.getByRole('option', { name: 'Person/mara' }).click();
    const panel = page.getByRole('region', { name: 'Person/mara' });
    await panel.getByText('Some references are not shown yet. Expand to see all of them.').waitFor();
    await panel.getByRole('button', { name: 'Expand', exact: true }).click();
    await has(page, '500 records, 499 references');
    await panel.getByText('Some references are not shown').waitFor();
    await expectWellMade(visited);
    await panel.getByRole('button', { name: 'Expand further' }).focus();
    await page.keyboard.press('Enter');
    await has(page, '603 records, 602 references');
    await panel.getByRole('button', { name: 'Collapse' }).click();
    await has(page, '300 records, 299 references');
    await page.goBack();
    await has(page, '500 records, 499 references');
  });

  detail('follows what changes, and marks it', async () => {
    const { url, client, visit } = await openExplorer(fillHouse);
    const { page } = await visit();
    await page.goto(`${url}/ada/house/graph?from=Room%2F1`);
    await has(page, '5 records, 4 references');
    await page.getByText('Live', { exact: true }).waitFor();
    const operations = [{ name: 'Room/cellar', data: { label: 'Deep', next: 'Room/1' } }];
    await client.commit.submit('ada', 'house', { operations });
    await has(page, '6 records, 5 references');
    await page.locator('.node-row.changed', { hasText: 'Room/cellar' }).waitFor();
    const retraction = [{ operation: 'retract', name: 'Note/first' }];
    await client.commit.submit('ada', 'house', { operations: retraction });
    await has(page, '5 records, 4 references');
  });
});
