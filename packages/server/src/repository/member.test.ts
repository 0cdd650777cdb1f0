// Members and roles: what each gives, who may give it, and that it takes effect at once.
import { ORGANIZATION_ROLES, REPOSITORY_ROLES, SCOPE_NAMES, type Scope } from '@cairn/protocol/scopes';
import { CairnClient, CairnError } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import { createOwnerToken, OWNER, startTestServer } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { createToken } from '../account/account.ts';

type Engine = (typeof UPPER_ENGINES)[number];

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return await promise.then(
    () => 'done',
    (error: unknown) => (error instanceof CairnError ? error.code : String(error)),
  );
}

async function connect(engine: Engine) {
  const { url, store } = await startTestServer(engine);
  const owner = new CairnClient({ url, token: await createOwnerToken(store) });
  await owner.org.create('acme');
  await owner.repo.create('acme', 'world');
  await owner.repo.create('acme', 'other');
  const join = async (handle: string) => {
    const email = `${handle}@example.com`;
    await store.write.createAccount({ email, handle, passwordHash: '-', operator: false });
    return await withScopes(email, SCOPE_NAMES);
  };
  const withScopes = async (email: string, permissions: readonly Scope[]) => {
    const name = `t${permissions.join('').length}`;
    const { token } = await createToken(store, { email, name, scopes: [{ permissions: [...permissions] }] });
    return new CairnClient({ url, token });
  };
  return { owner, join, withScopes };
}

async function scopesOf(client: CairnClient, repoName: string): Promise<Scope[]> {
  const held: Scope[] = [];
  for (const permission of SCOPE_NAMES) {
    const check = permission.startsWith('org:')
      ? client.access.checkOrgPermission('acme', permission)
      : client.access.checkRepoPermission('acme', repoName, permission);
    const allowed = await check.then(
      (answer) => answer.allowed,
      (error: CairnError) => error.code !== 'NOT_FOUND' && Promise.reject(error),
    );
    if (allowed) held.push(permission);
  }
  return held;
}

const sorted = (scopes: readonly Scope[]) => SCOPE_NAMES.filter((scope) => scopes.includes(scope));

