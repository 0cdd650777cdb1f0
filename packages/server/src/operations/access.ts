// Authorization. `authorize` turns a caller and a repository's address into a grant; functions that touch a
// repository's rows take the grant, so that nobody can forget to ask. Organizations likewise.
// The order is the same everywhere: no credential where one is needed is 401 before any look-up, what the caller does
// not see is 404, and a scope that is missing on what they see is 403 with its name.
import { CairnError, fail } from '@cairn/protocol/errors';
import type { PermissionAnswer } from '@cairn/protocol/member';
import type { ScopeEntry } from '@cairn/protocol/procedures';
import { ORGANIZATION_ROLES, type OrganizationRole, REPOSITORY_ROLES } from '@cairn/protocol/roles';
import type { Scope } from '@cairn/protocol/scopes';
import type { Principal } from '../auth/principal.ts';
import { attempt } from '../model/attempt.ts';
import type { Grant, OrganizationGrant } from '../store/grant.ts';
import {
  type FoundOrganization,
  findOrganization,
  hasPublicRepository,
  organizationNotFound,
} from '../store/organization.ts';
import type { Reach, Sufficient } from '../store/reach.ts';
import {
  type FoundRepository,
  findRepositories,
  findRepository,
  findRestorable,
  type RepositoryAddress,
  type RepositoryChoice,
  repositoryNotFound,
} from '../store/repository.ts';
import { NOBODY } from '../store/role.ts';
import type { Context } from './context.ts';

export async function authorize(context: Context, address: RepositoryAddress, scope: Scope): Promise<Grant> {
  const { principal, store } = context;
  // What is public can be read without a credential, and nothing else can be done without one.
  if (scope !== 'repo:read') requireCredential(principal, scope);
  const found = await findRepository(store.database, address, accountOf(principal));
  return grant(principal, found, scope);
}

/** For a repository that may be deleted, as long as it can be restored. */
export async function authorizeRestore({ principal, store }: Context, address: RepositoryAddress): Promise<Grant> {
  const scope = 'repo:admin';
  requireCredential(principal, scope);
  const found = await findRestorable(store.database, { ...address, now: Date.now() }, accountOf(principal));
  return grant(principal, found, scope);
}

/** To try out a commit: for who may write, and for who may read by more than the repository being public. */
export async function authorizeDryRun({ principal, store }: Context, address: RepositoryAddress): Promise<Grant> {
  requireCredential(principal, 'repo:write');
  const found = await findRepository(store.database, address, accountOf(principal));
  const reads = found !== undefined && scopesIn(principal, found).has('repo:read');
  return grant(principal, found, reads ? 'repo:read' : 'repo:write');
}

/** Whether the caller may read the repository that a grant is for, whatever the grant itself is for. */
export function mayRead(context: Context, grant: Grant): boolean {
  return grant.repository.visibility === 'public' || hasScope(context, grant, 'repo:read');
}

/** Whether role and token give another scope on the repository that a grant is for. */
export function hasScope({ principal }: Context, grant: Grant, scope: Scope): boolean {
  return scopesIn(principal, grant).has(scope);
}

/** Of other repositories that are referred to, those that the caller may read. About the others nothing is told. */
export async function authorizeReads({ principal, store }: Context, choice: RepositoryChoice): Promise<Grant[]> {
  const found = await findRepositories(store.database, choice, accountOf(principal));
  return found.flatMap((repository) => {
    const granted = attempt(() => grant(principal, repository, 'repo:read'));
    return granted instanceof CairnError ? [] : [granted];
  });
}

function grant(principal: Principal, found: FoundRepository | undefined, scope: Scope): Grant {
  requireScope(sightOf(principal, found), scope);
  return { ...found, scope } as Grant;
}

