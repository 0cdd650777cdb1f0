// Credential sets in the browser: values are never shown again, and every use is logged.
import { describe, expect, it } from 'vitest';
import { newSigningSecret } from '../../packages/web/src/features/operate/secret.ts';
import { detail, expectWellMade, SIZES } from '../support/explorer.ts';
import { openOperated, tabTo } from '../support/operated.ts';

const CREDENTIALS = '/ada/world/operate/credentials';

describe.each(SIZES)('credential sets on a $device', ({ size }) => {
  it('take values and never show them, and say where they are used', async () => {
    const { url, client, receiver, add, visit } = await openOperated();
    const visitor = await visit({ size, signedIn: true });
    const { page } = visitor;
    await page.goto(`${url}${CREDENTIALS}`);
    await page.getByText('There are no credential sets yet.').waitFor();
    await page.getByText('Subscriptions refer to the set by this name.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Our hooks');
    await page.getByRole('button', { name: 'Create set' }).click();
    await page.getByRole('button', { name: 'Use our-hooks' }).click();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('our-hooks');
    expect(visitor.complaints.splice(0)).toHaveLength(1);
    await page.getByLabel('Name', { exact: true }).fill('hooks');
    await page.getByLabel('Description').fill('For our receiver');
    await expectWellMade(visitor);
    await page.getByRole('button', { name: 'Create set' }).click();
    await page.waitForURL(`${url}${CREDENTIALS}/hooks`);
    await page.getByText('No keys.').waitFor();
    const value = page.getByLabel('Value');
    expect([await value.getAttribute('type'), await value.getAttribute('autocomplete')]).toEqual([
      'password',
      'new-password',
    ]);
    await page.getByLabel('Key', { exact: true }).fill('WEBHOOK_BEARER_TOKEN');
    await value.fill('nobody-knows-this');
    await page.getByRole('button', { name: 'Set key' }).click();
    const keys = page.getByRole('list', { name: 'Keys' });
    await keys.getByText('WEBHOOK_BEARER_TOKEN', { exact: true }).waitFor();
    await keys.getByText('It is sent as Authorization: Bearer').waitFor();
    await expect.poll(() => value.inputValue()).toBe('');
    expect(await page.content()).not.toContain('nobody-knows-this');
    await client.subscription.create('ada', 'world', 'signals', {
      filter: {},
      webhookUrl: receiver.url,
      credentialSet: 'hooks',
    });
    await client.subscription.test('ada', 'world', 'signals');
    expect(receiver.received[0]?.headers.authorization).toBe('Bearer nobody-knows-this');
    await page.reload();
    await page.getByText(`It is sent only to ${receiver.url}`).waitFor();
    await page.getByText('Used by').getByRole('link', { name: 'signals' }).waitFor();
    await page.getByText('Revoking erases the values immediately').waitFor();
    await page.getByText('Deleting removes the set').waitFor();
    const events = page.getByRole('list', { name: 'Log' });
    await events.getByText(/^used .* by signals \(a subscription\)$/).waitFor();
    await expectWellMade(visitor);
    await events.getByRole('link', { name: /^run_/ }).first().click();
    await page.getByText('Run not found. Test deliveries are not runs').waitFor();
    visitor.complaints.splice(0);
    await add('b');
    await expect.poll(() => receiver.received.length).toBe(2);
    await page.goto(`${url}${CREDENTIALS}/hooks`);
    await events.getByRole('link', { name: receiver.received[1]?.body.runId }).click();
    await page.getByRole('list', { name: 'Attempts' }).getByRole('listitem').waitFor();
    await page.goto(`${url}${CREDENTIALS}/hooks`);
    const unset = keys.getByRole('button', { name: 'Remove WEBHOOK_BEARER_TOKEN' });
    await unset.press('Enter');
    // Dialogs are outside of paragraphs and forms. Cancelling one returns the focus.
    expect(await page.locator(':is(p, form) dialog').count()).toBe(0);
    await expectWellMade(visitor);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Remove WEBHOOK_BEARER_TOKEN');
    // The server refuses to delete a set in use.
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByLabel('Type hooks to confirm').fill('hooks');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await unset.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove WEBHOOK_BEARER_TOKEN' }).click();
    await page.getByText('No keys.').waitFor();
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByLabel('Type hooks to confirm').fill('hooks');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('This set is revoked').waitFor();
    expect(await page.getByRole('form', { name: 'Set key' }).count()).toBe(0);
    expect(await client.credential.get('ada', 'world', 'hooks')).toMatchObject({ revokedAt: expect.any(Number) });
    await client.subscription.delete('ada', 'world', 'signals');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByLabel('Type hooks to confirm').fill('hooks');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There are no credential sets yet.').waitFor();
    expect((await client.credential.list('ada', 'world')).items).toEqual([]);
  });
});

