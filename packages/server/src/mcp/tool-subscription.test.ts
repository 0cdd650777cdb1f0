// Subscriptions managed entirely through tools, as an agent would.
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { createActionWorld, WORLD } from '../../../../test/support/action.ts';
import { mcpSender, PROTOCOLS } from '../../../../test/support/mcp.ts';
import { withStatus } from '../../../../test/support/receiver.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { createSubscribable, HOOK } from '../../../../test/support/subscription.ts';
import { toolCaller } from '../../../../test/support/tool.ts';

describe.each(UPPER_ENGINES)('subscriptions by tools on %s', (engine) => {
  it.each(PROTOCOLS)(
    verifies('are made, changed, watched and removed, in %s', '4.6/subscriptions-mcp'),
    async (protocol) => {
      const { app, token, commit, owner } = await createSubscribable(engine);
      const send = mcpSender(app, { protocol, token });
      const call = async (name: string, input: object) => {
        const { status, result, body } = await send('tools/call', { name, arguments: { ...WORLD, ...input } });
        expect([status, result?.isError], body).toEqual([200, undefined]);
        return result.structuredContent;
      };
      const set = (action: string, input: object = {}) => call('subscription_set', { action, name: 'told', ...input });
      const names = async () => (await call('subscription_list', {})).items.map(({ name }: { name: string }) => name);

      await commit([{ kind: 'shape', name: 'Sensor', data: { fields: {} } }]);
      expect(await names()).toEqual([]);
      await set('create', { webhookUrl: HOOK, filter: { kind: 'shape' } });
      expect(await names()).toEqual(['told']);
      await set('update', { filter: { shape: 'Sensor' } });
      expect(await call('subscription_list', { name: 'told' })).toMatchObject({ filter: { shape: 'Sensor' } });
      await commit([{ name: 'Sensor/one', data: {} }]);
      expect((await call('action_runs', {})).items).toHaveLength(1);

      await set('pause');
      expect(await call('subscription_list', { name: 'told' })).toEqual(
        (await owner('subscription.get', { ...WORLD, name: 'told' })).data(),
      );
      await commit([{ name: 'Sensor/two', data: {} }]);
      expect((await call('action_runs', {})).items).toHaveLength(1);
      await set('resume');
      (await owner('credential.create', { ...WORLD, name: 'keys' })).data();
      expect((await call('subscription_list', { credentials: true })).items).toMatchObject([{ name: 'keys' }]);
      await set('bindCredentials', { credentialSet: 'keys' });
      expect(await call('subscription_list', { name: 'told' })).toMatchObject({ credentialSet: 'keys' });
      await set('unbindCredentials');
      await set('delete');
      expect(await names()).toEqual([]);
    },
  );

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
    await expect.poll(async () => (await runs('failed_terminal')).length).toBe(1);
    const [{ runId }] = await runs('failed_terminal');
    const attempts = (await call('action_runs', { ...WORLD, runId })).data();
    expect(attempts.items).toMatchObject([{ attempt: 1, outcome: 'failed', httpStatus: 400 }]);
    const failed = (await call('action_runs', { ...WORLD, notifications: true })).data();
    expect(failed.items).toMatchObject([{ runId, status: 'failed_terminal' }]);
    receiver.answer(withStatus(200));
    (await call('subscription_set', { ...WORLD, action: 'retry', runId })).data();
    await expect.poll(async () => (await runs('succeeded')).length).toBe(1);
  });
});
