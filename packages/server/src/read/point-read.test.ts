// Reading a record by its name alone equals reading it in a list or at the present sequence.
import { describe, expect, it } from 'vitest';
import { caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, createTestApp } from '../../../../test/support/server.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import type { Engine } from '../engine/database.ts';

const WORLD = { orgName: 'acme', repoName: 'world' };
const PATH = '/api/repos/acme/world/head';
const NAMES = [
  'Place/cave',
  'Place/hall',
  'Place/old',
  'Place/gone',
  'Place/none',
  'Claim/deep',
  'Set/both',
  'Place',
  'Nowhere/x',
];

async function prepare(engine: Engine) {
  const { app, store } = await createTestApp(engine);
  const token = await createOwnerToken(store);
  const call = caller(app, token);
  await call('org.create', { name: 'acme' });
  await call('repo.create', { orgName: 'acme', name: 'world' });
  const commit = async (operations: object[]) => (await call('commit.submit', { ...WORLD, operations })).data();
  await commit([
    { kind: 'shape', name: 'Place', data: { fields: { 'depth?': 'number', 'near?': 'wref' } } },
    { kind: 'shape', name: 'Claim', data: { fields: { text: 'string' } } },
  ]);
  await commit([
    { name: 'Place/cave', data: { depth: 3 } },
    { name: 'Place/old', data: { depth: 1 } },
    { name: 'Place/gone', data: {} },
  ]);
  await commit([
    { name: 'Place/hall', data: { near: 'Place/old', depth: 2 } },
    { kind: 'assertion', name: 'Claim/deep', about: 'Place/old', data: { text: 'It is deep.' } },
    { type: 'set', name: 'Set/both', members: ['Place/cave', 'Place/old'] },
  ]);
  await commit([{ operation: 'retract', name: 'Place/gone', reason: 'It fell in.' }]);
  await call('thing.rename', { ...WORLD, name: 'Place/old', newName: 'Place/new' });
  const read = async (query: string, headers: object = {}) => {
    const answer = await app.request(`${PATH}?${query}`, { headers: { authorization: `Bearer ${token}`, ...headers } });
    return { status: answer.status, etag: answer.headers.get('etag') ?? '', body: await answer.text() };
  };
  return { app, call, commit, read };
}

describe.each(ENGINES)('a record by its name on %s', (engine) => {
  it('reads as in a list, and as at the present sequence', async () => {
    const { call, read } = await prepare(engine);
    const atRepoSeq = (await call('repo.get', WORLD)).data().repoSeq;
    for (const wref of [...NAMES, 'Place/new']) {
      const [alone, listed] = [await read(`match=${wref}`), await read(`match=${wref}&order=name`)];
      expect([wref, alone.status, alone.body]).toEqual([wref, 200, listed.body]);
      const [now, then] = [
        await call('thing.get', { ...WORLD, wref }),
        await call('thing.get', { ...WORLD, wref, atRepoSeq }),
      ];
      expect([wref, now.status]).toEqual([wref, then.status]);
      if (now.status === 200) expect(now.data()).toEqual(then.data());
    }
    expect((await read('match=Place/hall')).body).toContain('"near":"Place/new@v1"');
  });

  it('has a tag that stands until something is committed', async () => {
    const { commit, read } = await prepare(engine);
    const { etag } = await read('match=Place/cave');
    expect(await read('match=Place/cave', { 'if-none-match': etag })).toMatchObject({ status: 304, etag, body: '' });
    expect((await read('match=Place/new', { 'if-none-match': etag })).status).toBe(200);
    await commit([{ operation: 'revise', name: 'Place/cave', data: { depth: 4 } }]);
    const revised = await read('match=Place/cave', { 'if-none-match': etag });
    expect([revised.status, revised.body]).toEqual([200, expect.stringContaining('"depth":4')]);
  });

  it('is hidden from those who may not read it, and from a token that may read others alone', async () => {
    const { app, call } = await prepare(engine);
    const narrowed = (
      await call('token.create', {
        name: 'narrowed',
        scopes: [{ resource: 'acme/world', permissions: ['repo:read'], shapes: ['Claim'] }],
      })
    ).data().token;
    const ask = async (wref: string, token?: string) => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const answer = await app.request(`${PATH}?match=${wref}`, { headers });
      const got = await caller(app, token)('thing.get', { ...WORLD, wref });
      const body = (await answer.json()) as { items?: unknown[] };
      return [answer.status, body.items?.length, got.status];
    };
    expect(await ask('Place/cave')).toEqual([404, undefined, 404]);
    expect(await ask('Place/cave', narrowed)).toEqual([200, 0, 404]);
    expect(await ask('Claim/deep', narrowed)).toEqual([200, 1, 200]);
  });
});
