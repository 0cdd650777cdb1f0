// Subscriptions by tools: deliveries that are tried, looked at and sent again. That tools manage subscriptions wholly:
// subscription-tool.test.ts.
import { describe, expect, it } from 'vitest';
import { createActionWorld, WORLD } from '../../../../test/support/action.ts';
import { withStatus } from '../../../../test/support/receiver.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import { toolCaller } from '../../../../test/support/tool.ts';

describe.each(ENGINES)('subscriptions by tools on %s', (engine) => {
  it('are tried out and renamed, and tell nothing of what is secret in their URLs', async () => {
    const { app, token, receiver } = await createActionWorld(engine, withStatus(200));
    const call = toolCaller(app, token);
    const set = async (action: string, more: object = {}) =>
      (await call('subscription_set', { ...WORLD, name: 'watcher', action, ...more })).data();
    const webhookUrl = `${receiver.url}/hook/secret-path`;
    const made = await set('create', { filter: {}, webhookUrl });
    expect(made).toMatchObject({ active: true, webhookOrigin: `${receiver.url}/***` });
    expect(await set('test')).toMatchObject({ outcome: 'succeeded', httpStatus: 200 });
    expect(receiver.received).toHaveLength(1);
    expect(await set('update', { newName: 'guard' })).toMatchObject({ name: 'guard' });
    const listed = (await call('subscription_list', WORLD)).data();
    expect(listed.items).toMatchObject([{ name: 'guard' }]);
    expect(JSON.stringify([made, listed])).not.toContain('secret-path');
  });

  it('tell of organizations too', async () => {
    const { app, token, receiver } = await createActionWorld(engine);
    const call = toolCaller(app, token);
    const form = { orgName: 'acme', name: 'repos', action: 'create', event: 'repo.created', webhookUrl: receiver.url };
    expect((await call('subscription_set', form)).data()).toMatchObject({ event: 'repo.created' });
    expect((await call('subscription_list', { orgName: 'acme' })).data().items).toMatchObject([{ name: 'repos' }]);
    expect((await call('action_runs', { orgName: 'acme' })).data()).toEqual({ items: [] });
  });

  it('show how deliveries went, and deliver again what failed', async () => {
    const { app, token, receiver, subscribe, add, deliver } = await createActionWorld(engine, withStatus(400));
    const call = toolCaller(app, token);
    await subscribe();
    await add('a');
    await deliver();
    const runs = async (status: string) => (await call('action_runs', { ...WORLD, status })).data().items;
    await expect.poll(async () => (await runs('failed_terminal')).length, { timeout: 20_000 }).toBe(1);
    const [{ runId }] = await runs('failed_terminal');
    const attempts = (await call('action_runs', { ...WORLD, runId })).data();
    expect(attempts.items).toMatchObject([{ attempt: 1, outcome: 'failed', httpStatus: 400 }]);
    const failed = (await call('action_runs', { ...WORLD, notifications: true })).data();
    expect(failed.items).toMatchObject([{ runId, status: 'failed_terminal' }]);
    receiver.answer(withStatus(200));
    (await call('subscription_set', { ...WORLD, action: 'retry', runId })).data();
    await expect.poll(async () => (await runs('succeeded')).length, { timeout: 20_000 }).toBe(1);
  });
});
