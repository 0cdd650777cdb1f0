// Members in the browser: inviting, joining by link, changing a role, and removing.
import { CairnClient } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import { createToken, EVERYTHING } from '../../packages/server/src/account/account.ts';
import { detail, expectWellMade, openExplorer, SIZES } from '../support/explorer.ts';
import { createPerson } from '../support/person.ts';
import type { Page } from '../tools/chromium.ts';
import { linkIn, startSmtp } from '../tools/smtp.ts';

const CAROL = { email: 'carol@example.com', password: 'a password for carol' };
const BOB = { email: 'bob@example.com', password: 'a password for bob' };

const rowOf = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name });

describe.each(SIZES)('on a $device', ({ size }) => {
  it('a colleague is invited, accepts in another browser, and sees the repository', async () => {
    const smtp = await startSmtp();
    const { url, client, visit } = await openExplorer(
      async (made) => {
        await made.org.create('acme');
        await made.repo.create('acme', 'world');
      },
      { environment: smtp.settings },
    );
    const owner = await visit({ size, signedIn: true });
    const { page } = owner;
    await page.goto(`${url}/acme`);
    await page.getByRole('navigation', { name: 'Organization' }).getByRole('link', { name: 'Members' }).click();
    await rowOf(page, 'ada').getByText('owner', { exact: true }).waitFor();
    await rowOf(page, 'ada').getByText('make somebody else an owner first').waitFor();
    expect(await page.getByRole('button', { name: 'Remove yourself' }).count()).toBe(0);
    await page.getByText('Permissions of each role').click();
    await page.getByText('Also writes records, shapes and readmes.').waitFor();
    await page.getByRole('row', { name: 'editor write' }).waitFor();
    await rowOf(page, 'ada')
      .getByText(/^Joined (just now|.* ago)$/)
      .waitFor();
    await page
      .getByText('A role in a single repository replaces them there.')
      .getByRole('link', { name: 'the repository' })
      .waitFor();
    await expectWellMade(owner);
    await page.getByLabel('Handle or email address').fill(CAROL.email);
    await page.getByLabel('Role', { exact: true }).selectOption('viewer');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    const shown = page.getByRole('region', { name: `Invitation for ${CAROL.email}` });
    const link = await shown.locator('code').innerText();
    await shown.getByText(`This link is being mailed to ${CAROL.email}`).waitFor();
    await shown.getByRole('button', { name: 'Copy: Link' }).waitFor();
    expect(String(linkIn(await smtp.next()))).toBe(link);
    await rowOf(page, CAROL.email).getByText('invited').waitFor();
    await expectWellMade(owner);
    await shown.getByRole('button', { name: 'I have saved it' }).click();
    expect(await page.getByText(link).count()).toBe(0);

    const colleague = await visit({ size });
    await colleague.page.goto(link);
    await colleague.page.getByLabel(/^Password/).fill(CAROL.password);
    await colleague.page.getByRole('button', { name: 'Accept' }).click();
    await colleague.page.getByRole('heading', { level: 1, name: 'Welcome, carol' }).waitFor();
    await expectWellMade(colleague);
    await colleague.page.getByRole('link', { name: 'Go to acme' }).click();
    await colleague.page.getByRole('link', { name: 'acme/world' }).click();
    await colleague.page.getByRole('heading', { level: 1, name: 'world' }).waitFor();

    const row = rowOf(page, 'carol');
    await row.getByText('Joined').waitFor();
    expect(await page.getByText('invited', { exact: true }).count()).toBe(0);
    await row.getByRole('button', { name: 'Change role of carol' }).click();
    await page.getByRole('dialog').getByLabel('Role', { exact: true }).selectOption('editor');
    await expectWellMade(owner);
    await page.getByRole('dialog').getByRole('button', { name: 'Change role' }).click();
    await row.getByText('editor').waitFor();
    expect((await client.org.listMembers('acme')).items).toMatchObject([
      { handle: 'ada' },
      { handle: 'carol', role: 'editor' },
    ]);
    await row.getByRole('button', { name: 'Remove carol' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await expect.poll(() => row.count()).toBe(0);
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Members');
    await expectWellMade(owner);
    await colleague.page.reload();
    await colleague.page.getByRole('heading', { name: 'Repository not found' }).waitFor();
  });
});

detail(
  'the role of an invitation is changed, with a new link, and the invitation cancelled, by the keyboard alone',
  async () => {
    const { url, client, visit } = await openExplorer(async (made) => made.org.create('acme'));
    const { page } = await visit({ signedIn: true });
    await page.goto(`${url}/acme/-/members`);
    await page.getByLabel('Handle or email address').focus();
    await page.keyboard.type(CAROL.email);
    await page.keyboard.press('Enter');
    const shown = page.getByRole('region', { name: 'Invitation for' });
    await shown.getByText('This server does not send mail').waitFor();
    const first = await shown.locator('code').innerText();
    await page.getByRole('button', { name: 'I have saved it' }).press('Enter');
    await page.getByRole('button', { name: `New link for ${CAROL.email}` }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'New link' }).press('Enter');
    await shown.waitFor();
    // The new link gets the focus.
    const focused = () => page.evaluate("document.activeElement.getAttribute('aria-label')");
    await expect.poll(focused).toBe(`Invitation for ${CAROL.email}`);
    const second = await shown.locator('code').innerText();
    expect(second).not.toBe(first);
    expect((await client.org.listMembers('acme')).items[1]).toMatchObject({ pending: true, role: 'viewer' });
    await page.getByRole('button', { name: 'I have saved it' }).press('Enter');
    await page.getByRole('button', { name: `Change role of ${CAROL.email}` }).press('Enter');
    await page.getByRole('dialog').getByLabel('Role', { exact: true }).press('e');
    await page.getByRole('dialog').getByRole('button', { name: 'Change role' }).press('Enter');
    await shown.waitFor();
    expect(await shown.locator('code').innerText()).not.toBe(second);
    expect((await client.org.listMembers('acme')).items[1]).toMatchObject({ pending: true, role: 'editor' });
    await page.getByRole('button', { name: `Cancel invitation for ${CAROL.email}` }).press('Enter');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    expect((await client.org.listMembers('acme')).items).toHaveLength(2);
    await page.getByRole('button', { name: `Cancel invitation for ${CAROL.email}` }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel invitation' }).press('Enter');
    await expect.poll(async () => (await client.org.listMembers('acme')).items.length).toBe(1);
    await page.goto(first);
    await page.getByRole('heading', { name: 'Invitation' }).waitFor();
    expect(await page.getByRole('button', { name: 'Accept' }).count()).toBe(0);
  },
);

detail(
  'a viewer sees the members and no forms, an admin makes no owners, and both are refused when they try',
  async () => {
    const { url, store, client, visit } = await openExplorer(async (made) => made.org.create('acme'));
    await createPerson(store, { ...BOB, operator: false });
    await client.org.addMember('acme', { handle: 'bob' }, 'viewer');
    const { token } = await createToken(store, { email: BOB.email, name: 'all', scopes: EVERYTHING });
    const asBob = new CairnClient({ url, token });
    const visitor = await visit({ signedIn: BOB });
    const { page } = visitor;
    await page.goto(`${url}/acme/-/members`);
    await page.getByText('Admins and owners have it').waitFor();
    expect(await page.getByRole('form').count()).toBe(0);
    expect(await page.getByRole('button', { name: /Remove|Change role/ }).count()).toBe(0);
    await expectWellMade(visitor);
    await expect(asBob.org.addMember('acme', CAROL.email, 'viewer')).rejects.toMatchObject({ code: 'FORBIDDEN' });

    await client.org.setMemberRole('acme', { handle: 'bob' }, 'admin');
    await page.reload();
    await page.getByRole('button', { name: 'Remove yourself' }).waitFor();
    expect(await page.getByRole('button', { name: 'Remove ada' }).count()).toBe(0);
    expect(await page.getByLabel('Role', { exact: true }).locator('option').allInnerTexts()).toEqual([
      'viewer',
      'editor',
      'admin',
    ]);
    await expect(asBob.org.removeMember('acme', 'ada')).rejects.toMatchObject({ code: 'FORBIDDEN' });

    const stranger = await visit();
    await client.repo.create('acme', 'open', { visibility: 'public' });
    await stranger.page.goto(`${url}/acme/-/members`);
    await stranger.page.getByRole('main').getByRole('link', { name: 'Sign in' }).waitFor();
    await expectWellMade(stranger);
  },
);

detail('a wrong name is told at its field', async () => {
  const { url, visit } = await openExplorer(async (made) => made.org.create('acme'));
  const { page } = await visit({ signedIn: true });
  await page.goto(`${url}/acme/-/members`);
  await page.getByLabel('Handle or email address').fill('Not a name');
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  await page.getByText('expected a handle of 1 to 39 characters: a-z, 0-9 and -', { exact: true }).waitFor();
  await page.getByLabel('Handle or email address').fill('nobody');
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  await page
    .locator('.field', { has: page.locator(':focus') })
    .locator('.problem', { hasText: 'nobody' })
    .waitFor();
});

detail('who removes themselves is told that they leave', async () => {
  const { url, store, client, visit } = await openExplorer(async (made) => made.org.create('acme'));
  await createPerson(store, { ...BOB, operator: false });
  await client.org.addMember('acme', { handle: 'bob' }, 'admin');
  const visitor = await visit({ signedIn: BOB });
  const { page } = visitor;
  await page.goto(`${url}/acme/-/members`);
  await page.getByRole('button', { name: 'Remove yourself' }).click();
  const dialog = page.getByRole('dialog', { name: 'Remove yourself from acme?' });
  await dialog.getByText('You leave acme immediately').waitFor();
  await expectWellMade(visitor);
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('You are no longer a member of acme.').waitFor();
  expect((await client.org.listMembers('acme')).items).toMatchObject([{ handle: 'ada' }]);
});

detail('members and invitations come page by page', async () => {
  const { url, visit } = await openExplorer(async (made) => {
    await made.org.create('acme');
    for (let at = 0; at < 60; at += 1) await made.org.addMember('acme', `guest-${at}@example.com`, 'viewer');
  });
  const { page } = await visit({ signedIn: true });
  await page.goto(`${url}/acme/-/members`);
  await expect.poll(() => page.getByText('invited', { exact: true }).count()).toBe(49);
  await page.getByRole('button', { name: 'Show more members' }).click();
  await expect.poll(() => page.getByText('invited', { exact: true }).count()).toBe(60);
  expect(await page.getByRole('button', { name: 'Show more members' }).count()).toBe(0);
});

detail('who opens an invitation for another account is told who is signed in, and what accepting does', async () => {
  const { url, client, store, visit } = await openExplorer((made) => made.org.create('acme'));
  const invitedAs = async (email: string) => String((await client.org.addMember('acme', { email }, 'viewer')).link);
  const links = { own: await invitedAs(BOB.email), other: await invitedAs(CAROL.email) };
  await createPerson(store, { ...BOB, operator: false });
  const visited = await visit({ signedIn: BOB });
  const { page } = visited;
  await page.goto(links.other);
  await page.getByText('You are signed in as bob.').waitFor();
  await page.getByText('this browser switches to a new account for that address').waitFor();
  await page.getByText(`To join as bob, ask ada to invite ${BOB.email} instead.`).waitFor();
  await expectWellMade(visited);
  await page.goto(links.own);
  await page.getByRole('button', { name: 'Accept' }).waitFor();
  expect(await page.getByText('You are signed in as').count()).toBe(0);
  await page.goto(url);
  await page.getByRole('banner').getByRole('link', { name: 'bob' }).waitFor();
});
