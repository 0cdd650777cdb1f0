// Tokens made in the browser, and used by the SDK and the CLI.
import { CairnClient } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import { writeValley } from '../../packages/web/src/features/home/valley.ts';
import { detail, expectWellMade, openExplorer, SIZES } from '../support/explorer.ts';
import { startCairn } from '../support/server.ts';
import type { Page } from '../tools/chromium.ts';

const valley = (client: CairnClient) => writeValley(client, 'ada');

const form = (page: Page) => page.getByRole('form', { name: 'New token' });
const rowOf = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name });

async function shownValue(page: Page, name: string): Promise<string> {
  const shown = page.getByRole('region', { name: `Token ${name}` });
  return await shown.getByText(/^cairn_\w+$/).innerText();
}

detail.each(SIZES)(
  'a token is narrowed to shapes, which are offered as they are typed, on a $device',
  async ({ size }) => {
    const { url, visit } = await openExplorer(valley);
    const visitor = await visit({ size, signedIn: true });
    const { page } = visitor;
    await page.goto(`${url}/-/tokens`);
    const lacking = page.locator('.actions').getByText('Enter a repository, such as acme/world.');
    await lacking.waitFor();
    await expectWellMade(visitor);
    await form(page).getByLabel('Name').fill('the reader');
    await form(page).getByLabel('Repository').fill('ada/valley');
    expect(await lacking.count()).toBe(0);
    const shapes = form(page).getByLabel('Limit reading to records of these shapes').and(page.locator('input'));
    await expect.poll(() => form(page).locator('datalist option[value=Person]').count()).toBe(1);
    await shapes.fill('Person');
    await shapes.press('Enter');
    await shapes.fill('Place-of-none');
    await shapes.press('Enter');
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByRole('button', { name: 'Use the-reader' }).click();
    await page.getByRole('button', { name: 'Create token' }).click();
    // The problem shows at its field, which gets the focus.
    await form(page)
      .locator('.field')
      .filter({ hasText: 'There is no shape Place-of-none in this repository' })
      .waitFor();
    await expect.poll(() => shapes.and(page.locator(':focus')).count()).toBe(1);
    expect(visitor.complaints.splice(0)).toHaveLength(2);
    await expectWellMade(visitor);
    await page.getByRole('button', { name: 'Remove Place-of-none' }).click();
    await expect.poll(() => form(page).locator('.problem').count()).toBe(0);
    // A typed name counts without being added.
    await page.getByRole('button', { name: 'Remove Person' }).click();
    await shapes.fill('Person');
    await form(page).getByLabel('Limit reading to these records').fill('**/m*');
    await page.getByRole('button', { name: 'Create token' }).click();
    const token = await shownValue(page, 'the-reader');
    expect(await shapes.inputValue()).toBe('');
    await rowOf(page, 'the-reader').getByText('ada/valley: repo:read, reading only **/m* of Person').waitFor();
    await expectWellMade(visitor);
    const { items } = await new CairnClient({ url, token }).thing.head('ada', 'valley', { kind: 'thing' });
    expect(items.length).toBeGreaterThan(0);
    expect(items.every(({ name }) => name.startsWith('Person/m'))).toBe(true);
  },
);

