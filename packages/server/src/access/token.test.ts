// Tokens as their owners manage them: creation, delegation and end.
import type { ScopeEntry } from '@cairn/protocol/account';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { createPerson } from '../../../../test/support/person.ts';
import { createSession } from '../../../../test/support/principal.ts';
import { type CallProcedure, caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, createTestApp, ownerIdOf, type TestApp } from '../../../../test/support/server.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import { createToken as createTokenByOperator } from '../account/account.ts';
import type { Store } from '../store.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const READ: ScopeEntry[] = [{ permissions: ['repo:read'] }];
const WORLD = { orgName: 'ada', repoName: 'world' };
const SIGNALS: ScopeEntry = { resource: 'ada/world', permissions: ['repo:read'], refs: ['Signal/**'] };

interface World {
  readonly app: TestApp['app'];
  readonly store: Store;
  readonly session: CallProcedure;
}

async function prepare(engine: (typeof ENGINES)[number]): Promise<World> {
  const { app, store } = await createTestApp(engine);
  const owner = caller(app, await createOwnerToken(store));
  for (const name of ['world', 'other']) await owner('repo.create', { orgName: 'ada', name });
  for (const name of ['Signal', 'Room']) await owner('shape.create', { ...WORLD, name, fields: { 'x?': 'number' } });
  const { token } = await createSession(store, { accountId: await ownerIdOf(store) });
  return { app, store, session: caller(app, token) };
}

async function make(call: CallProcedure, name: string, scopes: ScopeEntry[] = READ, expiresAt?: number) {
  return (await call('token.create', { name, scopes, ...(expiresAt !== undefined && { expiresAt }) })).data();
}

const names = async (call: CallProcedure) => (await call('token.list', {})).data().items.map(({ name }) => name);

const WRONG: readonly [string, object][] = [
  ['no entries', { scopes: [] }],
  ['no permissions', { scopes: [{ permissions: [] }] }],
  ['a scope that does not exist', { scopes: [{ permissions: ['repo:delete'] }] }],
  ['empty refs', { scopes: [{ permissions: ['repo:read'], refs: [] }] }],
  ['empty shapes', { scopes: [{ permissions: ['repo:read'], shapes: [] }] }],
  ['a glob that is none', { scopes: [{ permissions: ['repo:read'], refs: ['a b'] }] }],
  ['narrowing without repo:read', { scopes: [{ permissions: ['repo:write'], refs: ['**'] }] }],
  ['a resource that is none', { scopes: [{ resource: 'a/b/c', permissions: ['repo:read'] }] }],
  ['a resource that is missing', { scopes: [{ resource: 'ada/nothing', permissions: ['repo:read'] }] }],
  ['a resource that is hidden', { scopes: [{ resource: 'eve', permissions: ['repo:read'] }] }],
  ['a shape that is missing', { scopes: [{ resource: 'ada/world', permissions: ['repo:read'], shapes: ['No'] }] }],
  ['an end in the past', { expiresAt: 1 }],
  ['an end beyond a year', { expiresAt: Date.now() + 366 * DAY_MS }],
  ['a name with a space', { name: 'a b' }],
  ['a name with SQL', { name: "x'; drop table token;--" }],
  ['a name with a line break', { name: 'a\r\nset-cookie: x' }],
  ['a description with NUL', { description: 'a\u0000b' }],
];

