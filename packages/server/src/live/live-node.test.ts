// Live streams across processes on one database, with and without notifications.
import { describe, expect, it } from 'vitest';
import { grantOn } from '../../../../test/support/grant.ts';
import { createLiveWorld, LiveClient, listen, serve, signal, ticketOf, WORLD } from '../../../../test/support/live.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { commitInput } from '../../../../test/support/repository.ts';
import { createTestAppOn } from '../../../../test/support/server.ts';
import { openStoreAt, UPPER_ENGINES } from '../../../../test/support/store.ts';
import { commit as applyCommit } from '../commit/commit.write.ts';
import { WriterMemory } from '../commit/record-set.sql.ts';
import type { Engine } from '../engine/database.ts';
import { openPostgresWriter } from '../engine/postgres/postgres.ts';

async function createNodes(engine: Engine) {
  const here = await createLiveWorld(engine);
  const test = createTestAppOn(await openStoreAt(here.location));
  const there = { ...test, url: await serve(test), owner: caller(test.app, here.token) };
  return { here, there };
}

describe.each(UPPER_ENGINES)('live streams of several nodes on %s', (engine) => {
  it('tell of what is committed on any of them', async () => {
    const { here, there } = await createNodes(engine);
    const clients = [await listen(here.url, here.owner), await listen(there.url, here.owner)];
    for (const [n, { owner }] of [here, there, here].entries()) {
      const { repoSeq } = (await owner('commit.submit', { ...WORLD, operations: [signal(`s${n}`)] })).data();
      for (const client of clients) {
        expect(await client.next()).toMatchObject({ id: String(repoSeq), data: { affectedRecords: [`Signal/s${n}`] } });
      }
    }
  });

  it('take a ticket once in all, whichever issued it', async () => {
    const { here, there } = await createNodes(engine);
    const ticket = await ticketOf(here.owner);
    const first = await LiveClient.open(there.url, { ticket });
    const second = await LiveClient.open(here.url, { ticket });
    expect([first.answer.statusCode, second.answer.statusCode]).toEqual([200, 401]);
  });

  it('tell once of commits that come close together, and of all of them', async () => {
    const { here, there } = await createNodes(engine);
    const client = await listen(there.url, here.owner);
    const names = Array.from({ length: 30 }, (_, n) => `many-${n}`);
    await Promise.all(names.map((name) => here.commit([signal(name)])));
    const heard = new Set<string>();
    const ids: number[] = [];
    while (heard.size < names.length) {
      const { id, data } = await client.next();
      ids.push(Number(id));
      for (const name of data.affectedRecords) {
        expect(heard).not.toContain(name);
        heard.add(name);
      }
    }
    expect(heard).toEqual(new Set(names.map((name) => `Signal/${name}`)));
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expect(ids.at(-1)).toBe(names.length + 1);
  });

  it('are told of an import when it is complete', async () => {
    const { here } = await createNodes(engine);
    const { owner, url, app, token } = here;
    await here.commit([signal('a'), signal('b')]);
    const headers = { authorization: `Bearer ${token}` };
    const text = await (await app.request('/api/repos/acme/world/export', { headers })).text();
    const [header = '', ...rows] = text.trimEnd().split('\n');
    const end = JSON.parse(rows.pop() ?? '');
    const copy = { orgName: 'acme', repoName: 'copy' };
    await owner('repo.create', { orgName: 'acme', name: 'copy' });
    const { importId } = (await owner('import.begin', { ...copy, header: JSON.parse(header) })).data();
    const client = await LiveClient.open(url, { ticket: await ticketOf(owner, copy) });
    expect((await client.next()).data).toEqual({ repoSeq: 0 });
    await owner('import.append', { ...copy, importId, offset: 0, lines: `${rows.join('\n')}\n` });
    for (let state = 'checking'; state === 'checking'; ) {
      ({ state } = (await owner('import.finish', { ...copy, importId, end })).data());
    }
    const { id, data } = await client.next();
    expect(id).toBe('2');
    expect(data).toMatchObject({ truncated: true, affectedRecords: expect.arrayContaining(['Signal/a', 'Signal/b']) });
  });
});

it('a live stream on postgres hears of a commit whose notice was lost', async () => {
  const { url, owner, store, location } = await createLiveWorld('postgres');
  const client = await listen(url, owner);
  const grant = await grantOn(store, WORLD);
  const writer = openPostgresWriter(location.engine === 'postgres' ? location.url : '');
  await writer.transaction((tx) => applyCommit(tx, commitInput(grant, [signal('quiet')]), new WriterMemory()));
  await writer.close();
  expect((await client.next()).data.affectedRecords).toEqual(['Signal/quiet']);
});