detail('a secret is made, shown once and set by the keyboard alone', async () => {
  const { url, client, visit } = await openOperated();
  await client.credential.create('ada', 'world', 'hooks');
  const visitor = await visit({ signedIn: true });
  const { page } = visitor;
  await page.goto(`${url}${CREDENTIALS}/hooks`);
  await tabTo(page, page.getByRole('button', { name: 'Generate secret' }));
  await page.keyboard.press('Enter');
  const secret = (await page.locator('.once code').textContent()) ?? '';
  expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
  await expectWellMade(visitor);
  await tabTo(page, page.getByRole('button', { name: 'Set key' }));
  await page.keyboard.press('Enter');
  await page.getByRole('list', { name: 'Keys' }).getByText('WEBHOOK_SIGNING_SECRET', { exact: true }).waitFor();
  await page.reload();
  await page.getByRole('list', { name: 'Keys' }).waitFor();
  expect(await page.content()).not.toContain(secret);
  await page.getByLabel('Key', { exact: true }).fill('lower case');
  await page.getByLabel('Value').fill('x');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByLabel('Key', { exact: true }).getAttribute('aria-invalid')).toBe('true');
});

describe('a set that is bound to an origin', () => {
  const SUBSCRIPTIONS = '/ada/world/operate/subscriptions';

  /** Makes a subscription whose set is bound. Its https deliveries go to another origin, where nobody answers. */
  async function openBound() {
    const world = await openOperated();
    const { client, receiver } = world;
    await client.credential.create('ada', 'world', 'hook');
    await client.credential.setKeys('ada', 'world', 'hook', { WEBHOOK_SIGNING_SECRET: newSigningSecret() });
    const options = { filter: {}, credentialSet: 'hook' };
    await client.subscription.create('ada', 'world', 'first', { ...options, webhookUrl: receiver.url });
    await client.subscription.test('ada', 'world', 'first');
    const elsewhere = receiver.url.replace('http:', 'https:');
    const second = () => client.subscription.create('ada', 'world', 'second', { ...options, webhookUrl: elsewhere });
    return { ...world, elsewhere, second };
  }

  detail('is not taken for another, neither for a new subscription nor for one that moves', async () => {
    const { url, client, receiver, elsewhere, visit } = await openBound();
    const visitor = await visit({ signedIn: true });
    const { page } = visitor;
    await page.goto(`${url}${SUBSCRIPTIONS}/-/new`);
    await page.getByLabel('Name', { exact: true }).fill('second');
    await page.getByLabel('Webhook URL').fill(`${elsewhere}/hook`);
    await page.getByLabel('Signed with').selectOption('The credential set hook');
    await page.getByText(`hook is bound to ${receiver.url}. A delivery to another origin would block`).waitFor();
    await page.getByText('including those of first').waitFor();
    const create = page.getByRole('button', { name: 'Create subscription' });
    expect(await create.isDisabled()).toBe(true);
    await page.getByText('Choose another set under “Signed with” first.').waitFor();
    await expectWellMade(visitor);
    await page.getByLabel('Webhook URL').fill(`${receiver.url}/second`);
    await create.click();
    await page.getByText('The subscription second was created.').waitFor();
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByText(`Currently at ${receiver.url}/***. Leave empty to keep it.`).waitFor();
    await page.getByText('Currently none. Leave empty to keep it.').waitFor();
    await page.getByLabel('Webhook URL').fill(`${elsewhere}/hook`);
    await page.getByText('Unbind second on its page first').waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await expectWellMade(visitor);
    expect(await client.credential.get('ada', 'world', 'hook')).not.toHaveProperty('unboundAt');
  });

  detail('waits for new keys once it was, and each subscription is told what to do', async () => {
    const { url, client, add, second, visit } = await openBound();
    await second();
    const visitor = await visit({ signedIn: true });
    const { page } = visitor;
    await page.goto(`${url}${SUBSCRIPTIONS}/second`);
    const test = page.getByRole('button', { name: 'Send a test delivery' });
    await test.click();
    await page.getByText('Nothing was sent.').waitFor();
    await page.getByText('Give second its own set').waitFor();
    await expectWellMade(visitor);
    await add('b');
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByRole('list', { name: 'Runs' }).getByText('failed', { exact: true }).first().waitFor();
    await page.goto(`${url}${CREDENTIALS}/hook`);
    await page.getByText('blocked until its keys are set', { exact: true }).waitFor();
    await expectWellMade(visitor);
    await page.goto(`${url}${SUBSCRIPTIONS}/second`);
    await page.getByRole('button', { name: 'Unbind' }).click();
    const signed = page.getByLabel('Signed with');
    await signed.selectOption('The credential set hook');
    await page.getByText('hook is blocked until its keys are set again.').waitFor();
    await signed.selectOption('A new secret, shown once');
    await page.getByRole('button', { name: 'Bind', exact: true }).click();
    const secret = await page.getByRole('region', { name: 'New signing secret' }).locator('code').textContent();
    expect(secret).toMatch(/^whsec_/);
    await page.getByText('Deliveries of second are now signed with second.').waitFor();
    // The result of the test delivery belonged to the other set.
    expect(await page.getByText('Nothing was sent.').count()).toBe(0);
    await expectWellMade(visitor);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    expect(await client.subscription.get('ada', 'world', 'second')).toMatchObject({ credentialSet: 'second' });
    await test.click();
    await page.getByText('The receiver could not be reached.').waitFor();
    expect(await page.content()).not.toContain(secret);
    // The set has no other users, so new keys suffice.
    const { items } = await client.action.runs('ada', 'world', { subscription: 'first' });
    await page.goto(`${url}/ada/world/operate/runs/${items[0]?.runId}`);
    await page.getByText('Set the keys of hook again').waitFor();
    await expectWellMade(visitor);
  });
});
