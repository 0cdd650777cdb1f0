// Contents and targets of deliveries: signed by the credential set, sent only to its bound origin, and never stored.
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { type ActionWorld, createActionWorld, type DeliverOptions, WORLD } from '../../../../../test/support/action.ts';
import type { Answering } from '../../../../../test/support/receiver.ts';
import { tracesOf } from '../../../../../test/support/secret-trace.ts';
import { UPPER_ENGINES } from '../../../../../test/support/store.ts';
import type { Engine } from '../../engine/database.ts';

const SET = { ...WORLD, name: 'hooks' };
const KEYS = {
  WEBHOOK_SIGNING_SECRET: `whsec_${Buffer.alloc(32, 'signing').toString('base64')}`,
  WEBHOOK_API_KEY: 'an api key "of" some/length',
  WEBHOOK_BASIC_USERNAME: 'receiver-of-hooks',
  WEBHOOK_BASIC_PASSWORD: 'a password of some length',
};

async function createSignedWorld(engine: Engine, answering?: Answering): Promise<ActionWorld> {
  const world = await createActionWorld(engine, answering);
  (await world.owner('credential.create', SET)).data();
  (await world.owner('credential.setKeys', { ...SET, keys: KEYS })).data();
  await world.subscribe({ credentialSet: 'hooks' });
  return world;
}

async function deliverOne(world: ActionWorld, options?: DeliverOptions) {
  await world.add('a');
  const delivering = await world.deliver(options);
  const over = /succeeded|failed_terminal|dead_letter/;
  await expect.poll(async () => (await world.runs())[0]?.status).toMatch(over);
  const [run] = await world.runs();
  return { run, ...delivering };
}

describe.each(UPPER_ENGINES)('deliveries with credentials on %s', (engine) => {
  it('verify with the library of the standard; with a byte changed they do not', async () => {
    const world = await createSignedWorld(engine);
    const { run } = await deliverOne(world);
    expect(run?.status).toBe('succeeded');
    const [delivery] = world.receiver.received;
    const headers = delivery?.headers as Record<string, string>;
    const text = delivery?.text ?? '';
    const webhook = new Webhook(KEYS.WEBHOOK_SIGNING_SECRET);
    expect(webhook.verify(text, headers)).toMatchObject({ runId: run?.runId });
    expect(() => webhook.verify(text.replace('cairn.write', 'cairn.writf'), headers)).toThrow();
    expect(headers['x-api-key']).toBe(KEYS.WEBHOOK_API_KEY);
  });

  it('are not sent when the set was revoked, nor when it is for another origin', async () => {
    const revoked = await createSignedWorld(engine);
    (await revoked.owner('credential.revoke', SET)).data();
    expect((await deliverOne(revoked)).run).toMatchObject({
      status: 'failed_terminal',
      lastErrorCode: 'CREDENTIALS_REVOKED',
    });
    expect(revoked.receiver.received).toEqual([]);

    const world = await createSignedWorld(engine);
    const { stop } = await deliverOne(world);
    await stop();
    await world.subscribe({ name: 'other', webhookUrl: 'https://other.example.com/', credentialSet: 'hooks' });
    await world.add('b');
    await world.deliver({ resolve: async () => ['127.0.0.1'] });
    const codeOf = async (name: string) =>
      (await world.runs()).find((run) => run.subscriptionName === name)?.lastErrorCode;
    await expect.poll(() => codeOf('other')).toBe('CREDENTIALS_UNBOUND');
    expect(world.receiver.received.every(({ body }) => body.subscriptionName === 'watcher')).toBe(true);
  });

  it('keep nothing of the values that a receiver sends back, in any form', async () => {
    const echo: Answering = (response, { headers, text }) => {
      const values = Object.values(KEYS);
      const forms = values.flatMap((value) => [
        value,
        encodeURIComponent(value),
        Buffer.from(value).toString('base64'),
        Buffer.from(value).toString('hex'),
      ]);
      response.writeHead(400).end(JSON.stringify({ headers, text, values, forms: forms.join(' ') }));
    };
    const world = await createSignedWorld(engine, echo);
    const { run, failures } = await deliverOne(world);
    expect(run?.status).toBe('failed_terminal');
    const attempts = await world.attempts(run?.runId ?? '');
    expect(attempts[0]?.responseSnippet).toContain('***');
    const notifications = (await world.owner('action.notifications', WORLD)).data();
    const rows = await Promise.all(
      ['run', 'attempt', 'notification', 'credential_event', 'audit'].map((table) =>
        world.store.database.query(`select * from ${table}`),
      ),
    );
    const text = JSON.stringify([run, attempts, notifications, rows, world.logged, failures]);
    expect(Object.values(KEYS).flatMap((value) => tracesOf(value, text))).toEqual([]);
  });

  it.each<[string, DeliverOptions]>([
    ['is not permitted any more', { allow: [] }],
    ['leads to a private address by now', { allow: [], resolve: async () => ['10.0.0.1', '127.0.0.1'] }],
  ])('are not sent to a target that %s', async (_, options) => {
    const world = await createActionWorld(engine);
    const saved = options.resolve && { webhookUrl: 'https://hooks.example.com/secret-path' };
    await world.subscribe({ ...saved });
    const { run } = await deliverOne(world, options);
    expect(run).toMatchObject({ status: 'failed_terminal', lastErrorCode: 'TARGET_REFUSED', attemptCount: 1 });
    expect(JSON.stringify(run)).not.toContain('secret-path');
    expect(world.receiver.received).toEqual([]);
  });
});
