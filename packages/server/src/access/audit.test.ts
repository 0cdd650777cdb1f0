import { AUDIT_ACTIONS, type AuditAction } from '@cairn/protocol/audit-action';
import { describe, expect, it } from 'vitest';
import { createSession } from '../../../../test/support/principal.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, createTestApp, ownerIdOf } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { createAccount, createToken, EVERYTHING } from '../account/account.ts';
import { acceptInvitation, answerProgram } from '../account/invitation.ts';
import { issueReset, setAccountActive } from '../account/operator.ts';
import { changePassword, resetPassword } from '../account/password.ts';

const PASSWORD = 'correct horse battery';
const VISITOR = { address: '198.51.100.7', requestId: 'r-1' };

async function prepare(engine: (typeof UPPER_ENGINES)[number]) {
  const { app, store } = await createTestApp(engine);
  await createOwnerToken(store);
  const { token } = await createSession(store, { accountId: await ownerIdOf(store) });
  const session = caller(app, token);
  await session('org.create', { name: 'acme' });
  const list = async (orgName: string) => (await session('audit.list', { orgName, limit: 500 })).data().items;
  return { app, store, session, list };
}

describe.each(UPPER_ENGINES)('the audit log on %s', (engine) => {
  it('has who did what in an organization, newest first', async () => {
    const { app, store, session, list } = await prepare(engine);
    await createAccount(store, { email: 'eve@example.com', password: PASSWORD, operator: false });
    const world = { orgName: 'acme', repoName: 'world' };
    await session('repo.create', { orgName: 'acme', name: 'world' });
    await session('repo.setVisibility', { ...world, visibility: 'public' });
    await session('org.addMember', { orgName: 'acme', handle: 'eve', role: 'viewer' });
    await session('org.setMemberRole', { orgName: 'acme', handle: 'eve', role: 'editor' });
    await session('repo.setRole', { ...world, handle: 'eve', role: 'admin' });
    await session('org.removeMember', { orgName: 'acme', handle: 'eve' });
    await session('repo.configure', { ...world, features: { streamSubmissions: false } });
    await session('repo.archive', world);
    await session('repo.unarchive', world);
    await session('repo.transfer', { ...world, newOrgName: 'ada' });
    await session('repo.rename', { orgName: 'ada', repoName: 'world', newName: 'moon' });
    await session('repo.delete', { orgName: 'ada', repoName: 'moon' });
    await session('repo.restore', { orgName: 'ada', repoName: 'moon' });
    await session('org.archive', { orgName: 'acme' });
    await session('org.unarchive', { orgName: 'acme' });
    await session('org.rename', { orgName: 'acme', newName: 'acme-2' });
    const entries = await list('acme-2');
    expect(entries.map(({ action }) => action).reverse()).toEqual([
      'org.create',
      'repo.create',
      'repo.setVisibility',
      'org.addMember',
      'org.setMemberRole',
      'repo.setRole',
      'org.removeMember',
      'repo.configure',
      'repo.archive',
      'repo.unarchive',
      'repo.transfer',
      'org.archive',
      'org.unarchive',
      'org.rename',
    ]);
    expect(entries.find(({ action }) => action === 'repo.setVisibility')).toMatchObject({
      actor: 'user:ada',
      target: 'acme/world',
      details: { visibility: 'public' },
      requestId: expect.any(String),
    });
    expect(entries.find(({ action }) => action === 'org.setMemberRole')?.details).toEqual({
      handle: 'eve',
      role: 'editor',
    });
    const own = (await list('ada')).map(({ action }) => action);
    for (const action of ['repo.transfer', 'repo.rename', 'repo.delete', 'repo.restore']) expect(own).toContain(action);
    expect((await caller(app)('audit.list', { orgName: 'acme-2' })).status).toBe(401);
  });

  it('has what happened to an account in its personal organization, and to tokens where they are for', async () => {
    const { app, store, session, list } = await prepare(engine);
    const { link } = (
      await session('org.addMember', { orgName: 'acme', email: 'bob@example.com', role: 'viewer' })
    ).data() as { link: string };
    const code = new URL(link).searchParams.get('code') ?? '';
    const accepted = await acceptInvitation(store, { code, password: PASSWORD, name: 'bob' }, VISITOR);
    const { token = '' } = await answerProgram(store, accepted, VISITOR);
    const email = 'bob@example.com';
    await expect(
      changePassword(store, { email, password: 'wrong it is, sadly', newPassword: PASSWORD }, VISITOR),
    ).rejects.toThrow();
    await changePassword(store, { email, password: PASSWORD, newPassword: `${PASSWORD}!` }, VISITOR);
    await resetPassword(store, { code: (await issueReset(store, email)).code, newPassword: PASSWORD }, VISITOR);
    const bob = caller(app, token);
    await bob('token.create', { name: 'ci', scopes: [{ resource: 'acme', permissions: ['org:read'] }] });
    await bob('token.rotate', { name: 'ci' });
    await bob('token.revoke', { name: 'ci' });
    await setAccountActive(store, { email, active: false });
    await setAccountActive(store, { email, active: true });
    await createToken(store, { email, name: 'by-operator', scopes: EVERYTHING });
    const entries = (await bob('audit.list', { orgName: 'bob', limit: 100 })).data().items.reverse();
    expect(entries.map(({ action, actor }) => `${action} ${actor}`)).toEqual([
      'auth.acceptInvitation user:bob',
      'token.create user:bob',
      'auth.signIn anonymous',
      'auth.signIn user:bob',
      'auth.changePassword user:bob',
      'admin.resetPassword operator',
      'auth.resetPassword user:bob',
      'token.create token:bob/first',
      'token.rotate token:bob/first',
      'token.revoke token:bob/first',
      'admin.deactivateUser operator',
      'admin.reactivateUser operator',
      'admin.createToken operator',
    ]);
    expect(entries[2]).toMatchObject({ ...VISITOR, details: { outcome: 'refused' } });
    const there = (await list('acme')).filter(({ target }) => target === 'token:bob/ci').map(({ action }) => action);
    expect(there).toEqual(['token.revoke', 'token.rotate', 'token.create']);
    const all = JSON.stringify([entries, await list('acme')]);
    for (const secret of [token, code, PASSWORD]) expect(all).not.toContain(secret);
  });

  it('is for admins, with the scope', async () => {
    const { app, store, session } = await prepare(engine);
    for (const role of ['viewer', 'editor', 'admin', 'owner'] as const) {
      const form = { email: `${role}@example.com`, password: PASSWORD, operator: false };
      const { id, handle } = await createAccount(store, form);
      await session('org.addMember', { orgName: 'acme', handle, role });
      const call = caller(app, (await createSession(store, { accountId: id })).token);
      const expected = role === 'admin' || role === 'owner' ? 200 : 403;
      expect([role, (await call('audit.list', { orgName: 'acme' })).status]).toEqual([role, expected]);
    }
  });

  it('tells an organization of a token only what is its own, and only of those who have a role there', async () => {
    const { app, store, session, list } = await prepare(engine);
    await session('repo.create', { orgName: 'acme', name: 'world', visibility: 'public' });
    await session('org.create', { name: 'hush' });
    const scopes = [
      { resource: 'acme/world', permissions: ['repo:read' as const], refs: ['Secret/plan/**'] },
      { resource: 'hush', permissions: ['org:read' as const] },
    ];
    await session('token.create', { name: 'both', scopes });
    const inAcme = (await list('acme')).filter(({ action }) => action === 'token.create');
    expect(inAcme.map(({ details }) => details)).toEqual([
      { scopes: [{ resource: 'acme/world', permissions: ['repo:read'], refs: 1 }] },
    ]);
    expect((await list('ada')).find(({ action }) => action === 'token.create')?.details).toMatchObject({ scopes });
    const eve = await createAccount(store, { email: 'eve@example.com', password: PASSWORD, operator: false });
    const outsider = caller(app, (await createSession(store, { accountId: eve.id })).token);
    await outsider('token.create', { name: 'x', scopes: [{ resource: 'acme/world', permissions: ['repo:read'] }] });
    expect((await list('acme')).filter(({ action }) => action === 'token.create')).toHaveLength(1);
    await session('token.revoke', { name: 'both' });
    await session('token.revoke', { name: 'both' });
    expect((await list('acme')).filter(({ action }) => action === 'token.revoke')).toHaveLength(1);
  });

  it('says nothing of what did not happen', async () => {
    const { session, list } = await prepare(engine);
    const before = await list('acme');
    await session('org.addMember', { orgName: 'acme', handle: 'nobody', role: 'viewer' });
    await session('org.removeMember', { orgName: 'acme', handle: 'ada' });
    await session('repo.create', { orgName: 'acme', name: '..' });
    await session('org.rename', { orgName: 'acme', newName: 'api' });
    expect(await list('acme')).toEqual(before);
  });

  it('comes in pages, and by action', async () => {
    const { session } = await prepare(engine);
    for (const name of ['a', 'b', 'c']) await session('repo.create', { orgName: 'acme', name });
    const input = { orgName: 'acme', action: 'repo.create', limit: 2 } as const;
    const first = (await session('audit.list', input)).data();
    expect(first.items.map(({ target }) => target)).toEqual(['acme/c', 'acme/b']);
    const rest = (await session('audit.list', { ...input, cursor: first.nextCursor })).data();
    expect(rest.items.map(({ target }) => target)).toEqual(['acme/a']);
    expect((await session('audit.list', { orgName: 'acme', cursor: first.nextCursor })).code).toBe('VALIDATION_ERROR');
  });
});

it('the audit log has a meaning for every action', () => {
  for (const action of Object.keys(AUDIT_ACTIONS) as AuditAction[]) expect(AUDIT_ACTIONS[action]).toMatch(/^[^`]+\.$/);
});