/** The rights of a token, the rights that it requests for another, and the status. */
const CHILDREN: readonly [string, ScopeEntry[], ScopeEntry, number][] = [
  ['a permission more', READ, { permissions: ['repo:read', 'repo:write'] }, 400],
  ['as much', READ, { permissions: ['repo:read'] }, 200],
  ['a narrower resource', READ, { resource: 'ada/world', permissions: ['repo:read'] }, 200],
  ['everything instead of one', [{ resource: 'ada', permissions: ['repo:read'] }], { permissions: ['repo:read'] }, 400],
  [
    'a repository of its organization',
    [{ resource: 'ada', permissions: ['repo:read'] }],
    { resource: 'ada/world', permissions: ['repo:read'] },
    200,
  ],
  [
    'another repository',
    [{ resource: 'ada/world', permissions: ['repo:read'] }],
    { resource: 'ada/other', permissions: ['repo:read'] },
    400,
  ],
  [
    'what a narrower entry withholds',
    [...READ, { resource: 'ada/world', permissions: ['repo:write'] }],
    { permissions: ['repo:read'] },
    400,
  ],
  ['no narrowing', [SIGNALS], { resource: 'ada/world', permissions: ['repo:read'] }, 400],
  ['the same glob', [SIGNALS], SIGNALS, 200],
  ['a longer glob', [SIGNALS], { ...SIGNALS, refs: ['Signal/a/**'] }, 200],
  ['a wider glob', [SIGNALS], { ...SIGNALS, refs: ['Signal/**', '**'] }, 400],
  ['other shapes', [{ ...SIGNALS, shapes: ['Signal'] }], { ...SIGNALS, shapes: ['Room'] }, 400],
  [
    'some of the shapes',
    [{ resource: 'ada/world', permissions: ['repo:read'], shapes: ['Signal', 'Room'] }],
    { resource: 'ada/world', permissions: ['repo:read'], shapes: ['Room'] },
    200,
  ],
  [
    'shapes instead of globs',
    [SIGNALS],
    { resource: 'ada/world', permissions: ['repo:read'], shapes: ['Signal'] },
    400,
  ],
];

