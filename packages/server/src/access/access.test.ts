// Access to organizations and repositories: each procedure by each kind of principal, and what they must not learn.

import type { ScopeEntry } from '@cairn/protocol/account';
import type { ProcedureName } from '@cairn/protocol/procedure-kinds';
import type { Scope } from '@cairn/protocol/scopes';
import { describe, expect, it } from 'vitest';
import { caller, createPrincipals, createScopedToken } from '../../../../test/support/procedure.ts';
import { createTestApp, ownerIdOf } from '../../../../test/support/server.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import { createToken } from '../account/account.ts';
import type { Store } from '../store.ts';

interface Target {
  readonly orgName: string;
  readonly repoName: string;
}

interface Row {
  readonly procedure: ProcedureName;
  readonly scope: Scope;
  readonly input: (target: Target) => object;
}

const org = ({ orgName }: Target) => ({ orgName });
const repo = (target: Target) => target;

/** Ordered so that one caller can run them all and leave everything as it was. */
const ROWS: readonly Row[] = [
  { procedure: 'org.get', scope: 'org:read', input: org },
  { procedure: 'org.update', scope: 'org:configure', input: (t) => ({ ...org(t), displayName: 'changed' }) },
  { procedure: 'org.archive', scope: 'org:admin', input: org },
  { procedure: 'org.unarchive', scope: 'org:admin', input: org },
  { procedure: 'org.rename', scope: 'org:admin', input: (t) => ({ ...org(t), newName: t.orgName }) },
  { procedure: 'repo.create', scope: 'org:configure', input: (t) => ({ ...org(t), name: 'made' }) },
  { procedure: 'repo.get', scope: 'repo:read', input: repo },
  { procedure: 'repo.update', scope: 'repo:configure', input: (t) => ({ ...t, displayName: 'changed' }) },
  { procedure: 'repo.configure', scope: 'repo:configure', input: (t) => ({ ...t, features: {} }) },
  { procedure: 'repo.setVisibility', scope: 'repo:admin', input: (t) => ({ ...t, visibility: 'private' }) },
  { procedure: 'repo.archive', scope: 'repo:admin', input: repo },
  { procedure: 'repo.unarchive', scope: 'repo:admin', input: repo },
  { procedure: 'repo.rename', scope: 'repo:admin', input: (t) => ({ ...t, newName: t.repoName }) },
  { procedure: 'repo.transfer', scope: 'repo:admin', input: (t) => ({ ...t, newOrgName: t.orgName }) },
  { procedure: 'repo.delete', scope: 'repo:admin', input: repo },
  { procedure: 'repo.restore', scope: 'repo:admin', input: repo },
];
/** Reads that are public in a public repository must hide a private one, so they answer 404 there. */
const refusalOf = ({ scope }: Row) => (scope === 'repo:read' ? 404 : 403);
const isRead = ({ procedure }: Row) => procedure.endsWith('.get');

const HIDDEN: Target = { orgName: 'acme', repoName: 'vault' };
const MISSING: Target = { orgName: 'nobody', repoName: 'nothing' };
const OPEN: Target = { orgName: 'garden', repoName: 'roses' };
const SECRETS = /acme|vault|Acme's own|classified/;

async function createWorld(store: Store): Promise<void> {
  const [now, ownerId] = [Date.now(), await ownerIdOf(store)];
  await store.write.createOrganization({ name: 'acme', description: "Acme's own", ownerId, now });
  await store.write.createOrganization({ name: 'garden', description: 'for all', ownerId, now });
  const made = [
    { orgName: 'acme', name: 'vault', description: 'classified', visibility: 'private' },
    { orgName: 'garden', name: 'roses', description: '', visibility: 'public' },
    { orgName: 'garden', name: 'shed', description: 'classified', visibility: 'private' },
  ] as const;
  for (const repository of made) await store.write.createRepository(repository);
}

