import type { Whoami } from '@cairn/protocol/account';
import { fail } from '@cairn/protocol/errors';
import {
  isOrganizationRole,
  isRepositoryRole,
  ORGANIZATION_ROLES,
  organizationScopes,
  REPOSITORY_ROLES,
  type Scope,
} from '@cairn/protocol/scopes';
import type { Reader } from '../engine/database.ts';
import { findRepositories, findRepository } from '../repository/repository.sql.ts';
import { accountOf, allowanceOf, type Place, roleScopesIn, sightOf } from './access.ts';
import type { Context, Operation } from './context.ts';
import type { OrganizationGrant } from './grant.rule.ts';
import { actsAsOperator, mayCreate, seeOrganization } from './organization-access.ts';
import type { AccountPrincipal, Principal } from './principal.ts';
import { type HeldRole, listHeldRoles, NOBODY } from './role.sql.ts';
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

/** Leaves out places where the token allows nothing, so that it does not reveal its owner's roles there. */
async function accessOf({ store }: Context, principal: AccountPrincipal): Promise<Held[]> {
  const roles = await rolesOf(store.database, principal);
  const held = roles.map((role) => heldBy(principal, role)).filter(({ allowed }) => allowed.length > 0);
  return held.slice(0, SHOWN_MAX);
}

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

/** In a repository, an organization role counts for its `repo:` scopes only. `admin` is a role of both kinds. */
function scopesOf({ repoId, role }: HeldRole): readonly Scope[] {
  if (repoId !== undefined && isRepositoryRole(role)) return REPOSITORY_ROLES[role];
  const given: readonly Scope[] = isOrganizationRole(role) ? ORGANIZATION_ROLES[role] : [];
  return repoId === undefined ? given : given.filter((scope) => scope.startsWith('repo:'));
}

export const checkRepoPermission: Operation<'access.checkRepoPermission'> = async (
  { principal, store },
  { permission, ...address },
) => {
  const { found } = sightOf(principal, await findRepository(store.database, address, accountOf(principal)));
  const open = permission === 'repo:read' && found.repository.visibility === 'public';
  const { scopes, narrowing } = allowanceOf(principal, found);
  // A token without any scope there must not learn its owner's role.
  const told = scopes.size > 0;
  const byRole = open || (told && roleScopesIn(principal, found).includes(permission));
  const byToken = scopes.has(permission);
  const narrowed = permission === 'repo:read' && narrowing !== undefined;
  return { allowed: open || (byRole && byToken), byRole, byToken, ...(narrowed && { narrowed }) };
};

export const checkOrgPermission: Operation<'access.checkOrgPermission'> = async (context, { permission, orgName }) => {
  const { found } = await seeOrganization(context, orgName);
  const { scopes } = allowanceOf(context.principal, found);
  const given = scopes.size > 0 ? organizationScopes(found.role) : [];
  const byRole = permission.startsWith('org:') && given.includes(permission);
  const byToken = scopes.has(permission);
  return { allowed: byRole && byToken, byRole, byToken };
};

export function requireGivable({ principal }: Context, places: readonly Place[], role: readonly Scope[]): void {
  const missing = role.filter((scope) => places.some((place) => !mayGive(principal, place, scope)));
  if (missing.length === 0) return;
  throw fail('FORBIDDEN', {
    message: `This token cannot give a role with scopes that it does not hold: ${missing.join(', ')}.`,
    details: { missing },
  });
}

function mayGive(principal: Principal, place: Place, scope: Scope): boolean {
  if (place.repoId !== undefined && !scope.startsWith('repo:')) return true;
  const { scopes, narrowing } = allowanceOf(principal, place);
  return scopes.has(scope) && (scope !== 'repo:read' || narrowing === undefined);
}

export async function placesOfRole({ principal, store }: Context, { orgId }: OrganizationGrant): Promise<Place[]> {
  const entries = principal.kind === 'token' ? principal.lineage.flat() : [];
  const repoIds = [...new Set(entries.flatMap(({ repoId }) => repoId ?? []))];
  const named = await findRepositories(store.database, { addresses: [], repoIds }, NOBODY);
  const inside = named.filter((repository) => repository.orgId === orgId);
  return [{ orgId }, ...inside.map(({ repoId }) => ({ orgId, repoId }))];
}