describe.each(ENGINES)('tokens on %s', (engine) => {
  it('are made with what was asked for, and shown once', async () => {
    const { app, session } = await prepare(engine);
    const before = Date.now();
    const minted = (await session('token.create', { name: 'ci', description: 'For CI', scopes: [SIGNALS] })).data();
    expect(minted).toMatchObject({ name: 'ci', description: 'For CI', scopes: [SIGNALS], createdBy: 'session' });
    expect(minted.token).toMatch(/^cairn_pat_[0-9A-Za-z]{49}$/);
    expect(minted.expiresAt - minted.createdAt).toBe(30 * DAY_MS);
    expect(minted.createdAt).toBeGreaterThanOrEqual(before);
    const { token, ...record } = minted;
    expect((await session('token.get', { name: 'ci' })).data()).toEqual(record);
    expect((await session('token.list', {})).body).not.toContain(token);
    expect((await caller(app, token)('auth.whoami', {})).data()).toMatchObject({ tokenName: 'ci', scopes: [SIGNALS] });
  });

  it('are refused where what is asked for is wrong', async () => {
    const { session, store } = await prepare(engine);
    await createPerson(store, { email: 'eve@example.com', password: 'long enough it is', operator: false });
    for (const [what, change] of WRONG) {
      const made = await session('token.create', { name: 'x', scopes: READ, ...change } as never);
      expect([what, made.status, made.code]).toEqual([what, 400, 'VALIDATION_ERROR']);
    }
    expect(await names(session)).toEqual(['all']);
  });

  it('answer a resource that is hidden exactly as one that is missing', async () => {
    const { app, store, session } = await prepare(engine);
    await createPerson(store, { email: 'eve@example.com', password: 'long enough it is', operator: false });
    const ask = async (call: CallProcedure, resource: string) =>
      (await call('token.create', { name: 'x', scopes: [{ resource, permissions: ['repo:read'] }] })).body;
    const strip = (body: string) => body.replaceAll(/eve|nix/g, '');
    expect(strip(await ask(session, 'eve'))).toBe(strip(await ask(session, 'nix')));
    const { token } = await make(session, 'narrow', [{ resource: 'ada/world', permissions: ['repo:read'] }]);
    const child = caller(app, token);
    expect(await ask(child, 'ada/other')).toBe((await ask(child, 'ada/otxer')).replaceAll('otxer', 'other'));
  });

  it('keep their name for good', async () => {
    const { session } = await prepare(engine);
    await make(session, 'ci');
    await session('token.revoke', { name: 'ci' });
    expect(await names(session)).toEqual(['all', 'ci']);
    expect((await session('token.create', { name: 'ci', scopes: READ })).code).toBe('ALREADY_EXISTS');
    expect((await session('token.get', { name: 'ci' })).data().revokedAt).toBeTypeOf('number');
  });

  it(
    verifies(
      'are managed by a session of their owner, however they were made',
      '5/session-manages-own',
      '5/session-manages-descendants',
    ),
    async () => {
      const { app, session } = await prepare(engine);
      const child = await make(session, 'child');
      const grandchild = await make(caller(app, child.token), 'grandchild');
      expect(await names(session)).toEqual(['all', 'child', 'grandchild']);
      expect(grandchild.createdBy).toBe('token:child');
      for (const name of ['child', 'grandchild']) expect((await session('token.get', { name })).status).toBe(200);
      expect((await session('token.revoke', { name: 'grandchild' })).status).toBe(200);
      expect((await caller(app, grandchild.token)('auth.whoami', {})).status).toBe(401);
      expect((await caller(app, child.token)('auth.whoami', {})).status).toBe(200);
    },
  );

  it(verifies('are nothing to another account', '5/session-not-others'), async () => {
    const { app, store, session } = await prepare(engine);
    const eve = await createPerson(store, { email: 'eve@example.com', password: 'long enough it is', operator: true });
    const { token } = await make(session, 'ci');
    const other = caller(app, (await createSession(store, { accountId: eve.id })).token);
    expect(await names(other)).toEqual([]);
    for (const procedure of ['token.get', 'token.revoke', 'token.rotate'] as const) {
      const refused = await other(procedure, { name: 'ci' });
      expect([refused.status, refused.body]).toEqual([
        404,
        (await other(procedure, { name: 'xx' })).body.replaceAll('xx', 'ci'),
      ]);
    }
    expect((await caller(app, token)('auth.whoami', {})).status).toBe(200);
  });

  it(
    verifies(
      'manage those that they made and theirs in turn, and no others',
      '5/pat-manages-children',
      '5/pat-manages-descendants',
      '5/pat-not-itself',
      '5/pat-not-ancestors',
      '5/pat-not-unrelated',
      '5/pat-list-limited',
    ),
    async () => {
      const { app, session } = await prepare(engine);
      const a = await make(session, 'a');
      const b = await make(session, 'b');
      const aa = await make(caller(app, a.token), 'aa');
      const aaa = await make(caller(app, aa.token), 'aaa');
      await make(caller(app, b.token), 'bb');
      expect(await names(caller(app, a.token))).toEqual(['aa', 'aaa']);
      expect(await names(caller(app, aa.token))).toEqual(['aaa']);
      expect(await names(caller(app, aaa.token))).toEqual([]);
      const call = caller(app, aa.token);
      for (const procedure of ['token.get', 'token.rotate', 'token.revoke'] as const) {
        const unknown = (await call(procedure, { name: 'zz' })).body;
        for (const name of ['aa', 'a', 'b', 'bb', 'all']) {
          const refused = await call(procedure, { name });
          expect([procedure, name, refused.status]).toEqual([procedure, name, 404]);
          expect(refused.body).toBe(unknown.replaceAll('zz', name));
        }
      }
      expect((await call('token.revoke', { name: 'aaa' })).status).toBe(200);
      expect((await caller(app, aaa.token)('auth.whoami', {})).status).toBe(401);
    },
  );

  it('end at once with all that descend from them', async () => {
    const { app, session } = await prepare(engine);
    const chain = [await make(session, 't0')];
    for (const n of [1, 2, 3, 4]) chain.push(await make(caller(app, chain[n - 1]?.token), `t${n}`));
    await session('token.revoke', { name: 't1' });
    const alive = await Promise.all(
      chain.map(async ({ token }) => (await caller(app, token)('auth.whoami', {})).status),
    );
    expect(alive).toEqual([200, 401, 401, 401, 401]);
  });

  it('made by another hold no more than that one', async () => {
    const { app, session } = await prepare(engine);
    for (const [index, [what, parent, child, expected]] of CHILDREN.entries()) {
      const { token } = await make(session, `parent${index}`, parent);
      const made = await caller(app, token)('token.create', { name: `child${index}`, scopes: [child] });
      expect([what, made.status]).toEqual([what, expected]);
    }
  });

  it('made by another end no later than that one', async () => {
    const { app, session } = await prepare(engine);
    const end = Date.now() + DAY_MS;
    const parent = caller(app, (await make(session, 'parent', READ, end)).token);
    expect((await make(parent, 'child')).expiresAt).toBe(end);
    expect((await parent('token.create', { name: 'late', scopes: READ, expiresAt: end + 1 })).code).toBe(
      'VALIDATION_ERROR',
    );
    expect((await session('token.rotate', { name: 'child', expiresAt: end + 1 })).code).toBe('VALIDATION_ERROR');
    const child = (await make(parent, 'second')).token;
    await session('token.rotate', { name: 'parent', expiresAt: Date.now() + 60_000 });
    expect((await caller(app, child)('auth.whoami', {})).status).toBe(200);
  });

  it('hold what those that made them hold, also when a repository moves on', async () => {
    const { app, session, store } = await prepare(engine);
    await session('org.create', { name: 'new' });
    const parent = await make(session, 'parent', [{ resource: 'ada', permissions: ['repo:read'] }]);
    const child = await make(caller(app, parent.token), 'child', [
      { resource: 'ada/world', permissions: ['repo:read'] },
    ]);
    const read = async (token: string, orgName: string) =>
      (await caller(app, token)('repo.get', { ...WORLD, orgName })).status;
    expect(await read(child.token, 'ada')).toBe(200);
    await session('repo.transfer', { ...WORLD, newOrgName: 'new' });
    expect([await read(parent.token, 'new'), await read(child.token, 'new')]).toEqual([404, 404]);
    expect((await store.database.query('select 1 as one from token')).length).toBe(3);
  });

  it('follow renames, and never pass to a new holder of a name', async () => {
    const { app, session } = await prepare(engine);
    const scopes: ScopeEntry[] = [{ ...SIGNALS, shapes: ['Signal'] }];
    const { token } = await make(session, 'ci', scopes);
    await session('repo.rename', { ...WORLD, newName: 'moon' });
    await session('repo.create', { orgName: 'ada', name: 'world' });
    await session('shape.rename', { orgName: 'ada', repoName: 'moon', name: 'Signal', newName: 'Beep' });
    const read = async (repoName: string) =>
      (await caller(app, token)('repo.get', { orgName: 'ada', repoName })).status;
    expect([await read('moon'), await read('world')]).toEqual([200, 404]);
    expect((await session('token.get', { name: 'ci' })).data().scopes).toEqual([
      { ...SIGNALS, resource: 'ada/moon', shapes: ['Beep'] },
    ]);
  });

  it('are shown with the names of before to who has left', async () => {
    const { app, store, session } = await prepare(engine);
    const eve = await createPerson(store, {
      email: 'eve@example.com',
      password: 'long enough it is',
      operator: false,
    });
    await session('org.create', { name: 'acme' });
    await session('repo.create', { orgName: 'acme', name: 'plans' });
    await session('org.addMember', { orgName: 'acme', handle: 'eve', role: 'viewer' });
    const other = caller(app, (await createSession(store, { accountId: eve.id })).token);
    await make(other, 'mine', [{ resource: 'acme/plans', permissions: ['repo:read'] }]);
    await session('org.removeMember', { orgName: 'acme', handle: 'eve' });
    await session('repo.rename', { orgName: 'acme', repoName: 'plans', newName: 'secret-merger' });
    expect((await other('token.list', {})).body).not.toContain('secret-merger');
    expect((await other('token.list', {})).body).toContain('acme/plans');
  });

  it('are rotated: the new value is good at once, the old one for a while', async () => {
    const { app, session, store } = await prepare(engine);
    const first = await make(session, 'ci');
    const second = (await session('token.rotate', { name: 'ci' })).data();
    expect(second.previousValidUntil - Date.now()).toBeLessThanOrEqual(DAY_MS);
    const status = async (token: string) => (await caller(app, token)('auth.whoami', {})).status;
    expect([await status(first.token), await status(second.token)]).toEqual([200, 200]);
    const third = (await session('token.rotate', { name: 'ci', previousValidUntil: Date.now() - 1 })).data();
    expect([await status(first.token), await status(second.token), await status(third.token)]).toEqual([401, 401, 200]);
    expect((await session('token.rotate', { name: 'ci', previousValidUntil: Date.now() + 2 * DAY_MS })).code).toBe(
      'VALIDATION_ERROR',
    );
    await session('token.revoke', { name: 'ci' });
    expect((await session('token.rotate', { name: 'ci' })).code).toBe('CONFLICT');
    expect(await status(third.token)).toBe(401);
    const rows = await store.database.query<{ hash: Uint8Array }>('select hash from token');
    for (const { token } of [first, second, third]) expect(JSON.stringify(rows)).not.toContain(token);
  });

  it('end when their time comes, though nothing is written meanwhile', async () => {
    const { app, session } = await prepare(engine);
    const now = Date.now();
    const parent = await make(session, 'parent', READ, now + 3 * HOUR_MS);
    const child = await make(caller(app, parent.token), 'child');
    const former = await make(session, 'rotated');
    await session('token.rotate', { name: 'rotated', previousValidUntil: now + HOUR_MS });
    await session('token.rotate', { name: 'parent', expiresAt: now + 2 * HOUR_MS });
    const all = [former, parent, child];
    const statuses = () =>
      Promise.all(all.map(async ({ token }) => (await caller(app, token)('auth.whoami', {})).status));
    expect(await statuses()).toEqual([200, 200, 200]);
    vi.useFakeTimers({ toFake: ['Date'], now: now + HOUR_MS + 1 });
    onTestFinished(() => void vi.useRealTimers());
    expect(await statuses()).toEqual([401, 200, 200]);
    vi.setSystemTime(now + 2 * HOUR_MS + 1);
    expect(await statuses()).toEqual([401, 401, 401]);
  });

  it('that an operator makes hold the same rules', async () => {
    const { store } = await prepare(engine);
    const make = (scopes: ScopeEntry[]) =>
      createTokenByOperator(store, { email: 'ada@example.com', name: 'x', scopes });
    await expect(make([{ resource: 'nowhere', permissions: ['repo:read'] }])).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    await expect(make([{ permissions: ['repo:write'], shapes: ['Signal'] }])).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });

  it('cannot be made by a token in the moment in which it is revoked', async () => {
    const { app, session, store } = await prepare(engine);
    for (const round of [0, 1, 2, 3, 4]) {
      const parent = await make(session, `parent${round}`);
      const child = make(caller(app, parent.token), `child${round}`).catch(() => undefined);
      await Promise.all([session('token.revoke', { name: `parent${round}` }), child]);
      const made = await child;
      if (made !== undefined) expect((await caller(app, made.token)('auth.whoami', {})).status).toBe(401);
      const open = await store.database.query(
        'select child.id from token child join token parent on parent.id = child.parent_id where parent.revoked_at is not null and child.revoked_at is null',
      );
      expect(open).toEqual([]);
    }
  });

  it('come in pages', async () => {
    const { session, app } = await prepare(engine);
    expect((await app.request('/trpc/token.list')).status).toBe(401);
    for (const name of ['a', 'b', 'c']) await make(session, name);
    const first = (await session('token.list', { limit: 2 })).data();
    expect(first.items.map(({ name }) => name)).toEqual(['a', 'all']);
    const rest = (await session('token.list', { limit: 2, cursor: first.nextCursor })).data();
    expect(rest.items.map(({ name }) => name)).toEqual(['b', 'c']);
    expect(rest.nextCursor).toBeUndefined();
  });
});
