// One of two nodes has a clock that is ten minutes fast. When it dies, the other node takes over its work as soon as
// the lease ends.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openStore } from '../../packages/server/src/store.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { startReceiver, withStatus } from '../support/receiver.ts';
import { createOwnerToken, settingsOf, startServerProcess } from '../support/server.ts';
import { testLocation } from '../support/store.ts';

const FAST_CLOCK = join(import.meta.dirname, '../support/fast-clock.mjs');
const WORLD = { orgName: 'ada', repoName: 'world' };
const SOON_MS = 60_000;

it('takes up the deliveries of a node whose clock was fast', async () => {
  const location = await testLocation('postgres');
  const store = await openStore(location);
  const token = await createOwnerToken(store);
  const hold = () => {};
  const receiver = await startReceiver(hold);
  const settings = { ...settingsOf(location), PORT: '0', CAIRN_OUTBOUND_ALLOW: receiver.address };
  const start = async (more: Record<string, string>) => {
    const server = startServerProcess({ ...settings, ...more });
    const [, url = ''] = await server.printed(/is at (\S+) /);
    const call = async (name: string, input: object) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const answer = await fetch(`${url}/trpc/${name}`, { method: 'POST', headers, body: JSON.stringify(input) });
      expect([name, answer.status]).toEqual([name, 200]);
      return Date.parse(answer.headers.get('date') ?? '');
    };
    return { server, call };
  };
  const fast = await start({ NODE_OPTIONS: `--import ${FAST_CLOCK}` });
  await fast.call('repo.create', { orgName: 'ada', name: 'world' });
  await fast.call('shape.create', { ...WORLD, name: 'Place', fields: { n: 'number' } });
  const subscription = { name: 'steps', filter: { shape: 'Place' }, webhookUrl: receiver.url };
  await fast.call('subscription.create', { ...WORLD, ...subscription });
  const operations = [{ name: 'Place/a', data: { n: 1 } }];
  await fast.call('commit.submit', { ...WORLD, operations });
  await expect.poll(() => receiver.received.length, { timeout: PATIENCE_MS }).toBe(1);
  fast.server.child.kill('SIGKILL');
  await fast.server.ended();

  const now = await store.database.now();
  const [commit] = await store.database.query<{ at: number }>('select max(created_at) as at from "commit"');
  const [work] = await store.database.query<{ at: number }>('select max(due_at) as at from work');
  const [run] = await store.database.query<{ at: number }>('select max(next_attempt_at) as at from run');
  for (const [name, row] of Object.entries({ commit, work, run })) {
    expect([name, (row?.at ?? 0) > 0, (row?.at ?? 0) < now + SOON_MS]).toEqual([name, true, true]);
  }
  await store.close();

  receiver.answer(withStatus(200));
  await start({});
  await expect.poll(() => receiver.received.length, { timeout: PATIENCE_MS }).toBe(2);
  const [first, second] = receiver.received;
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
});
