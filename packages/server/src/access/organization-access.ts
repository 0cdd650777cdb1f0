// Authorization in organizations and for the whole server.
import { attempt } from '@cairn/model/problem';
import { CairnError, fail } from '@cairn/protocol/errors';
import { ORGANIZATION_ROLES, organizationScopes, REPOSITORY_ROLES, type Scope } from '@cairn/protocol/scopes';
import {
  type FoundOrganization,
  findOrganization,
  hasPublicRepository,
  organizationNotFound,
} from '../repository/organization.sql.ts';
import { accountOf, allowanceOf, requireCredential, requireScopes } from './access.ts';
import type { Context } from './context.ts';
import type { OrganizationGrant } from './grant.rule.ts';
import type { AccountPrincipal, Principal } from './principal.ts';
import type { Level, Reach } from './role.sql.ts';
import type { TokenScope } from './token-scope.sql.ts';

export async function authorizeOrganization(
  context: Context,
  orgName: string,
  scope: Scope,
): Promise<OrganizationGrant> {
  requireCredential(context.principal, scope);
  const { found, scopes } = await seeOrganization(context, orgName);
  requireScopes(scopes, [scope], organizationScopes(found.role));
  return { ...found, scope } as OrganizationGrant;
}

export async function authorizeProfile(context: Context, orgName: string): Promise<OrganizationGrant> {
  const { found, scopes, open } = await seeOrganization(context, orgName);
  if (!open) requireScopes(scopes, ['org:read'], organizationScopes(found.role));
  return { ...found, scope: 'org:read' } as OrganizationGrant;
}

export async function seeOrganization(
  { principal, store }: Context,
  orgName: string,
): Promise<{ found: FoundOrganization; scopes: Set<Scope>; open: boolean }> {
  const found = await findOrganization(store.database, orgName, accountOf(principal));
  if (found === undefined) throw organizationNotFound();
  const { scopes: allowed } = allowanceOf(principal, found);
  const scopes = new Set(organizationScopes(found.role).filter((scope) => allowed.has(scope)));
  const open = await hasPublicRepository(store.database, found);
  if (scopes.size === 0 && !open) throw organizationNotFound();
  return { found, scopes, open };
}

export function authorizeCreation({ principal, orgCreation }: Context): AccountPrincipal {
  const scope = 'org:admin';
  requireCredential(principal, scope);
  const mayAsk = principal.kind === 'token' || principal.kind === 'session';
  if (!mayAsk || (orgCreation === 'operators' && !principal.operator)) {
    throw fail('FORBIDDEN', {
      message: 'Only operators can create organizations here. Ask one, or use your personal organization.',
    });
  }
  requireScopes(allowanceOf(principal, {}).scopes, [scope], [scope]);
  return principal;
}

export function mayCreate(context: Context): boolean {
  return !(attempt(() => authorizeCreation(context)) instanceof CairnError);
}

export function actsAsOperator(principal: AccountPrincipal): boolean {
  return principal.operator && allowanceOf(principal, {}).scopes.has('org:admin');
}

export const ORGANIZATION_LISTED_BY: readonly Scope[] = ['org:read'];
export const REPOSITORY_LISTED_BY: readonly Scope[] = ['repo:read', 'org:read'];

/** The places where role and token together give one of the scopes. Lists add public rows to these. */
export function reachOf(principal: Principal, scopes: readonly Scope[]): Reach {
  const levels = principal.kind === 'token' ? principal.lineage : [];
  return {
    accountId: accountOf(principal),
    ways: scopes.map((scope) => ({
      organizationRoles: rolesWith(ORGANIZATION_ROLES, scope),
      repositoryRoles: rolesWith(REPOSITORY_ROLES, scope),
      levels: levels.map((entries) => levelOf(entries, scope)),
    })),
  };
}

function rolesWith<Role extends string>(table: Readonly<Record<Role, readonly Scope[]>>, scope: Scope): Role[] {
  return (Object.keys(table) as Role[]).filter((role) => table[role].includes(scope));
}

function levelOf(entries: readonly TokenScope[], scope: Scope): Level {
  const allowing = (some: readonly TokenScope[]) => some.some(({ permissions }) => permissions.includes(scope));
  const byPlace = (placeOf: (entry: TokenScope) => number | null) => {
    const named = entries.filter((entry) => placeOf(entry) !== null);
    const grouped = Map.groupBy(named, (entry) => placeOf(entry) ?? 0);
    return new Map([...grouped].map(([id, some]) => [id, allowing(some)]));
  };
  return {
    repositories: byPlace(({ repoId }) => repoId),
    organizations: byPlace(({ orgId }) => orgId),
    elsewhere: allowing(entries.filter(({ orgId, repoId }) => orgId === null && repoId === null)),
  };
}
