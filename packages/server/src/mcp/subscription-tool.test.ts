// Subscriptions wholly managed through tools, as an agent would: find out what there is, subscribe, see deliveries, stop.
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { mcpSender, PROTOCOLS } from '../../../../test/support/mcp.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import { createSubscribable, HOOK, WORLD } from '../../../../test/support/subscription.ts';

describe.each(ENGINES)('subscriptions by tools on %s', (engine) => {
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
});
