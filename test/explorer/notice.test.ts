// Notices at the foot of the page close after a while or on navigation. Those with an undo stay.
import { expect } from 'vitest';
import { detail, expectWellMade } from '../support/explorer.ts';
import { openOperated } from '../support/operated.ts';

const OPERATE = '/ada/world/operate';
const LONG_MS = 60_000;

detail('what was done is said for a while, and as long as somebody is at it', async () => {
  const { url, visit } = await openOperated();
  const visitor = await visit({ signedIn: true });
  const { page } = visitor;
  await page.clock.install();
  const notice = page.getByRole('status', { name: 'Notices' });
  const make = async (name: string) => {
    await page.goto(`${url}${OPERATE}/credentials`);
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByRole('button', { name: 'Create set' }).click();
    await notice.getByText(`The set ${name} was created.`).waitFor();
  };
  await make('one');
  await expectWellMade(visitor);
  await notice.getByText('The set one was created.').hover();
  await page.clock.fastForward(LONG_MS);
  expect(await notice.getByText('The set one was created.').count()).toBe(1);
  await notice.getByRole('button', { name: 'Close' }).focus();
  await page.mouse.move(0, 0);
  await page.clock.fastForward(LONG_MS);
  expect(await notice.getByText('The set one was created.').count()).toBe(1);
  await page.getByRole('heading', { level: 1 }).click();
  await page.locator('#content').focus();
  await page.clock.fastForward(LONG_MS);
  await expect.poll(() => notice.getByText('The set one was created.').count()).toBe(0);
  // Navigation closes the notice, even if the action itself led to another page.
  await make('two');
  await page.getByRole('link', { name: 'Runs' }).click();
  await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
  await expect.poll(() => notice.getByText('The set two was created.').count()).toBe(0);
});

detail('what can still be taken back stays wherever one goes', async () => {
  const { url, client, visit } = await openOperated();
  const webhookUrl = 'https://hooks.example.com/x';
  await client.subscription.create('ada', 'world', 'signals', { filter: {}, webhookUrl });
  const { page } = await visit({ signedIn: true });
  await page.clock.install();
  await page.goto(`${url}${OPERATE}/subscriptions/signals`);
  await page.getByRole('button', { name: 'Pause' }).click();
  const notice = page.getByRole('status', { name: 'Notices' });
  await notice.getByText('signals is paused').waitFor();
  await page.clock.fastForward(LONG_MS);
  const pages = page.getByRole('navigation', { name: 'Operate' });
  for (const name of ['Runs', 'Notifications', 'Credential sets']) {
    await pages.getByRole('link', { name }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
  }
  await notice.getByRole('button', { name: 'Resume' }).click();
  await notice.getByText('signals is resumed.').waitFor();
  expect(await client.subscription.get('ada', 'world', 'signals')).toMatchObject({ active: true });
});
