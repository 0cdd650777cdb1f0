// A session has exactly the rights of the person's role, whatever tokens exist.

import type { ProcedureName } from '@cairn/protocol/procedure-kinds';
import { PROCEDURE_NAMES, PROCEDURES } from '@cairn/protocol/procedures';
import {
  type Access,
  ORGANIZATION_ROLES,
  type OrganizationRole,
  SCOPE_NAMES,
  type Scope,
} from '@cairn/protocol/scopes';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { createSession } from '../../../../test/support/principal.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { type SampleWorld, sampleInput } from '../../../../test/support/sample-input.ts';
import { createOwnerToken, createTestApp, ownerIdOf } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import type { Engine } from '../engine/database.ts';
import { findAccountByEmail } from './account.sql.ts';

const ROLES = Object.keys(ORGANIZATION_ROLES) as OrganizationRole[];

async function prepare(engine: Engine) {
  const { app, store } = await createTestApp(engine);
  const owner = caller(app, await createOwnerToken(store));
  const ownerId = await ownerIdOf(store);
  for (const handle of ['eve', 'bob']) {
    await store.write.createAccount({ email: `${handle}@example.com`, handle, passwordHash: '-', operator: false });
  }
  const { id: accountId = 0 } = (await findAccountByEmail(store.database, 'eve@example.com')) ?? {};
  const { token } = await createSession(store, { accountId });
  let count = 0;
  const createWorld = async (role: OrganizationRole | undefined): Promise<SampleWorld> => {
    count += 1;
    const orgName = `org-${count}`;
    await store.write.createOrganization({ name: orgName, description: '', ownerId, now: Date.now() });
    if (role !== undefined) (await owner('org.addMember', { orgName, handle: 'eve', role })).data();
    (await owner('repo.create', { orgName, name: 'vault' })).data();
    const address = { orgName, repoName: 'vault' };
    (await owner('shape.create', { ...address, name: 'Sensor', fields: { x: 'number', 'to?': 'wref' } })).data();
    (await owner('commit.submit', { ...address, operations: [{ name: 'Sensor/a', data: { x: 1 } }] })).data();
    const { durableId } = (await owner('thing.get', { ...address, wref: 'Sensor/a' })).data();
    return { ...address, shapeName: 'Sensor', recordName: 'Sensor/a', durableId, tokenName: 'none', handle: 'bob' };
  };
  return { session: caller(app, token), createWorld };
}

function neededScope(name: ProcedureName): Scope | undefined {
  if (name === 'commit.validate') return 'repo:read';
  const { needs }: Access = PROCEDURES[name].access;
  return SCOPE_NAMES.find((scope) => scope === needs);
}

const SCOPED = PROCEDURE_NAMES.flatMap((name) => {
  const scope = name === 'action.callback' ? undefined : neededScope(name);
  return scope === undefined ? [] : [{ name, scope }];
});
const gives = (role: OrganizationRole, scope: Scope) => (ORGANIZATION_ROLES[role] as readonly Scope[]).includes(scope);

describe.each(UPPER_ENGINES)('sessions on %s', (engine) => {
  it(verifies('are refused whatever the role of their account does not give', '5/jwt-role'), async () => {
    const { session, createWorld } = await prepare(engine);
    for (const role of ROLES) {
      const world = await createWorld(role);
      for (const { name, scope } of SCOPED.filter(({ scope }) => !gives(role, scope))) {
        const { status, code, message } = await session(name, sampleInput(name, world) as never);
        expect([role, name, status, code, message]).toEqual([
          role,
          name,
          403,
          'FORBIDDEN',
          expect.stringContaining(scope),
        ]);
      }
    }
    const hidden = await createWorld(undefined);
    const missing = { ...hidden, orgName: 'nobody' };
    for (const { name } of SCOPED) {
      const answers = [hidden, missing].map((world) => session(name, sampleInput(name, world) as never));
      const [first, second] = (await Promise.all(answers)).map(({ status, body }) => ({ status, body }));
      expect([name, first]).toEqual([name, second]);
      expect([name, first?.status]).toEqual([name, 404]);
    }
    expect((await session('org.create', { name: 'eves' })).code).toBe('FORBIDDEN');
  });

  it(
    verifies('do all that the role of their account gives, whatever its tokens hold', '5/jwt-no-narrowing'),
    async () => {
      const { session, createWorld } = await prepare(engine);
      for (const role of ROLES) {
        const { orgName, repoName } = await createWorld(role);
        const resource = `${orgName}/${repoName}`;
        const scopes = [{ resource, permissions: ['repo:read' as const], refs: ['Other/**'], shapes: ['Sensor'] }];
        (await session('token.create', { name: `narrow-${role}`, scopes })).data();
        expect((await session('thing.get', { orgName, repoName, wref: 'Sensor/a' })).status).toBe(200);
        for (const permission of SCOPE_NAMES) {
          const asked = permission.startsWith('org:')
            ? await session('access.checkOrgPermission', { orgName, permission })
            : await session('access.checkRepoPermission', { orgName, repoName, permission });
          const allowed = gives(role, permission);
          expect([role, permission, asked.data()]).toEqual([
            role,
            permission,
            { allowed, byRole: allowed, byToken: true },
          ]);
        }
        for (const { name } of SCOPED.filter(({ scope }) => gives(role, scope))) {
          const { status, code, body } = await session(name, sampleInput(name, await createWorld(role)) as never);
          expect([role, name, body, code === 'FORBIDDEN' || code === 'UNAUTHENTICATED' || status >= 500]).toEqual([
            role,
            name,
            body,
            false,
          ]);
        }
      }
    },
  );
});