describe.each(SIZES)('a token on a $device', ({ size }) => {
  it('is made for a part of a repository, used by SDK and command, rotated and revoked', async () => {
    const { url, visit } = await openExplorer(valley);
    const visitor = await visit({ size, signedIn: true });
    const { page } = visitor;
    await page.goto(url);
    await page.getByRole('banner').getByRole('link', { name: 'Tokens' }).click();
    await page.getByRole('heading', { level: 1, name: 'Tokens' }).waitFor();
    await rowOf(page, 'all').waitFor();
    await expectWellMade(visitor);
    await form(page).getByLabel('Name').fill('reader');
    expect(await page.getByRole('button', { name: 'Create token' }).isDisabled()).toBe(true);
    await form(page).getByLabel('Repository').fill('ada/valley');
    await form(page).getByLabel('Limit reading to these records').fill('Person/**');
    await form(page).getByLabel('Expires in').selectOption('7');
    await page.getByRole('button', { name: 'Create token' }).click();
    const token = await shownValue(page, 'reader');
    await expectWellMade(visitor);
    const client = new CairnClient({ url, token });
    const { items } = await client.thing.head('ada', 'valley', { kind: 'thing' });
    expect(items.length).toBeGreaterThan(0);
    expect(items.every(({ name }) => name.startsWith('Person/'))).toBe(true);
    await expect(client.repo.rename('ada', 'valley', { newName: 'hill' })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const line = await page.getByText(`CAIRN_URL=${url} CAIRN_TOKEN=${token} cairn auth whoami`).innerText();
    const [, CAIRN_URL = '', CAIRN_TOKEN = '', words = ''] =
      /^CAIRN_URL=(\S+) CAIRN_TOKEN=(\S+) cairn (.*)$/.exec(line) ?? [];
    const command = startCairn(words.split(' '), { CAIRN_URL, CAIRN_TOKEN });
    expect(await command.ended()).toMatchObject({ code: 0 });
    expect(command.output()).toContain('reader');
    const curl = await page.getByText(/^curl -H 'Authorization: Bearer cairn_/).innerText();
    const [, authorization = '', address = ''] = /^curl -H 'Authorization: (.*)' (\S+)$/.exec(curl) ?? [];
    expect(await (await fetch(address, { headers: { authorization } })).text()).toContain('"tokenName":"reader"');
    await page.getByRole('button', { name: 'I have saved it' }).click();
    expect(await page.getByText(token).count()).toBe(0);

    const row = rowOf(page, 'reader');
    await row.getByText('ada/valley: repo:read, reading only Person/**').waitFor();
    await row.getByRole('button', { name: 'Rotate reader' }).click();
    await expectWellMade(visitor);
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    const next = await shownValue(page, 'reader');
    expect(next).not.toBe(token);
    expect(await new CairnClient({ url, token: next }).auth.whoami()).toMatchObject({ tokenName: 'reader' });
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await row.getByRole('button', { name: 'Revoke reader' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row.getByText('revoked', { exact: true }).waitFor();
    await expectWellMade(visitor);
    await expect(new CairnClient({ url, token: next }).auth.whoami()).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    });
  });
});

detail('a token for several places is put together by the keyboard alone', async () => {
  const { url, visit } = await openExplorer(valley);
  const visitor = await visit({ signedIn: true });
  const { page } = visitor;
  await page.goto(`${url}/-/tokens`);
  await form(page).getByLabel('Name').focus();
  await page.keyboard.type('several');
  await form(page).getByLabel('Repository').focus();
  await page.keyboard.type('ada/valley');
  await form(page).getByRole('checkbox', { name: 'repo:write' }).press('Space');
  await page.getByRole('button', { name: 'Add another resource' }).press('Enter');
  const second = page.getByRole('group', { name: 'Permissions 2' });
  await second.getByLabel('Where').press('A');
  await second.getByLabel('Organization').focus();
  await page.keyboard.type('ada');
  await second.getByRole('checkbox', { name: 'org:read' }).press('Space');
  await expectWellMade(visitor);
  await page.getByRole('button', { name: 'Create token' }).press('Enter');
  const token = await shownValue(page, 'several');
  expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Token several');
  expect(await new CairnClient({ url, token }).auth.whoami()).toMatchObject({
    scopes: [
      { resource: 'ada/valley', permissions: ['repo:read', 'repo:write'] },
      { resource: 'ada', permissions: ['repo:read', 'org:read'] },
    ],
  });
});

detail('what the server has against a token is told at its place', async () => {
  const { url, visit } = await openExplorer(valley);
  const { page } = await visit({ signedIn: true });
  await page.goto(`${url}/-/tokens`);
  await form(page).getByLabel('Name').fill('not a name');
  await form(page).getByLabel('Repository').fill('ada/valley');
  await page.getByRole('button', { name: 'Create token' }).click();
  await page.getByText('expected a token name of 1 to 100').waitFor();
  await expect.poll(() => page.evaluate('document.activeElement.getAttribute("aria-invalid")')).toBe('true');
  await form(page).getByLabel('Name').fill('all');
  await page.getByRole('button', { name: 'Create token' }).click();
  await form(page).locator('.field').filter({ hasText: 'The token name all is taken' }).getByLabel('Name').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  await form(page).getByLabel('Name').fill('name');
  await form(page).getByLabel('Repository').fill('ada/nothing');
  await page.getByRole('button', { name: 'Create token' }).click();
  const repository = form(page).locator('.field').filter({ hasText: 'You cannot see an organization or repository' });
  await repository.getByLabel('Repository').and(page.locator('[aria-invalid=true]')).waitFor();
  await form(page).getByLabel('Repository').fill('ada/valley');
  expect(await form(page).locator('.problem').count()).toBe(0);
  await form(page).getByLabel('Limit reading to these records').fill('Person/?');
  await page.getByRole('button', { name: 'Create token' }).click();
  const records = form(page).getByLabel('Limit reading to these records');
  await form(page)
    .locator('.field')
    .filter({ hasText: '"Person/?"' })
    .and(page.locator(':has([aria-invalid=true])'))
    .waitFor();
  await records.fill('');
  expect(await form(page).locator('.problem').count()).toBe(0);
  await form(page).getByRole('checkbox', { name: 'repo:read' }).press('Space');
  await form(page).getByText('Choose at least one permission.').first().waitFor();
  await form(page).getByRole('checkbox', { name: 'repo:read' }).press('Space');
  await page.getByRole('button', { name: 'Create token' }).click();
  await shownValue(page, 'name');
  // A field that was cleared for the next token is not marked as invalid.
  const borderOf = (label: string) =>
    form(page)
      .getByLabel(label)
      .evaluate((control) => control.ownerDocument.defaultView?.getComputedStyle(control).borderTopColor);
  await expect.poll(() => form(page).getByLabel('Name').inputValue()).toBe('');
  expect(await borderOf('Name')).toBe(await borderOf('Description'));
  await form(page).getByLabel('Name').fill('other');
  await form(page).getByLabel('Name').fill('');
  await form(page).getByLabel('Repository').focus();
  await expect.poll(() => borderOf('Name')).not.toBe(await borderOf('Description'));
});

detail('tokens are for who is signed in', async () => {
  const { url, visit } = await openExplorer(valley);
  const visitor = await visit();
  await visitor.page.goto(`${url}/-/tokens`);
  const link = visitor.page.getByRole('main').getByRole('link', { name: 'Sign in' });
  expect(await link.getAttribute('href')).toBe('/auth/sign-in?next=%2F-%2Ftokens');
  expect(await visitor.page.getByRole('form').count()).toBe(0);
  await expectWellMade(visitor);
});

detail('a token whose reading is limited says that its writing is not', async () => {
  const { url, visit } = await openExplorer(async (client) => {
    await client.repo.create('ada', 'world');
    for (const name of ['Place', 'Path'])
      await client.shape.create('ada', 'world', name, { fields: { 'x?': 'number' } });
  });
  const visitor = await visit({ signedIn: true });
  const { page } = visitor;
  await page.goto(`${url}/-/tokens`);
  await form(page).getByLabel('Name').fill('narrow');
  await form(page).getByLabel('Repository').fill('ada/world');
  const note = page.getByText('These limits do not apply to writing');
  expect(await note.count()).toBe(0);
  await form(page).getByRole('checkbox', { name: 'repo:write' }).check();
  await note.waitFor();
  await form(page).getByLabel('Limit reading to records of these shapes').and(page.locator('input')).fill('Place');
  await expectWellMade(visitor);
  await page.getByRole('button', { name: 'Create token' }).click();
  const client = new CairnClient({ url, token: await shownValue(page, 'narrow') });
  const operations = ['Place/a', 'Path/b'].map((name) => ({ name, data: {} }));
  await client.commit.submit('ada', 'world', { operations });
  const { items } = await client.thing.head('ada', 'world', { kind: 'thing' });
  expect(items.map(({ name }) => name)).toEqual(['Place/a']);
});