/** What the caller may do in a repository that they see; one that they do not see is as if it were not there. */
function sightOf(principal: Principal, found: FoundRepository | undefined): Set<Scope> {
  if (found === undefined) throw repositoryNotFound();
  const { visibility, deletedAt } = found.repository;
  const scopes = scopesIn(principal, found);
  // What is deleted is public no longer.
  if (visibility === 'public' && deletedAt === undefined) scopes.add('repo:read');
  if (scopes.size === 0) throw repositoryNotFound();
  return scopes;
}

export async function authorizeOrganization(
  context: Context,
  orgName: string,
  scope: Scope,
): Promise<OrganizationGrant> {
  requireCredential(context.principal, scope);
  const { found, scopes } = await seeOrganization(context, orgName);
  requireScope(scopes, scope);
  return { ...found, scope } as OrganizationGrant;
}

/** Whether the caller may do something in a repository that they see, and what gives it or does not. */
export async function explainRepositoryPermission(
  { principal, store }: Context,
  address: RepositoryAddress,
  scope: Scope,
): Promise<PermissionAnswer> {
  const found = await findRepository(store.database, address, accountOf(principal));
  // Who does not see it is told so; what is seen is seen by some scope.
  sightOf(principal, found);
  if (found === undefined) throw repositoryNotFound();
  const { repository, roles } = found;
  const open = scope === 'repo:read' && repository.visibility === 'public';
  const role = roles.repository === null ? rightsOf(roles.organization) : REPOSITORY_ROLES[roles.repository];
  const resources = [`${repository.orgName}/${repository.name}`, repository.orgName, undefined];
  const byRole = open || (scope.startsWith('repo:') && role.includes(scope));
  const byToken = allowedOn(principal, resources).includes(scope);
  return { allowed: open || (byRole && byToken), byRole, byToken };
}

export async function explainOrganizationPermission(
  context: Context,
  orgName: string,
  scope: Scope,
): Promise<PermissionAnswer> {
  const { found } = await seeOrganization(context, orgName);
  const byRole = scope.startsWith('org:') && rightsOf(found.role).includes(scope);
  const byToken = allowedOn(context.principal, [orgName, undefined]).includes(scope);
  return { allowed: byRole && byToken, byRole, byToken };
}

interface Gift {
  readonly scopes: readonly Scope[];
  /** From the narrowest to the widest. */
  readonly resources: readonly string[];
}

/** A token gives a role only if it holds every scope of that role there. */
export function requireGivable({ principal }: Context, { scopes, resources }: Gift): void {
  const held = allowedOn(principal, [...resources, undefined]);
  const missing = scopes.filter((scope) => !held.includes(scope));
  if (missing.length === 0) return;
  throw fail('FORBIDDEN', {
    message: `This token cannot give a role with scopes that it does not hold: ${missing.join(', ')}.`,
    details: { missing },
  });
}

/** To read what an organization says of itself, which is for everyone where it has a public repository. */
export async function authorizeProfile(context: Context, orgName: string): Promise<OrganizationGrant> {
  const { found, scopes, open } = await seeOrganization(context, orgName);
  if (!open) requireScope(scopes, 'org:read');
  return { ...found, scope: 'org:read' } as OrganizationGrant;
}

interface SeenOrganization {
  readonly found: FoundOrganization;
  readonly scopes: Set<Scope>;
  /** Whether everyone sees it. */
  readonly open: boolean;
}

async function seeOrganization({ principal, store }: Context, orgName: string): Promise<SeenOrganization> {
  const found = await findOrganization(store.database, orgName, accountOf(principal));
  if (found === undefined) throw organizationNotFound();
  const scopes = scopesInOrganization(principal, found);
  const open = await hasPublicRepository(store.database, found);
  if (scopes.size === 0 && !open) throw organizationNotFound();
  return { found, scopes, open };
}

