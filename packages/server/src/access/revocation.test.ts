// Revoked rights end with the next request, in every process on the database.
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { createComponentToken, createSession } from '../../../../test/support/principal.ts';
import { type CallProcedure, caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, createTestAppOn, ownerIdOf, type TestApp } from '../../../../test/support/server.ts';
import { openStoreAt, testLocation, UPPER_ENGINES } from '../../../../test/support/store.ts';
import { createToken, EVERYTHING } from '../account/account.ts';
import { setAccountActive } from '../account/operator.ts';
import type { Engine } from '../engine/database.ts';
import { findRepository } from '../repository/repository.sql.ts';

const WORLD = { orgName: 'acme', repoName: 'world' };

async function prepare(engine: Engine) {
  const location = await testLocation(engine);
  const [here, there] = [createTestAppOn(await openStoreAt(location)), createTestAppOn(await openStoreAt(location))];
  const { store } = here;
  await createOwnerToken(store);
  const owner = caller(here.app, (await createSession(store, { accountId: await ownerIdOf(store) })).token);
  await owner('org.create', { name: 'acme' });
  await owner('repo.create', { orgName: 'acme', name: 'world' });
  const form = { email: 'eve@example.com', handle: 'eve', passwordHash: '-', operator: false };
  const eve = await store.write.createAccount(form);
  await owner('org.addMember', { orgName: 'acme', handle: 'eve', role: 'editor' });
  const { token } = await createToken(store, { email: 'eve@example.com', name: 'all', scopes: EVERYTHING });
  return { here, there, store, owner, eve, token };
}

const write = { ...WORLD, operations: [{ operation: 'retract', name: 'Signal/none' }] };

async function answersOf(nodes: readonly TestApp[], token: string): Promise<number[]> {
  const calls: CallProcedure[] = nodes.map(({ app }) => caller(app, token));
  const read = calls.map(async (call) => (await call('repo.get', WORLD)).status);
  const wrote = calls.map(async (call) => ((await call('commit.submit', write)).code === 'FORBIDDEN' ? 403 : 200));
  return await Promise.all([...read, ...wrote]);
}

