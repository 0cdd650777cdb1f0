// Deliveries with credentials, and next to a slow receiver.
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { createActionWorld, WORLD } from '../../../../../test/support/action.ts';
import { startReceiver, withStatus } from '../../../../../test/support/receiver.ts';
import { createOwnerToken, startTestServer } from '../../../../../test/support/server.ts';
import { ENGINES } from '../../../../../test/support/store.ts';

const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes, ok').toString('base64')}`;

describe.each(ENGINES)('deliveries with credentials on %s', (engine) => {
  it('are signed, so that a changed byte shows; and what was kept of the answer holds no secret', async () => {
    const world = await createActionWorld(engine, (response, { headers }) => {
      response.writeHead(200).end(`you sent ${headers.authorization} and ${SECRET}`);
    });
    const set = { ...WORLD, name: 'hooks' };
    (await world.owner('credential.create', set)).data();
    const keys = { WEBHOOK_SIGNING_SECRET: SECRET, WEBHOOK_BEARER_TOKEN: 'the-bearer-of-the-hook' };
    (await world.owner('credential.setKeys', { ...set, keys })).data();
    await world.subscribe({ credentialSet: 'hooks' });
    await world.add('a');
    await world.deliver();
    await expect.poll(async () => (await world.runs())[0]?.status).toBe('succeeded');
    const [delivery] = world.receiver.received;
    const headers = delivery?.headers as Record<string, string>;
    const text = delivery?.text ?? '';
    expect(new Webhook(SECRET).verify(text, headers)).toMatchObject({ event: 'cairn.write' });
    expect(() => new Webhook(SECRET).verify(text.replace('cairn', 'Cairn'), headers)).toThrow();
    expect(headers.authorization).toBe('Bearer the-bearer-of-the-hook');
    const [run] = await world.runs();
    const kept = JSON.stringify([await world.attempts(run?.runId ?? ''), world.logged]);
    expect(kept).toContain('you sent');
    for (const secret of Object.values(keys)) expect(kept).not.toContain(secret);
  });

  it('send nothing once the set is revoked', async () => {
    const world = await createActionWorld(engine);
    const set = { ...WORLD, name: 'hooks' };
    (await world.owner('credential.create', set)).data();
    (await world.owner('credential.setKeys', { ...set, keys: { WEBHOOK_SIGNING_SECRET: SECRET } })).data();
    await world.subscribe({ credentialSet: 'hooks' });
    await world.add('a');
    (await world.owner('credential.revoke', set)).data();
    await world.deliver();
    await expect.poll(async () => (await world.runs())[0]?.status).toBe('failed_terminal');
    expect((await world.runs())[0]?.lastErrorCode).toBe('CREDENTIALS_REVOKED');
    expect(world.receiver.received).toEqual([]);
  });
});

describe.each(ENGINES)('deliveries of a server on %s', (engine) => {
  it('reach others while one receiver hangs, and are measured', async () => {
    const slow = await startReceiver(() => {});
    const quick = await startReceiver(withStatus(200));
    const metricsToken = 'a token for metrics that is long enough';
    const server = await startTestServer(engine, {
      CAIRN_OUTBOUND_ALLOW: `${slow.address},${quick.address}`,
      CAIRN_METRICS_TOKEN: metricsToken,
    });
    const token = await createOwnerToken(server.store);
    const call = async (name: string, input: object) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const answer = await fetch(`${server.url}/trpc/${name}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(input),
      });
      expect([name, answer.status]).toEqual([name, 200]);
    };
    const repo = { orgName: 'ada', repoName: 'world' };
    await call('repo.create', { orgName: 'ada', name: 'world' });
    for (const [name, { url }] of [
      ['slow', slow],
      ['quick', quick],
    ] as const) {
      await call('subscription.create', { ...repo, name, filter: {}, webhookUrl: url });
    }
    await call('commit.submit', { ...repo, operations: [{ kind: 'shape', name: 'Signal', data: { fields: {} } }] });
    for (let n = 0; n < 20; n++)
      await call('commit.submit', { ...repo, operations: [{ name: `Signal/${n}`, data: {} }] });
    await expect.poll(() => quick.received.length).toBe(21);
    await expect.poll(() => slow.received.length).toBe(8);
    const headers = { authorization: `Bearer ${metricsToken}` };
    const figures = async () => await (await fetch(`${server.url}/metrics`, { headers })).text();
    await expect.poll(figures).toContain('cairn_deliveries{counted="succeeded"} 21');
    const text = await figures();
    expect(text).toContain('cairn_deliveries{counted="in_flight"} 8');
    expect(text).toContain('cairn_delivery_queue{counted="pending"} 13');
    expect(text).toContain('cairn_delivery_queue{counted="running"} 8');
    expect(text).toMatch(/cairn_delivery_queue\{counted="oldest_due_seconds"\} \d/);
  });
});
