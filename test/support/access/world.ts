// Repositories and callers of every kind, for access tests.

import type { ScopeEntry } from '@cairn/protocol/account';
import {
  ORGANIZATION_ROLES,
  type OrganizationRole,
  REPOSITORY_ROLES,
  type RepositoryRole,
  SCOPE_NAMES,
  type Scope,
} from '@cairn/protocol/scopes';
import { createToken } from '../../../packages/server/src/account/account.ts';
import { findRepository } from '../../../packages/server/src/repository/repository.sql.ts';
import type { Store } from '../../../packages/server/src/store.ts';
import { createComponentToken, createSession } from '../principal.ts';
import type { CallProcedure } from '../procedure.ts';
import { ownerIdOf } from '../server.ts';

export interface Target {
  readonly orgName: string;
  readonly repoName: string;
  readonly visibility: 'public' | 'private' | 'none';
  readonly held: boolean;
  readonly open: boolean;
}

export const TARGETS: readonly Target[] = [
  { orgName: 'acme', repoName: 'world', visibility: 'public', held: true, open: true },
  { orgName: 'acme', repoName: 'vault', visibility: 'private', held: true, open: true },
  { orgName: 'quiet', repoName: 'vault', visibility: 'private', held: true, open: false },
  { orgName: 'far', repoName: 'vault', visibility: 'private', held: false, open: false },
  { orgName: 'nobody', repoName: 'vault', visibility: 'none', held: false, open: false },
];
export const HOME = TARGETS[1] as Target;
/** Must never reach a caller without access. */
export const SECRET = 'classified';

export interface Caller {
  readonly name: string;
  readonly token: string | undefined;
  readonly kind: 'anonymous' | 'bad' | 'account' | 'setup' | 'runtime';
  readonly organizationRole?: OrganizationRole;
  readonly repositoryRole?: RepositoryRole;
  readonly scopes: readonly Scope[];
  /** The organization that it is limited to; unlimited by default. */
  readonly only?: string;
  readonly operator?: boolean;
  readonly session?: boolean;
  readonly narrowed?: boolean;
}

const OWNED = { kind: 'account', organizationRole: 'owner', operator: true } as const;

export async function createWorld(store: Store, owner: CallProcedure): Promise<void> {
  for (const name of ['acme', 'quiet']) await owner('org.create', { name, description: SECRET });
  await store.write.createAccount({ email: 'far@example.com', handle: 'far', passwordHash: '-', operator: false });
  for (const { orgName, repoName, visibility } of TARGETS) {
    if (visibility === 'none') continue;
    const repository = { orgName, name: repoName, description: SECRET, visibility };
    if (orgName === 'far') await store.write.createRepository(repository);
    else await owner('repo.create', repository);
  }
  for (const { orgName, repoName, held } of TARGETS) {
    if (held) await owner('shape.create', { orgName, repoName, name: 'Signal', fields: {} });
  }
}

export async function createCallers(store: Store, owner: CallProcedure): Promise<Caller[]> {
  const sessionOf = async (accountId: number) => ({
    token: (await createSession(store, { accountId })).token,
    session: true,
    scopes: SCOPE_NAMES,
  });
  const account = async (handle: string) => {
    const form = { email: `${handle}@example.com`, handle, passwordHash: '-', operator: false };
    return await store.write.createAccount(form);
  };
  const callers: Caller[] = [
    { name: 'anonymous', kind: 'anonymous', token: undefined, scopes: [] },
    { name: 'garbage', kind: 'bad', token: 'garbage', scopes: [] },
    { name: 'the owner', ...OWNED, ...(await sessionOf(await ownerIdOf(store))) },
  ];
  const outsider = await account('outsider');
  callers.push({ name: 'an outsider', kind: 'account', ...(await sessionOf(outsider.id)) });
  for (const role of Object.keys(ORGANIZATION_ROLES) as OrganizationRole[]) {
    const { id, handle } = await account(`member-${role}`);
    for (const orgName of ['acme', 'quiet']) await owner('org.addMember', { orgName, handle, role });
    callers.push({
      name: `a member as ${role}`,
      kind: 'account',
      organizationRole: role,
      ...(await sessionOf(id)),
    });
  }
  for (const role of Object.keys(REPOSITORY_ROLES) as RepositoryRole[]) {
    const { id, handle } = await account(`collaborator-${role}`);
    for (const { orgName, repoName, held } of TARGETS)
      if (held) await owner('repo.setRole', { orgName, repoName, handle, role });
    callers.push({
      name: `a collaborator as ${role}`,
      kind: 'account',
      repositoryRole: role,
      ...(await sessionOf(id)),
    });
  }
  return [...callers, ...(await createTokens(store, owner)), ...(await createComponents(store))];
}

async function createTokens(store: Store, session: CallProcedure): Promise<Caller[]> {
  const made = async (name: string, entry: ScopeEntry) =>
    (await createToken(store, { email: 'ada@example.com', name, scopes: [entry] })).token;
  const callers: Caller[] = [];
  for (const scope of SCOPE_NAMES) {
    const token = await made(`only-${scope.replace(':', '-')}`, { permissions: [scope] });
    callers.push({ name: `a token with ${scope}`, ...OWNED, token, scopes: [scope] });
  }
  const elsewhere = await made('elsewhere', { resource: 'quiet', permissions: [...SCOPE_NAMES] });
  callers.push({
    name: 'a token for quiet',
    ...OWNED,
    operator: false,
    token: elsewhere,
    scopes: SCOPE_NAMES,
    only: 'quiet',
  });
  const narrowed = await made('narrowed', { permissions: ['repo:read', 'repo:write'], refs: ['Signal/**'] });
  callers.push({
    name: 'a narrowed token',
    ...OWNED,
    token: narrowed,
    scopes: ['repo:read', 'repo:write'],
    narrowed: true,
  });
  const revoked = await made('revoked', { permissions: [...SCOPE_NAMES] });
  await session('token.revoke', { name: 'revoked' });
  const expired = await createToken(store, {
    email: 'ada@example.com',
    name: 'expired',
    scopes: [{ permissions: ['repo:read'] }],
    lifetimeMs: 1,
  });
  callers.push({ name: 'a revoked token', kind: 'bad', token: revoked, scopes: [] });
  callers.push({ name: 'an expired token', kind: 'bad', token: expired.token, scopes: [] });
  return callers;
}

async function createComponents(store: Store): Promise<Caller[]> {
  const found = await findRepository(store.database, HOME);
  const repoId = found?.repoId ?? 0;
  const runtime = await createComponentToken(store, { repoId });
  const setup = await createComponentToken(store, { repoId, kind: 'setup' });
  const scopes: Scope[] = ['repo:read', 'repo:write', 'repo:action-callback'];
  return [
    { name: 'a runtime token', kind: 'runtime', token: runtime, scopes, narrowed: true },
    { name: 'a setup token', kind: 'setup', token: setup, scopes: [] },
  ];
}