describe.each(ENGINES)('organizations and repositories on %s', (engine) => {
  const prepare = async () => {
    const { app, store } = await createTestApp(engine);
    const principals = await createPrincipals(store);
    await createWorld(store);
    const call = (principal: keyof typeof principals, { procedure, input }: Row, target: Target) =>
      caller(app, principals[principal])(procedure, input(target) as never);
    return { app, store, principals, call };
  };

  it('that are hidden answer exactly as those that are missing', async () => {
    const { call } = await prepare();
    for (const row of ROWS) {
      for (const principal of ['anonymous', 'elsewhere', 'other'] as const) {
        const [hidden, missing] = [await call(principal, row, HIDDEN), await call(principal, row, MISSING)];
        const expected = principal === 'anonymous' && !isRead(row) ? 401 : 404;
        expect([row.procedure, principal, hidden.status]).toEqual([row.procedure, principal, expected]);
        expect(hidden.body).toBe(missing.body);
        expect(hidden.body).not.toMatch(SECRETS);
        if (expected === 401) expect(hidden.headers.get('www-authenticate')).toContain('resource_metadata=');
      }
      expect((await call('operator', row, MISSING)).body).toBe((await call('other', row, MISSING)).body);
    }
  });

  it('name the scope that is missing to those who see them', async () => {
    const { app, principals, call } = await prepare();
    const before = await caller(app, principals.operator)('repo.list', {});
    for (const row of ROWS) {
      for (const [principal, target] of [
        ['writer', HIDDEN],
        ['writer', OPEN],
        ['elsewhere', OPEN],
        ['other', OPEN],
      ] as const) {
        const { status, body } = await call(principal, row, target);
        const expected = isRead(row) && target === OPEN ? 200 : refusalOf(row);
        expect([row.procedure, principal, status]).toEqual([row.procedure, principal, expected]);
        if (expected === 403) expect(JSON.parse(body).error.data.cairn.details.missing).toContain(row.scope);
      }
      expect((await call('anonymous', row, OPEN)).status).toBe(isRead(row) ? 200 : 401);
    }
    expect((await caller(app, principals.operator)('repo.list', {})).body).toBe(before.body);
  });

  it('are managed by an operator whose token has exactly the scope', async () => {
    const { app, store, call } = await prepare();
    for (const row of ROWS)
      expect([row.procedure, (await call('operator', row, HIDDEN)).status]).toEqual([row.procedure, 200]);
    const exact = new Map<Scope, string>();
    for (const scope of new Set(ROWS.map((row) => row.scope))) {
      const resource = scope.startsWith('org') ? HIDDEN.orgName : `${HIDDEN.orgName}/${HIDDEN.repoName}`;
      const name = scope.replace(':', '-');
      exact.set(scope, await createScopedToken(store, { name, resource, permissions: [scope] }));
    }
    const two = ['repo.transfer', 'repo.setVisibility'];
    for (const row of ROWS.filter(({ procedure }) => !two.includes(procedure))) {
      const token = exact.get(row.scope);
      const input = { ...row.input(HIDDEN), ...(row.procedure === 'repo.create' && { name: 'another' }) };
      const { status, body } = await caller(app, token)(row.procedure, input as never);
      expect([row.procedure, status, body]).toEqual([row.procedure, 200, body]);
    }
  });

  it('let the narrowest entry of a token decide', async () => {
    const { app, store } = await prepare();
    const scopes: ScopeEntry[] = [
      { permissions: ['repo:read', 'org:read'] },
      { resource: 'acme', permissions: ['repo:write'] },
      { resource: 'garden/shed', permissions: ['repo:admin'] },
    ];
    const { token } = await createToken(store, { email: 'ada@example.com', name: 'narrow', scopes });
    const call = caller(app, token);
    expect((await call('repo.get', HIDDEN)).code).toBe('NOT_FOUND');
    expect((await call('repo.get', { orgName: 'garden', repoName: 'shed' })).code).toBe('NOT_FOUND');
    expect((await call('org.get', { orgName: 'acme' })).code).toBe('FORBIDDEN');
    expect((await call('org.get', { orgName: 'ada' })).status).toBe(200);
    const orgs = await call('org.list', {});
    expect(orgs.data().items.map(({ name }) => name)).toEqual(['ada', 'garden']);
    const repos = await call('repo.list', {});
    expect(repos.data().items.map(({ name }) => name)).toEqual(['roses']);
    expect(orgs.body + repos.body).not.toMatch(SECRETS);
  });

  it('are listed to those who may read them', async () => {
    const { app, principals, store } = await prepare();
    const repository = { orgName: 'acme', repoName: 'vault' };
    const names = async (token: string | undefined) => {
      const [orgs, repos] = [await caller(app, token)('org.list', {}), await caller(app, token)('repo.list', {})];
      return [orgs.data().items, repos.data().items].map((items) => items.map(({ name }) => name).join(' '));
    };
    expect(await names(principals.operator)).toEqual(['acme ada garden', 'vault roses shed']);
    for (const principal of ['anonymous', 'writer', 'elsewhere'] as const) {
      expect(await names(principals[principal])).toEqual(['garden', 'roses']);
    }
    expect(await names(principals.other)).toEqual(['eve garden', 'roses']);
    const one = await createScopedToken(store, { name: 'one', resource: 'acme/vault', permissions: ['repo:read'] });
    expect(await names(one)).toEqual(['garden', 'vault roses']);
    const lister = await createScopedToken(store, { name: 'lister', resource: 'acme', permissions: ['org:read'] });
    expect(await names(lister)).toEqual(['acme garden', 'vault roses']);
    await caller(app, principals.operator)('repo.delete', repository);
    await caller(app, principals.operator)('repo.delete', OPEN);
    expect(await names(principals.operator)).toEqual(['acme ada garden', 'shed']);
    expect(await names(undefined)).toEqual(['', '']);
    const deleted = async (token: string | undefined) => await caller(app, token)('repo.list', { deleted: true });
    expect((await deleted(principals.operator)).data().items.map(({ name }) => name)).toEqual(['vault', 'roses']);
    expect((await deleted(one)).data().items.map(({ name }) => name)).toEqual(['vault']);
    for (const principal of ['writer', 'elsewhere', 'other'] as const) {
      expect((await deleted(principals[principal])).data()).toEqual({ items: [] });
    }
    expect((await deleted(undefined)).status).toBe(401);
  });

  it('answer a list of an organization that is hidden as of one that is missing', async () => {
    const { app, principals } = await prepare();
    const list = (token: string | undefined, orgName: string) => caller(app, token)('repo.list', { orgName });
    for (const token of [undefined, principals.elsewhere, principals.other]) {
      const hidden = await list(token, 'acme');
      expect([hidden.status, hidden.body]).toEqual([404, (await list(token, 'nobody')).body]);
      expect((await list(token, 'garden')).data().items.map(({ name }) => name)).toEqual(['roses']);
    }
    expect((await list(principals.operator, 'ada')).data()).toEqual({ items: [] });
  });

  it('are created by operators alone, with a token that is not narrowed', async () => {
    const { app, store, principals } = await prepare();
    const create = (token: string | undefined, name: string) => caller(app, token)('org.create', { name });
    expect((await create(undefined, 'new')).code).toBe('UNAUTHENTICATED');
    expect((await create(principals.other, 'new')).code).toBe('FORBIDDEN');
    for (const token of [principals.writer, principals.elsewhere]) {
      expect(await create(token, 'new')).toMatchObject({ status: 403, body: expect.stringContaining('org:admin') });
    }
    const narrowed = await createScopedToken(store, { name: 'narrowed', resource: 'acme', permissions: ['org:admin'] });
    expect((await create(narrowed, 'new')).status).toBe(403);
    expect((await create(principals.other, 'acme')).body).toBe((await create(principals.other, 'new')).body);
    expect((await create(principals.operator, 'new')).status).toBe(200);
  });

  it('are created by everyone where the server is open to that', async () => {
    const { app, store } = await createTestApp(engine, { CAIRN_ORG_CREATION: 'open' });
    const { anonymous, other, writer } = await createPrincipals(store);
    const create = async (token: string | undefined) =>
      (await caller(app, token)('org.create', { name: 'new' })).status;
    expect([await create(anonymous), await create(writer), await create(other)]).toEqual([401, 403, 200]);
    const told = async (token: string) => (await caller(app, token)('auth.whoami', {})).data();
    expect(await told(writer)).toMatchObject({ createsOrganizations: false });
    expect(await told(other)).toMatchObject({ createsOrganizations: true });
  });

  it('are transferred only into an organization that the caller may configure', async () => {
    const { app, store } = await prepare();
    const token = await createScopedToken(store, { name: 'mover', resource: 'acme' });
    const transfer = (newOrgName: string) => caller(app, token)('repo.transfer', { ...HIDDEN, newOrgName });
    expect(await transfer('garden')).toMatchObject({ status: 403, body: expect.stringContaining('org:configure') });
    expect((await transfer('eve')).body).toBe((await transfer('nobody')).body);
    expect((await transfer('eve')).status).toBe(404);
  });
});
