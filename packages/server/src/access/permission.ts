// What the caller may do, and what gives it or does not; and what they may hand on.
import { fail } from '@cairn/protocol/errors';
import type { PermissionAnswer } from '@cairn/protocol/member';
import type { ProcedureArguments } from '@cairn/protocol/procedures';
import { organizationScopes } from '@cairn/protocol/roles';
import type { Scope } from '@cairn/protocol/scopes';
import { findRepositories, findRepository } from '../repository/repository.sql.ts';
import { roleScopesIn, sightOf } from './access.ts';
import { allowanceOf, type Place } from './allowance.ts';
import type { Context } from './context.ts';
import type { OrganizationGrant } from './grant.rule.ts';
import { seeOrganization } from './organization-access.ts';
import type { Principal } from './principal.ts';
import { accountOf } from './requirement.ts';
import { NOBODY } from './role.sql.ts';

export async function checkRepoPermission(
  { principal, store }: Context,
  { permission, ...address }: ProcedureArguments<'access.checkRepoPermission'>,
): Promise<PermissionAnswer> {
  // Who does not see it is told so; what is seen is seen by some scope.
  const { found } = sightOf(principal, await findRepository(store.database, address, accountOf(principal)));
  const open = permission === 'repo:read' && found.repository.visibility === 'public';
  const { scopes, narrowing } = allowanceOf(principal, found);
  // A token that may do nothing there does not learn what its owner may.
  const told = scopes.size > 0;
  const byRole = open || (told && roleScopesIn(principal, found).includes(permission));
  const byToken = scopes.has(permission);
  const narrowed = permission === 'repo:read' && narrowing !== undefined;
  return { allowed: open || (byRole && byToken), byRole, byToken, ...(narrowed && { narrowed }) };
}

export async function checkOrgPermission(
  context: Context,
  { permission, orgName }: ProcedureArguments<'access.checkOrgPermission'>,
): Promise<PermissionAnswer> {
  const { found } = await seeOrganization(context, orgName);
  const { scopes } = allowanceOf(context.principal, found);
  const given = scopes.size > 0 ? organizationScopes(found.role) : [];
  const byRole = permission.startsWith('org:') && given.includes(permission);
  const byToken = scopes.has(permission);
  return { allowed: byRole && byToken, byRole, byToken };
}

/** A token gives a role only if it holds every scope of that role there, and `repo:read` for all that there is. */
export function requireGivable({ principal }: Context, places: readonly Place[], role: readonly Scope[]): void {
  const missing = role.filter((scope) => places.some((place) => !mayGive(principal, place, scope)));
  if (missing.length === 0) return;
  throw fail('FORBIDDEN', {
    message: `This token cannot give a role with scopes that it does not hold: ${missing.join(', ')}.`,
    details: { missing },
  });
}

function mayGive(principal: Principal, place: Place, scope: Scope): boolean {
  // What an organization role gives in the organization says nothing about its repositories.
  if (place.repoId !== undefined && !scope.startsWith('repo:')) return true;
  const { scopes, narrowing } = allowanceOf(principal, place);
  return scopes.has(scope) && (scope !== 'repo:read' || narrowing === undefined);
}

/** Where an organization role reaches and a token says something of its own: there, and in repositories that it names. */
export async function placesOfRole({ principal, store }: Context, { orgId }: OrganizationGrant): Promise<Place[]> {
  const entries = principal.kind === 'token' ? principal.lineage.flat() : [];
  const repoIds = [...new Set(entries.flatMap(({ repoId }) => repoId ?? []))];
  const named = await findRepositories(store.database, { addresses: [], repoIds }, NOBODY);
  const inside = named.filter((repository) => repository.orgId === orgId);
  return [{ orgId }, ...inside.map(({ repoId }) => ({ orgId, repoId }))];
}
