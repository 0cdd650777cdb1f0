// Live streams from a real server, over connections that really break.
import { pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startProxy } from '../../../test/support/proxy.ts';
import { openWorld } from '../../../test/support/sdk-world.ts';
import { createOwnerToken, settingsOf } from '../../../test/support/server.ts';
import { preparedLocation, UPPER_ENGINES } from '../../../test/support/store.ts';
import { readConfig } from '../../server/src/config.ts';
import { startServer } from '../../server/src/server.ts';
import { CairnClient, type LiveInvalidate, type LiveOptions } from './index.ts';

function listen(client: CairnClient, options: LiveOptions = {}) {
  const changes: LiveInvalidate[] = [];
  const ready: number[] = [];
  const live = client.repo.live('ada', 'world', (change) => void changes.push(change), {
    ...options,
    onReady: ({ repoSeq }) => ready.push(repoSeq),
  });
  onTestFinished(() => live.close());
  const until = (condition: () => boolean) => expect.poll(condition).toBe(true);
  return { live, changes, ready, until, isReady: (times = 1) => until(() => ready.length >= times) };
}

const addRoom = (client: CairnClient, name: string) =>
  client.commit.submit('ada', 'world', { operations: [{ name: `Room/${name}`, data: {} }] });

describe.each(UPPER_ENGINES)('client.repo.live on %s', (engine) => {
  it('tells what changes, by a callback or in a loop, until it is closed', async () => {
    const { client } = await openWorld(engine);
    const { live, changes, ready, until, isReady } = listen(client);
    await isReady();
    expect(ready).toEqual([7]);
    await addRoom(client, 'new');
    await until(() => changes.length === 1);
    const change = { repoSeq: 8, affectedShapes: ['Room'], affectedRecords: ['Room/new'] };
    expect(changes).toMatchObject([{ topic: 'repo', ...change }]);
    live.close();
    await live.closed;
    for await (const told of client.repo.live('ada', 'world', undefined, { lastEventId: 7 })) {
      expect(told).toMatchObject(change);
      break;
    }
    const never = client.repo.live('ada', 'world');
    never.close();
    await never.closed;
  });

  it('goes on after a cut, and tells in one change what was missed', async () => {
    const { url, client, through } = await openWorld(engine);
    const proxy = await startProxy(url, {});
    const { changes, ready, until, isReady } = listen(through(proxy.url, { retry: { pauseMs: 10 } }));
    await isReady();
    await addRoom(client, 'first');
    await until(() => changes.length === 1);
    proxy.cut();
    for (const name of ['second', 'third']) await addRoom(client, name);
    await isReady(2);
    await until(() => changes.at(-1)?.repoSeq === 10);
    const names = changes.flatMap(({ affectedRecords }) => affectedRecords);
    expect(new Set(names)).toEqual(new Set(['Room/first', 'Room/second', 'Room/third']));
    expect(ready.length).toBeGreaterThan(1);
  });

  it('goes on when the server was away', async () => {
    const settings = settingsOf(await preparedLocation(engine));
    const start = (port: string) => startServer(readConfig([], { PORT: port, ...settings }), pino({ level: 'silent' }));
    const first = await start('0');
    const token = await createOwnerToken(first.store);
    const client = new CairnClient({ url: first.url, token, retry: { pauseMs: 10 } });
    await client.repo.create('ada', 'world');
    await client.shape.create('ada', 'world', 'Room', { fields: {} });
    const cuts: unknown[] = [];
    const { changes, until, isReady } = listen(client, { onCut: (error) => cuts.push(error.code) });
    await isReady();
    await first.stop();
    const second = await start(new URL(first.url).port);
    onTestFinished(() => second.stop());
    await isReady(2);
    await addRoom(client, 'after');
    await until(() => changes.some(({ affectedRecords }) => affectedRecords.includes('Room/after')));
    expect(cuts.length).toBeGreaterThan(0);
  });

  it('gives up a connection on which nothing comes', async () => {
    const { url, through } = await openWorld(engine);
    const proxy = await startProxy(url, {});
    const { isReady } = listen(through(proxy.url, { retry: { pauseMs: 10, silenceMs: 300 } }));
    await isReady(3);
    expect(proxy.connections()).toBeGreaterThan(2);
  });

  it('ends when the right to listen does', async () => {
    const { url, client } = await openWorld(engine);
    const { token } = await client.token.create('listener', {
      scopes: [{ resource: 'ada/world', permissions: ['repo:read'] }],
    });
    const revoked = vi.fn();
    const { live, isReady } = listen(new CairnClient({ url, token }), { onRevoked: revoked });
    await isReady();
    await client.token.revoke('listener');
    await addRoom(client, 'unheard');
    await expect(live.closed).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(revoked).toHaveBeenCalledOnce();
  });

  it('refuses whom the server refuses, at once', async () => {
    const { url, client } = await openWorld(engine);
    const requests = vi.fn(fetch);
    const watched = new CairnClient({ url, fetch: requests });
    await expect(watched.repo.live('ada', 'world', () => {}).closed).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(requests).toHaveBeenCalledTimes(1);
    const loop = async () => {
      for await (const _ of client.repo.live('ada', 'nowhere'));
    };
    await expect(loop()).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const away = new CairnClient({ url: 'http://127.0.0.1:1', retry: { tries: 2, pauseMs: 0 } });
    await expect(away.repo.live('ada', 'world', () => {}).closed).rejects.toMatchObject({ code: 'NETWORK_ERROR' });
  });

  it('ends with what the callback throws, and when it is aborted', async () => {
    const { client } = await openWorld(engine);
    const broken = client.repo.live('ada', 'world', () => Promise.reject(new Error('no more')), { lastEventId: 3 });
    await expect(broken.closed).rejects.toThrow('no more');
    const stopping = new AbortController();
    const { live, isReady } = listen(client, { signal: stopping.signal });
    await isReady();
    stopping.abort();
    await live.closed;
    await client.repo.live('ada', 'world', () => {}, { signal: stopping.signal }).closed;
  });
});
