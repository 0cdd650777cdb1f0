// An organization's own operations: subscriptions to its repositories, their deliveries, and their credentials.
import { CairnClient } from '@cairn/sdk';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { createToken, EVERYTHING } from '../../packages/server/src/account/account.ts';
import { detail, expectWellMade, SIZES } from '../support/explorer.ts';
import { openOperated } from '../support/operated.ts';
import { createPerson } from '../support/person.ts';

const OPERATE = '/ada/-/operate';

describe.each(SIZES)('an organization on a $device', ({ size }) => {
  it('has subscriptions of its own, with their runs and credentials', async () => {
    const { url, client, receiver, visit } = await openOperated();
    const visitor = await visit({ size, signedIn: true });
    const { page } = visitor;
    await page.goto(`${url}/ada`);
    await page.getByRole('navigation', { name: 'Organization' }).getByRole('link', { name: 'Operate' }).click();
    await page.waitForURL(`${url}${OPERATE}/subscriptions`);
    await page.getByText('There are no subscriptions yet').waitFor();
    await expectWellMade(visitor);
    await page.getByRole('link', { name: 'New subscription' }).click();
    await page.getByLabel('Name', { exact: true }).fill('repos');
    await page.getByLabel('Webhook URL').fill(receiver.url);
    const subjects = await page.getByLabel('Trigger').locator('option').allTextContents();
    expect(subjects).toHaveLength(4);
    expect(subjects.join()).not.toContain('filter');
    await expectWellMade(visitor);
    await page.getByRole('button', { name: 'Create subscription' }).click();
    await page.getByRole('heading', { name: 'Subscription created' }).waitFor();
    const secret = (await page.locator('.once code').textContent()) ?? '';
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.waitForURL(`${url}${OPERATE}/subscriptions/repos`);
    await page.getByRole('heading', { level: 1, name: /^repos/ }).waitFor();
    await client.repo.create('ada', 'caves');
    await expect.poll(() => receiver.received.length).toBe(1);
    const [delivery] = receiver.received;
    const verified = new Webhook(secret).verify(delivery?.text ?? '', delivery?.headers as Record<string, string>);
    expect(verified).toMatchObject({ event: 'cairn.repo.created', repo: null });
    const pages = page.getByRole('navigation', { name: 'Operate' });
    await pages.getByRole('link', { name: 'Runs' }).click();
    await page.waitForURL(`${url}${OPERATE}/runs`);
    await page.getByLabel('State').selectOption('succeeded');
    await page.waitForURL(`${url}${OPERATE}/runs?status=succeeded`);
    await page.getByRole('list', { name: 'Runs' }).getByRole('link', { name: 'repos' }).click();
    await page.getByRole('list', { name: 'Attempts' }).getByText('HTTP 200').waitFor();
    await expectWellMade(visitor);
    await pages.getByRole('link', { name: 'Notifications' }).click();
    await page.getByText('No failures.').waitFor();
    await pages.getByRole('link', { name: 'Credential sets' }).click();
    await page.getByRole('list', { name: 'Credential sets' }).getByRole('link', { name: 'repos' }).first().click();
    await page.waitForURL(`${url}${OPERATE}/credentials/repos`);
    await page.getByText('Used by').getByRole('link', { name: 'repos' }).waitFor();
    await page.getByText('Get this by REST, SDK or CLI').click();
    await page.getByRole('tab', { name: 'SDK' }).click();
    await page.getByText("client.credential.get('ada', null, 'repos')").waitFor();
    await page.getByRole('tab', { name: 'CLI' }).click();
    await page.getByText('credential view repos --org ada').waitFor();
    await expectWellMade(visitor);
  });
});

detail('who may not configure the organization is told so, and refused', async () => {
  const { url, client, store, visit } = await openOperated();
  const bob = { email: 'bob@example.com', password: 'long enough it is' };
  await createPerson(store, { ...bob, operator: false });
  await client.repo.setRole('ada', 'world', 'bob', 'admin');
  const visitor = await visit({ signedIn: bob });
  const { page } = visitor;
  for (const path of ['subscriptions', 'subscriptions/-/new', 'runs', 'notifications', 'credentials']) {
    await page.goto(`${url}${OPERATE}/${path}`);
    await page.getByText(/Your role here does not include it\. An admin of ada can change your role\./).waitFor();
    expect(await page.getByRole('form').count()).toBe(0);
  }
  await expectWellMade(visitor);
  const { token } = await createToken(store, { email: bob.email, name: 'all', scopes: EVERYTHING });
  const asBob = new CairnClient({ url, token });
  await expect(asBob.credential.create('ada', null, 'x')).rejects.toMatchObject({ code: 'FORBIDDEN' });
});
