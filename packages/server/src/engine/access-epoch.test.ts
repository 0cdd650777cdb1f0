// The server never caches callers beyond the last write about access, whoever made it.
import { describe, expect, it } from 'vitest';
import { createSession } from '../../../../test/support/principal.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { recorded } from '../../../../test/support/query-plan.ts';
import { createOwnerToken, createTestAppOn, ownerIdOf } from '../../../../test/support/server.ts';
import { ENGINES, openStoreAt, preparedLocation } from '../../../../test/support/store.ts';
import { rememberIn } from '../access/access.ts';
import { ACCESS_TABLES, AccessView } from './access-epoch.ts';
import { changesAccess } from './group.ts';

const WORLD = { orgName: 'acme', repoName: 'world' };

async function prepare(engine: 'sqlite' | 'postgres') {
  const location = await preparedLocation(engine);
  const here = createTestAppOn(await openStoreAt(location));
  const other = await openStoreAt(location);
  const token = await createOwnerToken(here.store);
  const call = caller(here.app, token);
  await call('org.create', { name: 'acme' });
  await call('repo.create', { orgName: 'acme', name: 'world' });
  return { here, other, call, token };
}

describe.each(ENGINES)('the epoch of access on %s', (engine) => {
  it('moves with every write about access, and with no other', async () => {
    const { here, other, call } = await prepare(engine);
    const { store } = here;
    const { token: session } = await createSession(store, { accountId: await ownerIdOf(store) });
    const eve = await store.write.createAccount({
      email: 'eve@example.com',
      handle: 'eve',
      passwordHash: '-',
      operator: false,
    });
    const mine = caller(here.app, session);
    const isMovedBy = async (write: () => Promise<unknown>) => {
      const before = await other.database.accessView();
      await write();
      return (await other.database.accessView()) !== before;
    };
    const done = (name: Parameters<typeof mine>[0], input: object) => async () => (await mine(name, input)).data();
    const writes: Record<string, () => Promise<unknown>> = {
      'org.addMember': done('org.addMember', { orgName: 'acme', handle: 'eve', role: 'editor' }),
      'org.setMemberRole': done('org.setMemberRole', { orgName: 'acme', handle: 'eve', role: 'viewer' }),
      'repo.setRole': done('repo.setRole', { ...WORLD, handle: 'eve', role: 'write' }),
      'org.removeMember': done('org.removeMember', { orgName: 'acme', handle: 'eve' }),
      'repo.setVisibility': done('repo.setVisibility', { ...WORLD, visibility: 'public' }),
      'repo.archive': done('repo.archive', WORLD),
      'repo.unarchive': done('repo.unarchive', WORLD),
      'repo.rename': done('repo.rename', { ...WORLD, newName: 'globe' }),
      'token.create': done('token.create', { name: 'another', scopes: [{ permissions: ['repo:read'] }] }),
      'token.rotate': done('token.rotate', { name: 'another' }),
      'token.revoke': done('token.revoke', { name: 'another' }),
      'repo.delete': done('repo.delete', { ...WORLD, repoName: 'globe' }),
      'repo.restore': done('repo.restore', { ...WORLD, repoName: 'globe' }),
      setAccountActive: () => store.write.setAccountActive({ accountId: eve.id, active: false, now: Date.now() }),
      endSessions: () => store.write.endSessions({ accountId: eve.id, now: Date.now() }),
    };
    const unmoved: string[] = [];
    for (const [name, write] of Object.entries(writes)) if (!(await isMovedBy(write))) unmoved.push(name);
    expect(unmoved).toEqual([]);
    const shape = { kind: 'shape', name: 'Signal', data: { fields: { level: 'number?' } } };
    const commit = (operations: object[]) => async () =>
      (await call('commit.submit', { orgName: 'acme', repoName: 'globe', operations })).data();
    expect(await isMovedBy(commit([shape]))).toBe(false);
    expect(await isMovedBy(commit([{ name: 'Signal/a', data: { level: 1 } }]))).toBe(false);
  });

  it('covers every table that tells who a caller is and what it may do', async () => {
    const { here, token } = await prepare(engine);
    const { store, take } = recorded(here.store);
    const { app } = createTestAppOn(store);
    const { token: session } = await createSession(here.store, { accountId: await ownerIdOf(here.store) });
    for (const bearer of [token, session]) {
      take();
      (await caller(app, bearer)('commit.log', WORLD)).data();
      const statements = take().map(({ sql }) => sql);
      const tables = new Set(
        statements.flatMap((sql) =>
          [...sql.matchAll(/\b(?:from|join)\s+(?!unnest|lateral)"?([a-z_]+)"?/g)].map(([, table]) => table),
        ),
      );
      for (const table of ['repo_sequence', 'commit']) tables.delete(table);
      expect([...tables].filter((table) => !ACCESS_TABLES.includes(table ?? ''))).toEqual([]);
      expect(tables.size).toBeGreaterThan(3);
    }
  });
});

describe('a statement', () => {
  it.each(ACCESS_TABLES)('that changes %s is about access, and one that reads it is not', (table) => {
    for (const change of [
      `insert into ${table} (id) values ($1)`,
      `update ${table} set a = 1`,
      `delete\n from  ${table} where a = 1`,
    ]) {
      expect([change, changesAccess(change)]).toEqual([change, true]);
      expect(changesAccess(`with found as (select 1) ${change}`)).toBe(true);
    }
    expect(changesAccess(`select 1 from ${table} for update`)).toBe(false);
    expect(changesAccess(`insert into ${table}_use (id) values ($1)`)).toBe(false);
  });
});

describe('a view', () => {
  it('asks once for what there is, and again for what was not found', async () => {
    const view = new AccessView(1);
    let asked = 0;
    const find = (found: string | undefined) => async () => {
      asked++;
      return found;
    };
    expect([await rememberIn(view, 'a', find('found')), await rememberIn(view, 'a', find('other')), asked]).toEqual([
      'found',
      'found',
      1,
    ]);
    expect([await rememberIn(view, 'b', find(undefined)), await rememberIn(view, 'b', find('found')), asked]).toEqual([
      undefined,
      'found',
      3,
    ]);
  });

  it('holds ten thousand answers at most', async () => {
    const view = new AccessView(1);
    for (let n = 0; n <= 10_000; n++) await rememberIn(view, `key ${n}`, async () => n);
    expect(await rememberIn(view, 'key 0', async () => 'again')).toBe('again');
    expect(await rememberIn(view, 'key 10000', async () => 'again')).toBe(10_000);
  });
});
