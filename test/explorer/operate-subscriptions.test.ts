// Subscriptions in the browser: creating, testing, changing and deleting, with deliveries that a real receiver
// verifies.
import { CairnClient } from '@cairn/sdk';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { createToken, EVERYTHING } from '../../packages/server/src/account/account.ts';
import { newSigningSecret } from '../../packages/web/src/features/operate/secret.ts';
import { detail, expectWellMade, SIZES } from '../support/explorer.ts';
import { openOperated, tabTo } from '../support/operated.ts';
import { createPerson } from '../support/person.ts';
import { withStatus } from '../support/receiver.ts';

const OPERATE = '/ada/world/operate';

describe.each(SIZES)('subscriptions on a $device', ({ size }) => {
  it('are made with a filter that is tried while it is built, and sign what they send', async () => {
    const { url, client, receiver, add, visit } = await openOperated();
    const visitor = await visit({ size, signedIn: true });
    const { page } = visitor;
    await page.goto(`${url}/ada/world`);
    await page.getByRole('navigation', { name: 'Repository' }).getByRole('link', { name: 'Operate' }).click();
    await page.getByText('There are no subscriptions yet').waitFor();
    await expectWellMade(visitor);
    await page.getByRole('link', { name: 'New subscription' }).click();
    await page.getByText('5 of the latest 5 operations match.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('signals');
    await page.getByLabel('Webhook URL').fill(`${receiver.url}/hooks/nobody-knows`);
    await page.getByRole('checkbox', { name: 'add' }).check();
    await page.getByLabel('Shapes').fill('Signal');
    await page.getByLabel('Shapes').press('Enter');
    await page.getByText('2 of the latest 5 operations match.').waitFor();
    await page.getByRole('button', { name: 'Add “not”' }).click();
    const not = page.getByRole('group', { name: 'Not' });
    await not.getByLabel('Names like').fill('Signal/alarm-*');
    await not.getByLabel('Names like').press('Enter');
    await page.getByText('1 of the latest 5 operations matches.').waitFor();
    const matching = page.getByRole('listitem').filter({ hasText: 'matches' });
    expect(await matching.allTextContents()).toEqual([expect.stringContaining('Signal/a thing')]);
    // The preview includes commits made meanwhile.
    await add('b');
    await page.getByText('2 of the latest 6 operations match.').waitFor();
    await expectWellMade(visitor);
    await page.getByRole('button', { name: 'Create subscription' }).click();
    await page.getByRole('heading', { name: 'Subscription created' }).waitFor();
    await expectWellMade(visitor);
    const secret = (await page.locator('.once code').textContent()) ?? '';
    expect(await client.subscription.get('ada', 'world', 'signals')).toMatchObject({
      filter: { operation: 'add', shape: 'Signal', not: { match: 'Signal/alarm-*' } },
      credentialSet: 'signals',
    });
    await add('alarm-2');
    await add('c');
    await expect.poll(() => receiver.received.length).toBe(1);
    const [delivery] = receiver.received;
    const verified = new Webhook(secret).verify(delivery?.text ?? '', delivery?.headers as Record<string, string>);
    expect(verified).toMatchObject({ event: 'cairn.write', matchedOperations: [{ wref: 'Signal/c' }] });
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('heading', { level: 1, name: /^signals/ }).waitFor();
    await page.getByRole('list', { name: 'Runs' }).getByText('succeeded').waitFor();
    expect(await page.content()).not.toContain(secret);
    await expectWellMade(visitor);
  });

  it('are tried, shown in full, paused, bound, edited and deleted', async () => {
    const { url, client, receiver, visit } = await openOperated(
      withStatus(200, {}, '<script>alert(1)</script>\u202eThank you'),
    );
    const webhookUrl = `${receiver.url}/hooks/nobody-knows`;
    await client.credential.create('ada', 'world', 'hooks');
    await client.credential.setKeys('ada', 'world', 'hooks', { WEBHOOK_BEARER_TOKEN: 'let me in' });
    await client.subscription.create('ada', 'world', 'signals', {
      filter: { shape: 'Signal' },
      webhookUrl,
      fallbackWebhookUrl: `${receiver.url}/other`,
      credentialSet: 'hooks',
    });
    const visitor = await visit({ size, signedIn: true });
    const { page } = visitor;
    await page.goto(`${url}${OPERATE}/subscriptions/signals`);
    await page.getByRole('button', { name: 'Send a test delivery' }).click();
    await page.getByText('The receiver accepted the delivery.').waitFor();
    await page.getByText('<script>alert(1)</script>').waitFor();
    expect(receiver.received).toMatchObject([
      { path: '/hooks/nobody-knows', headers: { authorization: 'Bearer let me in' }, body: { event: 'cairn.test' } },
    ]);
    expect(await page.getByText('nobody-knows').count()).toBe(0);
    await page.getByRole('button', { name: 'Show full URLs' }).click();
    await page.getByText(webhookUrl).waitFor();
    await expectWellMade(visitor);
    await page.getByRole('button', { name: 'Hide URLs' }).click();
    await expect.poll(() => page.getByText('nobody-knows').count()).toBe(0);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).first().waitFor();
    expect(await client.subscription.get('ada', 'world', 'signals')).toMatchObject({ active: false });
    await page.getByRole('status', { name: 'Notices' }).getByRole('button', { name: 'Resume' }).click();
    await page.getByText('signals is resumed.').waitFor();
    expect(await client.subscription.get('ada', 'world', 'signals')).toMatchObject({ active: true });
    await page.getByRole('button', { name: 'Unbind' }).click();
    await page.getByRole('button', { name: 'Bind', exact: true }).waitFor();
    await expectWellMade(visitor);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Unbind' }).waitFor();
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByText('2 of the latest 5 operations match.').waitFor();
    await page.getByRole('button', { name: 'Remove Signal', exact: true }).click();
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    await page.getByLabel('Filter as JSON').fill('{"kind":');
    await page.getByText(/^This is not a filter\./).waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await page.getByLabel('Filter as JSON').fill('{"kind":"shape"}');
    await page.getByText('2 of the latest 5 operations match.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('shapes');
    await page.getByLabel('Remove the fallback URL').check();
    await expectWellMade(visitor);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(`${url}${OPERATE}/subscriptions/shapes`);
    expect(await client.subscription.reveal('ada', 'world', 'shapes')).toEqual({ name: 'shapes', webhookUrl });
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByText('Its credential set hooks remains').waitFor();
    await page.getByLabel('Type shapes to confirm').fill('shapes');
    await expectWellMade(visitor);
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There are no subscriptions yet.').waitFor();
    expect((await client.subscription.list('ada', 'world')).items).toEqual([]);
  });
});

detail('a subscription is made by the keyboard alone, and what the server refuses is told at its field', async () => {
  const { url, client, receiver, visit } = await openOperated();
  const { page } = await visit({ signedIn: true });
  await page.goto(`${url}${OPERATE}/subscriptions/-/new`);
  await tabTo(page, page.getByLabel('Name', { exact: true }));
  await page.keyboard.type('renames');
  await tabTo(page, page.getByLabel('Webhook URL'));
  await page.keyboard.type('http://192.168.0.1/hook');
  await tabTo(page, page.getByLabel('Trigger'));
  await page.keyboard.type('A record');
  await tabTo(page, page.getByRole('button', { name: 'Create subscription' }));
  await page.keyboard.press('Enter');
  const address = page.getByLabel('Webhook URL');
  await expect.poll(() => address.getAttribute('aria-invalid')).toBe('true');
  await expect.poll(() => address.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
  expect((await client.credential.list('ada', 'world')).items).toEqual([]);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(receiver.url);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Subscription created' }).waitFor();
  expect(await client.subscription.get('ada', 'world', 'renames')).toMatchObject({ event: 'thing.renamed' });
});

detail('what is typed into a list counts without Enter, and one click creates the subscription', async () => {
  const { url, client, receiver, visit } = await openOperated();
  const visitor = await visit({ signedIn: true });
  const { page } = visitor;
  await page.goto(`${url}${OPERATE}/subscriptions/-/new`);
  await page.getByLabel('Name', { exact: true }).fill('signals');
  await page.getByLabel('Webhook URL').fill(receiver.url);
  const shapes = page.getByRole('combobox', { name: 'Shapes' });
  await shapes.fill('Room');
  await shapes.press('Enter');
  await shapes.fill('Signal');
  // The text stays in the input: a longer list would move the button away on blur.
  expect(await page.getByRole('list', { name: 'Shapes' }).getByRole('listitem').count()).toBe(1);
  await page.getByText('3 of the latest 5 operations match.').waitFor();
  await page.getByRole('button', { name: 'Create subscription' }).click();
  await page.getByRole('heading', { name: 'Subscription created' }).waitFor();
  expect(await client.subscription.get('ada', 'world', 'signals')).toMatchObject({
    filter: { shape: ['Room', 'Signal'] },
  });
  expect(visitor.complaints).toEqual([]);
});

detail('a name that cannot be is told of the subscription, at its field', async () => {
  const { url, client, receiver, visit } = await openOperated();
  const { page } = await visit({ signedIn: true });
  await page.goto(`${url}${OPERATE}/subscriptions/-/new`);
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('my hook');
  await page.getByLabel('Webhook URL').fill(receiver.url);
  await page.getByRole('button', { name: 'Create subscription' }).click();
  await page.getByText('expected a subscription name').waitFor();
  await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true');
  expect((await client.credential.list('ada', 'world')).items).toEqual([]);
  await page.getByRole('button', { name: 'Use my-hook' }).click();
  expect(await name.inputValue()).toBe('my-hook');
});

detail('who may not configure is told so, and refused', async () => {
  const { url, client, store, visit } = await openOperated();
  const bob = { email: 'bob@example.com', password: 'long enough it is' };
  await createPerson(store, { ...bob, operator: false });
  await client.repo.setRole('ada', 'world', 'bob', 'write');
  const visitor = await visit({ signedIn: bob });
  const { page } = visitor;
  await page.goto(`${url}/ada/world`);
  const pages = page.getByRole('navigation', { name: 'Repository' });
  await pages.getByRole('link', { name: 'Export' }).waitFor();
  for (const path of ['subscriptions', 'subscriptions/-/new', 'runs', 'notifications', 'credentials']) {
    await page.goto(`${url}${OPERATE}/${path}`);
    await page.getByText(/Your role here does not include it\. An admin of ada can change your role\./).waitFor();
    expect(await page.getByRole('form').count()).toBe(0);
  }
  expect(await pages.getByRole('link', { name: 'Operate' }).count()).toBe(0);
  await expectWellMade(visitor);
  const { token } = await createToken(store, { email: bob.email, name: 'all', scopes: EVERYTHING });
  const asBob = new CairnClient({ url, token });
  const webhookUrl = 'https://hooks.example.com/x';
  for (const refused of [
    () => asBob.subscription.create('ada', 'world', 'x', { filter: {}, webhookUrl }),
    () => asBob.subscription.preview('ada', 'world', {}),
    () => asBob.credential.create('ada', 'world', 'x'),
  ]) {
    await expect(refused()).rejects.toMatchObject({ code: 'FORBIDDEN' });
  }
});

detail('the past has no subscriptions: it leads to now', async () => {
  const { url, visit } = await openOperated();
  const visitor = await visit({ signedIn: true });
  await visitor.page.goto(`${url}${OPERATE}?at=1`);
  await visitor.page.getByText('which is read-only').waitFor();
  await expectWellMade(visitor);
  await visitor.page.getByRole('link', { name: 'go back to now' }).click();
  await visitor.page.getByText('There are no subscriptions yet.').waitFor();
});

detail('a name that a subscription or a credential set has is told at its field, with a way on', async () => {
  const { url, client, receiver, visit } = await openOperated();
  const webhookUrl = `${receiver.url}/hooks`;
  await client.subscription.create('ada', 'world', 'signals', { filter: {}, webhookUrl });
  for (const name of ['signals', 'left', 'ended']) await client.credential.create('ada', 'world', name);
  await client.credential.setKeys('ada', 'world', 'left', { WEBHOOK_SIGNING_SECRET: newSigningSecret() });
  await client.credential.revoke('ada', 'world', 'ended');
  const visitor = await visit({ signedIn: true });
  const { page, complaints } = visitor;
  await page.goto(`${url}${OPERATE}/subscriptions/-/new`);
  await page.getByLabel('Webhook URL').fill(webhookUrl);
  const name = page.locator('.field').filter({ has: page.getByLabel('Name', { exact: true }) });
  const refusalOf = async (given: string, words: string) => {
    await page.getByLabel('Name', { exact: true }).fill(given);
    await page.getByRole('button', { name: 'Create subscription' }).click();
    await name.getByText(words).waitFor();
  };
  await refusalOf('signals', 'The subscription signals already exists. Choose another name.');
  await refusalOf('ended', 'A revoked credential set ended already exists.');
  await refusalOf('left', 'The credential set left already exists. Choose it under “Signed with”');
  complaints.splice(0);
  await expectWellMade(visitor);
  await page.getByLabel('Signed with').selectOption('The credential set signals');
  await refusalOf('signals', 'The subscription signals exists already.');
  await page.getByLabel('Name', { exact: true }).fill('left');
  await page.getByLabel('Signed with').selectOption('The credential set left');
  await page.getByRole('button', { name: 'Create subscription' }).click();
  await page.getByText('The subscription left was created.').waitFor();
});