describe.each(UPPER_ENGINES)('roles on %s', (engine) => {
  it('give exactly what the table says, on the next request', async () => {
    const { owner, join } = await connect(engine);
    const bob = await join('bob');
    expect(await scopesOf(bob, 'world')).toEqual([]);
    await owner.org.addMember('acme', { handle: 'bob' }, 'viewer');
    for (const role of ['viewer', 'editor', 'admin', 'owner'] as const) {
      if (role !== 'viewer') await owner.org.setMemberRole('acme', { handle: 'bob' }, role);
      expect(await scopesOf(bob, 'world')).toEqual(sorted(ORGANIZATION_ROLES[role]));
    }
    await owner.org.setMemberRole('acme', { handle: 'bob' }, 'editor');
    const inOrganization = ORGANIZATION_ROLES.editor.filter((scope) => scope.startsWith('org:'));
    for (const role of ['read', 'write', 'maintain', 'admin'] as const) {
      await owner.repo.setRole('acme', 'world', { handle: 'bob' }, role);
      expect(await scopesOf(bob, 'world')).toEqual(sorted([...REPOSITORY_ROLES[role], ...inOrganization]));
      expect(await scopesOf(bob, 'other')).toEqual(sorted(ORGANIZATION_ROLES.editor));
    }
    await owner.repo.setRole('acme', 'world', { handle: 'bob' }, null);
    expect(await scopesOf(bob, 'world')).toEqual(sorted(ORGANIZATION_ROLES.editor));
    await owner.repo.setRole('acme', 'world', { handle: 'bob' }, 'admin');
    await owner.org.removeMember('acme', { handle: 'bob' });
    expect(await scopesOf(bob, 'world')).toEqual([]);
    expect(await codeOf(bob.repo.get('acme', 'world'))).toBe('NOT_FOUND');
  });

  it('can be given in one repository to someone outside the organization', async () => {
    const { owner, join } = await connect(engine);
    const eve = await join('eve');
    await owner.repo.setRole('acme', 'world', { handle: 'eve' }, 'write');
    expect(await scopesOf(eve, 'world')).toEqual(sorted(REPOSITORY_ROLES.write));
    expect(await codeOf(eve.repo.get('acme', 'other'))).toBe('NOT_FOUND');
    expect(await codeOf(eve.org.get('acme'))).toBe('NOT_FOUND');
    expect((await eve.repo.list()).items.map(({ name }) => name)).toEqual(['world']);
    expect((await owner.repo.listRoles('acme', 'world')).items).toMatchObject([{ handle: 'eve', role: 'write' }]);
  });

  it('and what the token allows hold together', async () => {
    const { owner, join, withScopes } = await connect(engine);
    await join('bob');
    await owner.org.addMember('acme', { handle: 'bob' }, 'admin');
    const writer = await withScopes('bob@example.com', ['repo:write']);
    expect(await scopesOf(writer, 'world')).toEqual(['repo:write']);
    expect(await writer.access.checkRepoPermission('acme', 'world', 'repo:read')).toEqual({
      allowed: false,
      byRole: true,
      byToken: false,
    });
  });

  it('of members are listed by handle, to members alone', async () => {
    const { owner, join } = await connect(engine);
    const [bob, eve] = [await join('bob'), await join('eve')];
    await owner.org.addMember('acme', { handle: 'bob' }, 'viewer');
    const { items } = await bob.org.listMembers('acme');
    expect(items.map(({ handle, role }) => [handle, role])).toEqual([
      ['ada', 'owner'],
      ['bob', 'viewer'],
    ]);
    expect(await codeOf(eve.org.listMembers('acme'))).toBe('NOT_FOUND');
    const first = await bob.org.listMembers('acme', { limit: 1 });
    expect((await bob.org.listMembers('acme', { limit: 1, cursor: first.nextCursor })).items).toMatchObject([
      { handle: 'bob' },
    ]);
  });

  it('are given by who may, and never beyond what the giver holds', async () => {
    const { owner, join, withScopes } = await connect(engine);
    const [bob] = [await join('bob'), await join('eve')];
    expect(await codeOf(owner.org.addMember('acme', { handle: 'nobody' }, 'viewer'))).toBe('NOT_FOUND');
    expect(await codeOf(owner.org.setMemberRole('acme', { handle: 'bob' }, 'viewer'))).toBe('NOT_FOUND');
    await owner.org.addMember('acme', { handle: 'bob' }, 'editor');
    expect(await codeOf(owner.org.addMember('acme', { handle: 'bob' }, 'viewer'))).toBe('ALREADY_EXISTS');
    expect(await codeOf(bob.org.addMember('acme', { handle: 'eve' }, 'viewer'))).toBe('FORBIDDEN');
    await owner.org.setMemberRole('acme', { handle: 'bob' }, 'admin');
    await bob.org.addMember('acme', { handle: 'eve' }, 'admin');
    for (const attempt of [
      () => bob.org.setMemberRole('acme', { handle: 'eve' }, 'owner'),
      () => bob.org.setMemberRole('acme', { handle: 'ada' }, 'viewer'),
      () => bob.org.removeMember('acme', { handle: 'ada' }),
    ]) {
      expect(await codeOf(attempt())).toBe('FORBIDDEN');
    }
    const narrow = await withScopes(OWNER.email, ['org:configure', 'org:read', 'repo:admin']);
    expect(await codeOf(narrow.org.setMemberRole('acme', { handle: 'eve' }, 'viewer'))).toBe('FORBIDDEN');
    expect(await codeOf(narrow.repo.setRole('acme', 'world', { handle: 'eve' }, 'write'))).toBe('FORBIDDEN');
    await narrow.org.removeMember('acme', { handle: 'eve' });
  });

  it('leave every organization an owner, also when two leave at once', async () => {
    const { owner, join } = await connect(engine);
    const bob = await join('bob');
    expect(await codeOf(owner.org.setMemberRole('acme', { handle: 'ada' }, 'admin'))).toBe('CONFLICT');
    expect(await codeOf(owner.org.removeMember('acme', { handle: 'ada' }))).toBe('CONFLICT');
    await owner.org.addMember('acme', { handle: 'bob' }, 'owner');
    const outcomes = await Promise.all([
      codeOf(owner.org.removeMember('acme', { handle: 'bob' })),
      codeOf(bob.org.removeMember('acme', { handle: 'ada' })),
    ]);
    expect(outcomes.filter((code) => code === 'done')).toHaveLength(1);
  });

  it('for one repository are not for owners, who are admin in all', async () => {
    const { owner, join } = await connect(engine);
    const [bob, eve] = [await join('bob'), await join('eve')];
    await owner.org.addMember('acme', 'bob', 'admin');
    expect(await codeOf(bob.repo.setRole('acme', 'world', OWNER.name, 'read'))).toBe('CONFLICT');
    await owner.repo.setRole('acme', 'world', 'eve', 'read');
    expect(await scopesOf(eve, 'world')).toEqual(sorted(REPOSITORY_ROLES.read));
    await owner.org.addMember('acme', 'eve', 'owner');
    expect(await scopesOf(eve, 'world')).toEqual(sorted(ORGANIZATION_ROLES.owner));
    await owner.repo.create(OWNER.name, 'garden');
    await owner.repo.setRole(OWNER.name, 'garden', 'eve', 'read');
    await owner.repo.transfer(OWNER.name, 'garden', { newOrgName: 'acme' });
    expect(await scopesOf(eve, 'garden')).toEqual(sorted(ORGANIZATION_ROLES.owner));
    expect((await eve.repo.list({ orgName: 'acme' })).items.map(({ name }) => name)).toContain('garden');
  });
});
