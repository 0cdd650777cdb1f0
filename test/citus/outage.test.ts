// A real Citus cluster: its database has data before it is distributed, and it loses a worker.
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../packages/server/src/store.ts';
import { isCitusInstalled, startCluster, type TestCluster } from '../support/citus/cluster.ts';
import { createOnCluster, distributeAt } from '../support/citus/location.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { caller } from '../support/procedure.ts';
import { createOwnerToken, createTestAppOn, settingsOf, startServerProcess } from '../support/server.ts';
import { openStoreAt } from '../support/store.ts';

const HOOK_MS = 5 * 60_000;
const REPOSITORIES = 8;
const FROZEN_MS = 15_000;

describe.skipIf(!isCitusInstalled())('on a Citus cluster', () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await startCluster();
  }, HOOK_MS);
  afterAll(() => cluster?.stop(), HOOK_MS);

  /** A server with several repositories, one of which exists before the distribution. */
  async function prepare() {
    const { location } = await createOnCluster(cluster.url, false);
    const before = await openStore(location);
    const { app } = createTestAppOn(before);
    const token = await createOwnerToken(before);
    const call = caller(app, token);
    const repositories = Array.from({ length: REPOSITORIES }, (_, n) => ({ orgName: 'ada', repoName: `r${n}` }));
    for (const { orgName, repoName } of repositories) (await call('repo.create', { orgName, name: repoName })).data();
    await before.close();
    await distributeAt(location.url);
    const store = await openStoreAt(location);
    return { store, token, location, repositories, call: caller(createTestAppOn(store).app, token) };
  }

  it('counts on from the ids that there were before', async () => {
    const { store, call } = await prepare();
    const counters = await store.database.query<{ name: string; last: number; max: number | null }>(
      `select c.relname as name, pg_sequence_last_value(pg_get_serial_sequence(quote_ident(c.relname), a.attname)::regclass) as last
       from pg_attribute a join pg_class c on c.oid = a.attrelid
       where a.attidentity <> '' and c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'`,
    );
    expect(counters.map(({ name }) => name)).toContain('audit');
    for (const { name, last } of counters) {
      const [row] = await store.database.query<{ max: number | null }>(`select max(id) as max from "${name}"`);
      expect([name, (last ?? 0) >= (row?.max ?? 0)]).toEqual([name, true]);
    }
    for (let n = 0; n < 3; n++) (await call('repo.create', { orgName: 'ada', name: `new${n}` })).data();
  });

  it('answers 503 for repositories on a worker that is down, and goes on with the others', async () => {
    const { call, repositories } = await prepare();
    const shape = { name: 'Place', fields: { n: 'number' } } as const;
    for (const address of repositories) (await call('shape.create', { ...address, ...shape })).data();
    const readAll = () => Promise.all(repositories.map((address) => call('shape.get', { ...address, name: 'Place' })));
    const write = (n: number) => (address: (typeof repositories)[number]) =>
      call('commit.submit', { ...address, operations: [{ name: `Place/p${n}`, data: { n } }] } as never);
    const [worker] = cluster.workers;
    await worker?.crash();
    const down = [...(await readAll()), ...(await Promise.all(repositories.map(write(1))))];
    expect(new Set(down.map(({ status }) => status))).toEqual(new Set([200, 503]));
    const refused = down.filter(({ status }) => status === 503);
    expect(refused.every(({ headers, code }) => headers.has('retry-after') && code === 'UNAVAILABLE')).toBe(true);
    await worker?.restart();
    await expect
      .poll(async () => (await readAll()).every(({ status }) => status === 200), { timeout: 60_000 })
      .toBe(true);
    const written = await Promise.all(repositories.map(write(2)));
    expect(written.map(({ status }) => status)).toEqual(repositories.map(() => 200));
  });

  it('has searches follow soon after a worker was frozen', async () => {
    const { call, store, token, location, repositories } = await prepare();
    const server = startServerProcess({ ...settingsOf(location), PORT: '0' });
    const [, url = ''] = await server.printed(/is at (\S+) /);
    const find = async (address: (typeof repositories)[number], q: string) => {
      const input = encodeURIComponent(JSON.stringify({ ...address, q }));
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${url}/trpc/thing.search?input=${input}`, { headers });
      const { result } = (await answer.json()) as { result?: { data: { items: unknown[] } } };
      return (result?.data.items.length ?? 0) > 0;
    };
    const areFound = async (q: string) => (await Promise.all(repositories.map((one) => find(one, q)))).every(Boolean);
    const write = async (word: string) => {
      const operations = [{ name: `Place/${word}`, data: { word } }];
      const submissions = repositories.map((address) => call('commit.submit', { ...address, operations } as never));
      expect(new Set((await Promise.all(submissions)).map(({ status }) => status))).toEqual(new Set([200]));
    };
    const shape = { name: 'Place', fields: { word: 'string' } } as const;
    for (const address of repositories) (await call('shape.create', { ...address, ...shape })).data();
    await write('before');
    await expect.poll(() => areFound('before'), { timeout: PATIENCE_MS }).toBe(true);
    const [worker] = cluster.workers;
    const unfreeze = worker?.freeze();
    // Some of the writes wait for the frozen worker, and so does the search index.
    const during = write('during');
    await pause(FROZEN_MS);
    unfreeze?.();
    await during;
    await write('after');
    await expect.poll(() => areFound('after'), { timeout: PATIENCE_MS }).toBe(true);
    await store.close();
  });
});