/** What concerns the whole server, such as a new organization. */
export function authorizeOperator({ principal }: Context, scope: Scope): TokenPrincipal {
  requireCredential(principal, scope);
  if (principal.kind !== 'token' || !principal.operator) {
    throw fail('FORBIDDEN', { message: 'Only an operator of this server may do this. Ask one to.' });
  }
  requireScope(new Set(allowedOn(principal, [undefined])), scope);
  return principal;
}

/** What a list shows to the caller besides what is public: wherever role and token give one of the scopes. */
export function reachOf(principal: Principal, scopes: readonly Scope[]): Reach {
  const sufficient = (resource: string | undefined): Sufficient => {
    const allowed = allowedOn(principal, [resource]).filter((scope) => scopes.includes(scope));
    const gives = (role: readonly Scope[]) => allowed.some((scope) => role.includes(scope));
    return {
      organizationRoles: namesOf(ORGANIZATION_ROLES).filter((role) => gives(ORGANIZATION_ROLES[role])),
      repositoryRoles: namesOf(REPOSITORY_ROLES).filter((role) => gives(REPOSITORY_ROLES[role])),
    };
  };
  const named = principal.kind === 'token' ? principal.scopes.flatMap(({ resource }) => resource ?? []) : [];
  return {
    accountId: accountOf(principal),
    everywhere: sufficient(undefined),
    resources: new Map(named.map((name) => [name, sufficient(name)])),
  };
}

function namesOf<Name extends string>(table: Readonly<Record<Name, unknown>>): Name[] {
  return Object.keys(table) as Name[];
}

export function requireCredential(principal: Principal, scope: Scope): void {
  if (principal.kind !== 'anonymous') return;
  throw fail('UNAUTHENTICATED', { message: `This needs a token with ${scope}. Send one as a bearer token.` });
}

function requireScope(scopes: ReadonlySet<Scope>, scope: Scope): void {
  if (!scopes.has(scope)) throw scopeMissing(scope);
}

function scopeMissing(scope: Scope): CairnError {
  return fail('FORBIDDEN', {
    message: `This needs the scope ${scope}. Use a token that has it.`,
    details: { missing: [scope] },
  });
}

type TokenPrincipal = Extract<Principal, { kind: 'token' }>;

function accountOf(principal: Principal): number {
  return principal.kind === 'token' ? principal.accountId : NOBODY;
}

/** What role and token give together in a repository. */
function scopesIn(principal: Principal, { repository, roles }: FoundRepository): Set<Scope> {
  const { orgName, name } = repository;
  const role = roles.repository === null ? rightsOf(roles.organization) : REPOSITORY_ROLES[roles.repository];
  const given = both(role, allowedOn(principal, [`${orgName}/${name}`, orgName, undefined]));
  // What an organization role gives in the organization says nothing about the repository.
  return new Set([...given].filter((scope) => scope.startsWith('repo:')));
}

/** What role and token give together in an organization. */
function scopesInOrganization(principal: Principal, { organization, role }: FoundOrganization): Set<Scope> {
  return both(rightsOf(role), allowedOn(principal, [organization.name, undefined]));
}

function rightsOf(role: OrganizationRole | null): readonly Scope[] {
  return role === null ? [] : ORGANIZATION_ROLES[role];
}

function both(role: readonly Scope[], allowed: readonly Scope[]): Set<Scope> {
  return new Set(allowed.filter((scope) => role.includes(scope)));
}

/** What the token allows. Resources from the narrowest to the widest, which is `undefined`: everything. */
function allowedOn(principal: Principal, resources: readonly (string | undefined)[]): Scope[] {
  return principal.kind === 'token' ? permissionsOf(principal.scopes, resources) : [];
}

/** Of the entries that match, those with the narrowest resource decide; entries of one resource add up. */
function permissionsOf(entries: readonly ScopeEntry[], resources: readonly (string | undefined)[]): Scope[] {
  for (const resource of resources) {
    const matching = entries.filter((entry) => entry.resource === resource);
    if (matching.length > 0) return matching.flatMap((entry) => entry.permissions);
  }
  return [];
}
