// Runs in the browser: a failing receiver, its attempts, the notification, and a successful retry.
import { describe, expect, it } from 'vitest';
import { detail, expectWellMade, SIZES } from '../support/explorer.ts';
import { openOperated, tabTo } from '../support/operated.ts';
import { withStatus } from '../support/receiver.ts';

const OPERATE = '/ada/world/operate';

describe.each(SIZES)('runs on a $device', ({ size }) => {
  it('show each attempt while it is made, and are delivered again', async () => {
    const { url, client, receiver, add, visit } = await openOperated(
      withStatus(503, {}, '<b>Come back</b> later \u202e please'),
    );
    await client.subscription.create('ada', 'world', 'signals', { filter: {}, webhookUrl: receiver.url });
    await client.subscription.create('ada', 'world', 'rooms', { filter: { shape: 'Room' }, webhookUrl: receiver.url });
    const visitor = await visit({ size, signedIn: true });
    const { page } = visitor;
    await page.goto(`${url}${OPERATE}/runs`);
    await page.getByText('No runs match.').waitFor();
    await page.getByText('A dead letter used all of its attempts').waitFor();
    await expectWellMade(visitor);
    await add('b');
    const runs = page.getByRole('list', { name: 'Runs' });
    await runs.getByText('dead letter', { exact: true }).waitFor();
    expect(receiver.received.map(({ body }) => body.attempt)).toEqual([1, 2]);
    await expectWellMade(visitor);
    await page.getByLabel('State').selectOption('succeeded');
    await page.waitForURL(`${url}${OPERATE}/runs?status=succeeded`);
    await page.getByText('No runs match.').waitFor();
    await page.getByLabel('State').selectOption('All');
    await page.getByLabel('Subscription').selectOption('rooms');
    await page.getByText('No runs match.').waitFor();
    await page.getByLabel('Subscription').selectOption('signals');
    await runs.getByRole('link', { name: 'signals' }).click();
    const attempts = page.getByRole('list', { name: 'Attempts' }).getByRole('listitem');
    await expect.poll(() => attempts.count()).toBe(2);
    await attempts.first().getByText('HTTP 503', { exact: true }).waitFor();
    await attempts.first().getByText('<b>Come back</b> later').waitFor();
    await attempts
      .first()
      .getByText(/^\d+ ms$/)
      .waitFor();
    await expectWellMade(visitor);
    // The navigation shows the failure on every page.
    const way = page.getByRole('navigation', { name: 'Repository' }).getByRole('link', { name: 'Operate 1 failed' });
    await way.waitFor();
    await page
      .getByRole('navigation', { name: 'Operate' })
      .getByRole('link', { name: 'Notifications 1 failed' })
      .click();
    const told = page.getByRole('list', { name: 'Notifications' });
    await told.getByText('HTTP_503').waitFor();
    await told.getByRole('link', { name: 'signals' }).waitFor();
    // A visit clears the mark, also after a reload.
    await expect.poll(() => way.count()).toBe(0);
    await page.reload();
    await told.getByText('HTTP_503').waitFor();
    await expectWellMade(visitor);
    expect(await way.count()).toBe(0);
    // The mark is per account, so other users of this browser still see it.
    const kept = await page.evaluate<string[]>('Object.keys(localStorage)');
    const { createdAt } = await client.repo.get('ada', 'world');
    const noted = [`cairn-seen ada repository ${createdAt}`];
    expect(kept.filter((key) => key.startsWith('cairn-seen'))).toEqual(noted);
    await told.getByRole('link', { name: 'View run' }).click();
    receiver.answer(withStatus(200, {}, 'Thank you'));
    await page.getByRole('button', { name: /^Retry/ }).click();
    await page.getByText('The run of signals is being delivered again').waitFor();
    await attempts.getByText('Thank you').waitFor();
    await expect.poll(() => attempts.count()).toBe(3);
    await page.getByText('succeeded').first().waitFor();
    await expect.poll(() => page.getByRole('button', { name: /^Retry/ }).count()).toBe(0);
    await expectWellMade(visitor);
    const { items } = await client.action.runs('ada', 'world', { subscription: 'signals' });
    expect(items).toMatchObject([{ status: 'succeeded', attemptCount: 3 }]);
    // The notification of the failure shows the retry too.
    await page.getByRole('navigation', { name: 'Operate' }).getByRole('link', { name: 'Notifications' }).click();
    await told.getByText('dead letter → succeeded').waitFor();
    await expectWellMade(visitor);
  });

  detail('that wait are tried at once, or given up', async () => {
    const later = withStatus(503, { 'retry-after': '3600' }, 'Later');
    const { url, client, receiver, add, visit } = await openOperated(later);
    await client.subscription.create('ada', 'world', 'signals', { filter: {}, webhookUrl: receiver.url });
    await add('b');
    const visitor = await visit({ size, signedIn: true });
    const { page } = visitor;
    await page.goto(`${url}${OPERATE}/runs`);
    const runs = page.getByRole('list', { name: 'Runs' });
    await runs.getByText('waiting to retry').waitFor();
    await runs.getByText(/attempt 1 of \d+, next in (1 hour|\d+ minutes)/).waitFor();
    await expectWellMade(visitor);
    receiver.answer(withStatus(200));
    await page.getByRole('button', { name: /^Retry now/ }).click();
    await runs.getByText('succeeded').waitFor();
    await expect.poll(() => page.getByRole('button', { name: /^(Retry now|Give up)/ }).count()).toBe(0);
    receiver.answer(later);
    await add('c');
    await runs.getByText('waiting to retry').waitFor();
    await page.getByRole('button', { name: /^Give up/ }).click();
    const question = page.getByRole('dialog', { name: 'Give up this run?' });
    await expectWellMade(visitor);
    await question.getByRole('button', { name: 'Give up' }).click();
    await page.getByText('The run of signals is now a dead letter.').waitFor();
    await runs.getByText('dead letter', { exact: true }).waitFor();
    await runs.getByText('GIVEN_UP').waitFor();
    await page.getByRole('button', { name: /^Retry/ }).waitFor();
    const { items } = await client.action.runs('ada', 'world');
    expect(items.map(({ status }) => status)).toEqual(['dead_letter', 'succeeded']);
    await expect(client.action.giveUp('ada', 'world', items[0]?.runId ?? '')).rejects.toThrow(/retry it to deliver/);
    // The notification offers a retry, and reports only the current state.
    receiver.answer(withStatus(200));
    await page.getByRole('navigation', { name: 'Operate' }).getByRole('link', { name: 'Notifications' }).click();
    const told = page.getByRole('list', { name: 'Notifications' });
    await told.getByText('GIVEN_UP: The run was given up by hand.', { exact: true }).waitFor();
    await expectWellMade(visitor);
    await told.getByRole('button', { name: /^Retry/ }).click();
    await told.getByText('dead letter → succeeded').waitFor();
    expect(await told.getByRole('button').count()).toBe(0);
  });

  detail('that are given up say so on their page', async () => {
    const { url, client, receiver, add, visit } = await openOperated(
      withStatus(503, { 'retry-after': '3600' }, 'Later'),
    );
    await client.subscription.create('ada', 'world', 'signals', { filter: {}, webhookUrl: receiver.url });
    await add('b');
    const run = async () => (await client.action.runs('ada', 'world')).items[0];
    await expect.poll(async () => (await run())?.status).toBe('retry_wait');
    const visitor = await visit({ size, signedIn: true });
    const { page } = visitor;
    await page.goto(`${url}${OPERATE}/runs/${(await run())?.runId}`);
    await page.getByRole('button', { name: /^Give up/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Give up' }).click();
    await page.getByText('The run was given up by hand.').waitFor();
    await expectWellMade(visitor);
  });
});

detail('a run is retried by the keyboard alone, and follows what its receiver reports', async () => {
  const { url, client, receiver, add, visit } = await openOperated(withStatus(400));
  await client.subscription.create('ada', 'world', 'signals', { filter: {}, webhookUrl: receiver.url });
  await add('b');
  const visitor = await visit({ signedIn: true });
  const { page } = visitor;
  await page.goto(`${url}${OPERATE}/subscriptions/signals`);
  receiver.answer(withStatus(202));
  await tabTo(page, page.getByRole('button', { name: /^Retry/ }));
  await page.keyboard.press('Enter');
  await page.getByText('in progress').waitFor();
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('content');
  const { items } = await client.action.runs('ada', 'world', { status: 'processing' });
  const { runId = '' } = items[0] ?? {};
  await page.goto(`${url}${OPERATE}/runs/${runId}`);
  await page.getByText('in progress').waitFor();
  await client.action.callback(runId, { status: 'processing', progress: 0.4, message: 'Reading' });
  await page.getByText('40 %').waitFor();
  await page.getByText('Reading').waitFor();
  await client.action.callback(runId, { status: 'success', result: { found: 3 } });
  await page.getByText('"found": 3').waitFor();
  await expectWellMade(visitor);
});

detail('what cannot be reached any more, or is gone, is told', async () => {
  const { url, client, receiver, add, visit } = await openOperated(withStatus(410));
  await client.subscription.create('ada', 'world', 'signals', { filter: {}, webhookUrl: receiver.url });
  await add('b');
  const { page } = await visit({ signedIn: true });
  await page.goto(`${url}${OPERATE}/subscriptions/signals`);
  await page.getByText(/^The server paused it:/).waitFor();
  await page.goto(`${url}${OPERATE}/subscriptions/nothing`);
  await page.getByRole('heading', { name: 'Not found' }).waitFor();
  await page.goto(`${url}${OPERATE}/runs/run_${'0'.repeat(26)}`);
  await page.getByText('Run not found.').waitFor();
});

detail('what failed and was looked at is not counted again when the repository has another name', async () => {
  const { url, client, receiver, add, visit } = await openOperated(withStatus(404));
  await client.subscription.create('ada', 'world', 'signals', { filter: {}, webhookUrl: receiver.url });
  await add('b');
  const { page } = await visit({ signedIn: true });
  await page.goto(`${url}/ada/world/operate/notifications`);
  const told = page.getByRole('list', { name: 'Notifications' });
  await told.getByText('HTTP_404').waitFor();
  await client.repo.rename('ada', 'world', { newName: 'earth' });
  await client.commit.submit('ada', 'earth', { operations: [{ operation: 'add', name: 'Signal/c', data: {} }] });
  await page.goto(`${url}/ada/earth/operate/runs`);
  await page
    .getByRole('navigation', { name: 'Repository' })
    .getByRole('link', { name: 'Operate 1 failed', exact: true })
    .waitFor();
  expect((await client.action.notifications('ada', 'earth')).items).toHaveLength(2);
});
