import type { ScopeEntry } from '@cairn/protocol/account';
import { describe, expect, it } from 'vitest';
import { createComponentToken, createSession } from '../../../../test/support/principal.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, createTestApp, ownerIdOf } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { createToken } from '../account/account.ts';
import { findRepository } from '../repository/repository.sql.ts';

describe.each(UPPER_ENGINES)('whoami on %s', (engine) => {
  const prepare = async () => {
    const { app, store } = await createTestApp(engine);
    await createOwnerToken(store);
    const owner = caller(app, (await createSession(store, { accountId: await ownerIdOf(store) })).token);
    await owner('org.create', { name: 'acme' });
    for (const name of ['world', 'moon']) await owner('repo.create', { orgName: 'acme', name });
    const form = { email: 'eve@example.com', handle: 'eve', passwordHash: '-', operator: false };
    const eve = await store.write.createAccount(form);
    await owner('org.addMember', { orgName: 'acme', handle: 'eve', role: 'viewer' });
    await owner('repo.setRole', { orgName: 'acme', repoName: 'moon', handle: 'eve', role: 'write' });
    const tokenWith = async (scopes: ScopeEntry[]) => {
      const { token } = await createToken(store, {
        email: 'eve@example.com',
        name: `t${Math.random()}`.replace('.', ''),
        scopes,
      });
      return (await caller(app, token)('auth.whoami', {})).data();
    };
    return { app, store, owner, eve, tokenWith };
  };

  it('says where a session may do what, and by which role', async () => {
    const { app, store, eve } = await prepare();
    const session = caller(app, (await createSession(store, { accountId: eve.id })).token);
    const me = (await session('auth.whoami', {})).data();
    expect(me).toMatchObject({ kind: 'session', handle: 'eve', operator: false, createsOrganizations: false });
    expect('access' in me && me.access.map(({ resource, role }) => `${resource} ${role}`)).toEqual([
      'acme viewer',
      'acme/moon write',
      'eve owner',
    ]);
    expect('access' in me && me.access[1]).toEqual({
      resource: 'acme/moon',
      role: 'write',
      allowed: ['repo:read', 'repo:checkpoint-read', 'repo:write', 'repo:action-callback', 'repo:checkpoint-generate'],
      withheld: [],
    });
  });

  it('says what a token withholds, and nothing of where it may do nothing', async () => {
    const { tokenWith } = await prepare();
    const everywhere = await tokenWith([{ permissions: ['repo:read'] }]);
    expect('access' in everywhere && everywhere.access[0]).toEqual({
      resource: 'acme',
      role: 'viewer',
      allowed: ['repo:read'],
      withheld: ['org:read', 'repo:checkpoint-read'],
    });
    const one = await tokenWith([{ resource: 'acme/moon', permissions: ['repo:write'] }]);
    expect('access' in one && one.access.map(({ resource }) => resource)).toEqual(['acme/moon']);
    const nothing = await tokenWith([{ resource: 'acme', permissions: ['org:admin'] }]);
    expect('access' in nothing && nothing.access).toEqual([]);
  });

  it('says that a token acts as an operator only where it may', async () => {
    const { app, store } = await prepare();
    const operatorOf = async (name: string, scopes: ScopeEntry[]) => {
      const { token } = await createToken(store, { email: 'ada@example.com', name, scopes });
      const me = (await caller(app, token)('auth.whoami', {})).data();
      return 'operator' in me && me.operator;
    };
    expect(await operatorOf('whole', [{ permissions: ['org:admin', 'repo:read'] }])).toBe(true);
    expect(await operatorOf('reader', [{ permissions: ['repo:read'] }])).toBe(false);
    expect(await operatorOf('one', [{ resource: 'acme', permissions: ['org:admin'] }])).toBe(false);
  });

  it('tells a component where it is installed', async () => {
    const { app, store } = await prepare();
    const repoId = (await findRepository(store.database, { orgName: 'acme', repoName: 'moon' }))?.repoId ?? 0;
    for (const stage of ['setup', 'runtime'] as const) {
      const token = await createComponentToken(store, { repoId, kind: stage });
      expect((await caller(app, token)('auth.whoami', {})).data()).toMatchObject({
        kind: 'component',
        component: 'acme/alerts',
        stage,
        repo: 'acme/moon',
        paused: false,
      });
    }
  });
});
