// The start page with and without a sign-in, and the first steps of a new owner.
import { describe, expect, it } from 'vitest';
import { detail, expectWellMade, openExplorer, SIZES } from '../support/explorer.ts';

const fill = async (client: Parameters<Parameters<typeof openExplorer>[0]>[0]) => {
  await client.repo.create('ada', 'open', { visibility: 'public', description: 'For everybody' });
  await client.repo.create('ada', 'closed', { description: 'For ada alone' });
  await client.shape.create('ada', 'open', 'Place', { fields: {} });
};

describe.each(SIZES)('the first page on a $device', ({ size }) => {
  it('shows without signing in what is public, and with it what is one’s own', async () => {
    const { url, visit } = await openExplorer(fill);
    const visitor = await visit({ size });
    await visitor.page.goto(url);
    await visitor.page.getByRole('link', { name: 'ada/open' }).waitFor();
    expect(await visitor.page.getByText('ada/closed').count()).toBe(0);
    await visitor.page.getByText(/^1 commit, the last (just now|.* ago); it was created (just now|.* ago)$/).waitFor();
    await expectWellMade(visitor);
    const owner = await visit({ size, signedIn: true });
    await owner.page.goto(url);
    await owner.page.getByRole('link', { name: 'ada/closed' }).waitFor();
    await expectWellMade(owner);
    await owner.page.getByRole('main').getByRole('link', { name: 'ada', exact: true }).click();
    await owner.page.getByRole('link', { name: 'ada/closed' }).click();
    await owner.page.getByRole('navigation', { name: 'Repository' }).waitFor();
    await owner.page.reload();
    await owner.page.getByRole('navigation', { name: 'Repository' }).waitFor();
  });

  detail('follows what is written to the repositories, when it is looked at again and now and then', async () => {
    const { url, client, visit } = await openExplorer(fill);
    const { page } = await visit({ size });
    await page.clock.install();
    await page.goto(url);
    await page.getByText(/^1 commit, the last/).waitFor();
    await client.shape.create('ada', 'open', 'Person', { fields: {} });
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
    await page.getByText(/^2 commits, the last/).waitFor();
    await client.shape.create('ada', 'open', 'Walk', { fields: {} });
    await page.clock.runFor(61_000);
    await page.getByText(/^3 commits, the last/).waitFor();
  });

  it('says of what is not there, or not to be seen, the same, and leads to signing in and back', async () => {
    const { url, visit } = await openExplorer(fill);
    const visitor = await visit({ size });
    for (const path of ['/ada/closed', '/ada/nothing', '/nobody/nothing']) {
      await visitor.page.goto(`${url}${path}`);
      await visitor.page.getByRole('heading', { name: 'There is no such repository' }).waitFor();
      await visitor.page.getByText(`No repository is called ${path.slice(1)}, or you may not see it.`).waitFor();
      await visitor.page.getByRole('link', { name: 'all that there is' }).waitFor();
      expect(await visitor.page.title()).toBe(`No such repository · ${path.slice(1)} · Cairn`);
    }
    expect(await visitor.page.getByRole('main').getByRole('link', { name: 'nobody' }).count()).toBe(0);
    await visitor.page.goto(`${url}/ada/nothing`);
    await visitor.page.getByRole('link', { name: 'the repositories of ada' }).click();
    await visitor.page.waitForURL(`${url}/ada`);
    await visitor.page.goto(`${url}/nobody`);
    await visitor.page.getByRole('heading', { level: 1, name: 'There is no such organization' }).waitFor();
    expect(await visitor.page.getByRole('alert').getByRole('paragraph').allInnerTexts()).toEqual([
      'No organization is called nobody, or you may not see it.',
      'It may be private: sign in if it is yours.',
      'See all that there is, or create an organization.',
    ]);
    await visitor.page.getByRole('link', { name: 'create an organization' }).click();
    await visitor.page.waitForURL(`${url}/-/new-organization`);
    await visitor.page.goto(`${url}/ada/closed`);
    const link = visitor.page.getByRole('banner').getByRole('link', { name: 'Sign in' });
    expect(await link.getAttribute('href')).toBe('/auth/sign-in?next=%2Fada%2Fclosed');
  });
});

detail('who is not signed in and sees nothing is told how to begin', async () => {
  const { url, visit } = await openExplorer(async () => {});
  const visitor = await visit();
  const { page } = visitor;
  await page.goto(url);
  await page.getByText('who has the set-up link, which the server prints when it starts').waitFor();
  await expect.poll(() => page.getByRole('heading', { name: 'Organizations' }).count()).toBe(0);
  expect(await page.getByText(/^Or /).count()).toBe(0);
  await expectWellMade(visitor);
});

it('a new owner makes the demo repository with one button, by the keyboard alone', async () => {
  const { url, visit } = await openExplorer(async () => {});
  const { page, complaints } = await visit({ signedIn: true });
  await page.goto(url);
  const button = page.getByRole('button', { name: 'Make the demo repository ada/valley' });
  await button.focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(`${url}/ada/valley`);
  await page.getByRole('heading', { level: 1, name: 'valley' }).waitFor();
  expect(complaints).toEqual([]);
});
