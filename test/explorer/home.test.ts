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
    await visitor.page.getByText(/^1 commit, last (just now|.* ago); created (just now|.* ago)$/).waitFor();
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
    await page.getByText(/^1 commit, last/).waitFor();
    await client.shape.create('ada', 'open', 'Person', { fields: {} });
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
    await page.getByText(/^2 commits, last/).waitFor();
    await client.shape.create('ada', 'open', 'Walk', { fields: {} });
    await page.clock.runFor(61_000);
    await page.getByText(/^3 commits, last/).waitFor();
  });

  it('says of what is not there, or not to be seen, the same, and leads to signing in and back', async () => {
    const { url, visit } = await openExplorer(fill);
    const visitor = await visit({ size });
    for (const path of ['/ada/closed', '/ada/nothing', '/nobody/nothing']) {
      await visitor.page.goto(`${url}${path}`);
      await visitor.page.getByRole('heading', { name: 'Repository not found' }).waitFor();
      await visitor.page
        .getByText(`The repository ${path.slice(1)} does not exist, or you do not have access.`)
        .waitFor();
      await visitor.page.getByRole('link', { name: 'all repositories' }).waitFor();
      expect(await visitor.page.title()).toBe(`Repository not found · ${path.slice(1)} · Cairn`);
    }
    expect(await visitor.page.getByRole('main').getByRole('link', { name: 'nobody' }).count()).toBe(0);
    await visitor.page.goto(`${url}/ada/nothing`);
    await visitor.page.getByRole('link', { name: 'the repositories of ada' }).click();
    await visitor.page.waitForURL(`${url}/ada`);
    await visitor.page.goto(`${url}/nobody`);
    await visitor.page.getByRole('heading', { level: 1, name: 'Organization not found' }).waitFor();
    expect(await visitor.page.getByRole('alert').getByRole('paragraph').allInnerTexts()).toEqual([
      'The organization nobody does not exist, or you do not have access.',
      'It may be private. Sign in if you have access.',
      'View all repositories, or create an organization.',
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
  await page.getByText('open the setup link that the server printed when it started').waitFor();
  await expect.poll(() => page.getByRole('heading', { name: 'Organizations' }).count()).toBe(0);
  expect(await page.getByText(/^Or /).count()).toBe(0);
  await expectWellMade(visitor);
});

it('a new owner makes the demo repository with one button, by the keyboard alone', async () => {
  const { url, visit } = await openExplorer(async () => {});
  const { page, complaints } = await visit({ signedIn: true });
  await page.goto(url);
  const button = page.getByRole('button', { name: 'Create demo repository ada/valley' });
  await button.focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(`${url}/ada/valley`);
  await page.getByRole('heading', { level: 1, name: 'valley' }).waitFor();
  expect(complaints).toEqual([]);
});
