// Who the caller is, what they may do, and why.

import { isOrganizationRole, isRepositoryRole, ORGANIZATION_ROLES, REPOSITORY_ROLES } from '@cairn/protocol/roles';
import type { Scope } from '@cairn/protocol/scopes';
import type { Whoami } from '@cairn/protocol/whoami';
import type { Reader } from '../engine/database.ts';
import { findRepositories } from '../repository/repository.sql.ts';
import { allowanceOf } from './allowance.ts';
import type { Context } from './context.ts';
import { type HeldRole, listHeldRoles } from './held-role.sql.ts';
import { actsAsOperator, mayCreate } from './organization-access.ts';
import type { AccountPrincipal } from './principal.ts';
import { describeScopes } from './token-scope.sql.ts';

const ROLES_MAX = 1_000;
const SHOWN_MAX = 100;

export async function whoami(context: Context): Promise<Whoami> {
  const { principal, store } = context;
  if (principal.kind === 'anonymous') return { kind: 'anonymous' };
  if (principal.kind === 'component') {
    const { component, stage, orgName, repoName, paused, expiresAt } = principal;
    return { kind: 'component', component, stage, repo: `${orgName}/${repoName}`, paused, expiresAt };
  }
  const { handle, expiresAt, accountId } = principal;
  const operator = actsAsOperator(principal);
  const createsOrganizations = mayCreate(context);
  const account = { handle, operator, createsOrganizations, expiresAt, access: await accessOf(context, principal) };
  if (principal.kind === 'session') return { kind: 'session', ...account };
  const scopes = await describeScopes(store.database, accountId, principal.lineage[0] ?? []);
  return { kind: 'token', ...account, tokenName: principal.tokenName, scopes };
}

type Held = Extract<Whoami, { kind: 'session' }>['access'][number];

/** Of a place where the token may do nothing it is not told that its owner has a role there. */
async function accessOf({ store }: Context, principal: AccountPrincipal): Promise<Held[]> {
  const roles = await rolesOf(store.database, principal);
  const held = roles.map((role) => heldBy(principal, role)).filter(({ allowed }) => allowed.length > 0);
  return held.slice(0, SHOWN_MAX);
}

/** Where a token is for single repositories, what the organization's role gives in each of them. */
async function rolesOf(reader: Reader, principal: AccountPrincipal): Promise<HeldRole[]> {
  const held = await listHeldRoles(reader, principal.accountId, ROLES_MAX);
  const entries = principal.kind === 'token' ? (principal.lineage[0] ?? []) : [];
  const known = new Set(held.map(({ repoId }) => repoId));
  const repoIds = [...new Set(entries.flatMap(({ repoId }) => repoId ?? []))].filter((id) => !known.has(id));
  const named = await findRepositories(reader, { addresses: [], repoIds }, principal.accountId);
  const given = named.flatMap(({ orgId, repoId, roles, repository: { orgName, name } }): HeldRole[] =>
    roles.organization === null ? [] : [{ orgId, repoId, resource: `${orgName}/${name}`, role: roles.organization }],
  );
  return [...held, ...given].sort((a, b) => (a.resource < b.resource ? -1 : 1));
}

function heldBy(principal: AccountPrincipal, held: HeldRole): Held {
  const { resource, role } = held;
  const { scopes } = allowanceOf(principal, held);
  const given = scopesOf(held);
  return {
    resource,
    role,
    allowed: given.filter((scope) => scopes.has(scope)),
    withheld: given.filter((scope) => !scopes.has(scope)),
  };
}

/** Of an organization role in one repository, what it gives there. `admin` is a role of both kinds. */
function scopesOf({ repoId, role }: HeldRole): readonly Scope[] {
  if (repoId !== undefined && isRepositoryRole(role)) return REPOSITORY_ROLES[role];
  const given: readonly Scope[] = isOrganizationRole(role) ? ORGANIZATION_ROLES[role] : [];
  return repoId === undefined ? given : given.filter((scope) => scope.startsWith('repo:'));
}