describe.each(UPPER_ENGINES)('on %s', (engine) => {
  it(verifies('a role that is lowered or taken away is gone on every node at once', '5/role-current'), async () => {
    const { here, there, owner, token } = await prepare(engine);
    const nodes = [here, there];
    expect(await answersOf(nodes, token)).toEqual([200, 200, 200, 200]);
    await owner('org.setMemberRole', { orgName: 'acme', handle: 'eve', role: 'viewer' });
    expect(await answersOf(nodes, token)).toEqual([200, 200, 403, 403]);
    await owner('repo.setRole', { ...WORLD, handle: 'eve', role: 'write' });
    expect(await answersOf(nodes, token)).toEqual([200, 200, 200, 200]);
    await owner('repo.setRole', { ...WORLD, handle: 'eve', role: null });
    expect(await answersOf(nodes, token)).toEqual([200, 200, 403, 403]);
    await owner('org.removeMember', { orgName: 'acme', handle: 'eve' });
    const [first, second] = await answersOf(nodes, token);
    expect([first, second]).toEqual([404, 404]);
  });

  it('a token that is revoked, a session that ends and an account that is deactivated are gone on every node at once', async () => {
    const { here, there, store, eve, token } = await prepare(engine);
    const { token: jwt } = await createSession(store, { accountId: eve.id });
    const whoami = async (bearer: string) =>
      await Promise.all([here, there].map(async ({ app }) => (await caller(app, bearer)('auth.whoami', {})).status));
    const child = (await caller(here.app, token)('token.create', { name: 'child', scopes: [...EVERYTHING] })).data()
      .token;
    expect(await Promise.all([token, child, jwt].map(whoami))).toEqual([
      [200, 200],
      [200, 200],
      [200, 200],
    ]);
    await caller(there.app, token)('token.revoke', { name: 'child' });
    expect(await Promise.all([token, child, jwt].map(whoami))).toEqual([
      [200, 200],
      [401, 401],
      [200, 200],
    ]);
    await store.write.endSessions({ accountId: eve.id, now: Date.now() });
    expect(await Promise.all([token, child, jwt].map(whoami))).toEqual([
      [200, 200],
      [401, 401],
      [401, 401],
    ]);
    await setAccountActive(store, { email: 'eve@example.com', active: false });
    expect(await Promise.all([token, child, jwt].map(whoami))).toEqual([
      [401, 401],
      [401, 401],
      [401, 401],
    ]);
  });

  it('a component whose repository is deleted is gone on every node at once', async () => {
    const { here, there, store, owner } = await prepare(engine);
    const repoId = (await findRepository(store.database, WORLD))?.repoId ?? 0;
    const token = await createComponentToken(store, { repoId });
    const whoami = async () =>
      await Promise.all([here, there].map(async ({ app }) => (await caller(app, token)('auth.whoami', {})).status));
    expect(await whoami()).toEqual([200, 200]);
    await owner('repo.delete', WORLD);
    expect(await whoami()).toEqual([401, 401]);
  });

  it('a repository that is closed is hidden on every node at once', async () => {
    const { here, there, owner } = await prepare(engine);
    const read = async () =>
      await Promise.all([here, there].map(async ({ app }) => (await caller(app)('repo.get', WORLD)).status));
    await owner('repo.setVisibility', { ...WORLD, visibility: 'public' });
    expect(await read()).toEqual([200, 200]);
    await owner('repo.setVisibility', { ...WORLD, visibility: 'private' });
    expect(await read()).toEqual([404, 404]);
  });

  it('what is taken away under load is gone with the next request on every node', async () => {
    const { here, there, store, owner, eve, token } = await prepare(engine);
    const { token: session } = await createSession(store, { accountId: eve.id });
    const nodes = [here, there];
    const commit = [
      { kind: 'shape', name: 'Signal', data: {} },
      { name: 'Signal/a', data: {} },
    ];
    await owner('commit.submit', { ...WORLD, operations: commit });
    await owner('repo.setVisibility', { ...WORLD, visibility: 'public' });
    const input = encodeURIComponent(JSON.stringify({ ...WORLD, wref: 'Signal/a' }));
    const paths = ['/api/repos/acme/world/head?match=Signal/a', `/trpc/thing.get?input=${input}`];
    const read = async ({ app }: TestApp, path: string, bearer: string | undefined) => {
      const headers: Record<string, string> = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
      return (await app.request(path, { headers })).status;
    };
    const other = (await createToken(store, { email: 'eve@example.com', name: 'other', scopes: EVERYTHING })).token;
    const takings: [string, string | undefined, () => Promise<unknown>, number][] = [
      [
        'a repository made private',
        undefined,
        () => owner('repo.setVisibility', { ...WORLD, visibility: 'private' }),
        404,
      ],
      [
        'a revoked token',
        other,
        async () => (await caller(here.app, session)('token.revoke', { name: 'other' })).data(),
        401,
      ],
      ['a removed role', token, () => owner('org.removeMember', { orgName: 'acme', handle: 'eve' }), 404],
      ['a deactivated account', token, () => setAccountActive(store, { email: 'eve@example.com', active: false }), 401],
    ];
    for (const [what, bearer, take, status] of takings) {
      let isTaken = false;
      let isOver = false;
      let asked = 0;
      const late: number[] = [];
      const ask = async (node: TestApp, path: string) => {
        while (!isOver) {
          const isAfter = isTaken;
          const answered = await read(node, path, bearer);
          asked++;
          if (isAfter) late.push(answered);
        }
      };
      const eachWay = <Result>(on: (node: TestApp, path: string) => Result) =>
        nodes.flatMap((node) => paths.map((path) => on(node, path)));
      const load = [...eachWay(ask), ...eachWay(ask)];
      while (asked < 50) await new Promise((turn) => setTimeout(turn, 5));
      await take();
      isTaken = true;
      const next = await Promise.all(eachWay((node, path) => read(node, path, bearer)));
      while (late.length < 40) await new Promise((turn) => setTimeout(turn, 5));
      isOver = true;
      await Promise.all(load);
      expect([what, next, [...new Set(late)]]).toEqual([what, [status, status, status, status], [status]]);
    }
  });

  it('commits under load end with what is taken away, and none is made afterwards', async () => {
    const { here, there, store, owner, eve, token } = await prepare(engine);
    const { token: session } = await createSession(store, { accountId: eve.id });
    const nodes = [here, there];
    await owner('shape.create', { ...WORLD, name: 'Signal', fields: {} });
    const other = (await createToken(store, { email: 'eve@example.com', name: 'other', scopes: EVERYTHING })).token;
    const setRole = (role: 'editor' | 'viewer') => () =>
      owner('org.setMemberRole', { orgName: 'acme', handle: 'eve', role });
    const revoke = async () => (await caller(here.app, session)('token.revoke', { name: 'other' })).data();
    const takings: [string, string, () => Promise<unknown>, number][] = [
      ['a revoked token', other, revoke, 401],
      ['a lowered role', token, setRole('viewer'), 403],
      [
        'a role that was given again and is removed',
        token,
        () => owner('org.removeMember', { orgName: 'acme', handle: 'eve' }),
        404,
      ],
      ['a deactivated account', token, () => setAccountActive(store, { email: 'eve@example.com', active: false }), 401],
    ];
    let names = 0;
    const submit = async ({ app }: TestApp, bearer: string) => {
      const operations = [{ name: `Signal/s${++names}`, data: {} }];
      return (await caller(app, bearer)('commit.submit', { ...WORLD, operations })).status;
    };
    const lastSeq = async () =>
      ((await owner('commit.log', { ...WORLD, limit: 1 })).data() as { items: { repoSeq: number }[] }).items[0]
        ?.repoSeq;
    for (const [what, bearer, take, status] of takings) {
      if (what.includes('given again')) await setRole('editor')();
      let isTaken = false;
      let isOver = false;
      let made = 0;
      const late: number[] = [];
      const work = async (node: TestApp) => {
        while (!isOver) {
          const isAfter = isTaken;
          const answered = await submit(node, bearer);
          if (answered === 200) made++;
          if (isAfter) late.push(answered);
        }
      };
      const load = [...nodes, ...nodes, ...nodes].map(work);
      const isMember = status !== 401 || what.includes('token');
      while (isMember && made < 30) await new Promise((turn) => setTimeout(turn, 5));
      await take();
      isTaken = true;
      const next = await Promise.all(nodes.map((node) => submit(node, bearer)));
      const seq = await lastSeq();
      while (late.length < 20) await new Promise((turn) => setTimeout(turn, 5));
      isOver = true;
      await Promise.all(load);
      expect([what, next, [...new Set(late)], await lastSeq()]).toEqual([what, [status, status], [status], seq]);
    }
  });
});
