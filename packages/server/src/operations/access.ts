// Authorization. `authorize` turns a caller and a repository's address into a grant; functions that touch a
// repository's rows take the grant, so that nobody can forget to ask. Organizations likewise.
// The order is the same everywhere: no credential where one is needed is 401 before any look-up, what the caller does
// not see is 404, and a scope that is missing on what they see is 403 with its name.
import { CairnError, fail } from '@cairn/protocol/errors';
import type { ScopeEntry } from '@cairn/protocol/procedures';
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
import { NO_REACH, type Reach } from '../store/reach.ts';
import {
  type FoundRepository,
  findRepositories,
  findRepository,
  findRestorable,
  type RepositoryAddress,
  type RepositoryChoice,
  repositoryNotFound,
} from '../store/repository.ts';
import type { Context } from './context.ts';

export async function authorize(context: Context, address: RepositoryAddress, scope: Scope): Promise<Grant> {
  const { principal, store } = context;
  // What is public can be read without a credential, and nothing else can be done without one.
  if (scope !== 'repo:read') requireCredential(principal, scope);
  const found = await findRepository(store.database, address);
  return grant(principal, found, scope);
}

/** For a repository that may be deleted, as long as it can be restored. */
export async function authorizeRestore({ principal, store }: Context, address: RepositoryAddress): Promise<Grant> {
  const scope = 'repo:admin';
  requireCredential(principal, scope);
  const found = await findRestorable(store.database, { ...address, now: Date.now() });
  return grant(principal, found, scope);
}

/** To try out a commit: for who may write, and for who may read by more than the repository being public. */
export async function authorizeDryRun({ principal, store }: Context, address: RepositoryAddress): Promise<Grant> {
  requireCredential(principal, 'repo:write');
  const found = await findRepository(store.database, address);
  const path = `${address.orgName}/${address.repoName}`;
  const reads = found !== undefined && scopesOn(principal, [path, address.orgName, undefined]).has('repo:read');
  return grant(principal, found, reads ? 'repo:read' : 'repo:write');
}

/** Whether the caller may read the repository that a grant is for, whatever the grant itself is for. */
export function mayRead(context: Context, grant: Grant): boolean {
  return grant.repository.visibility === 'public' || hasScope(context, grant, 'repo:read');
}

/** Whether role and token give another scope on the repository that a grant is for. */
export function hasScope({ principal }: Context, { repository: { orgName, name } }: Grant, scope: Scope): boolean {
  return scopesOn(principal, [`${orgName}/${name}`, orgName, undefined]).has(scope);
}

/** Of other repositories that are referred to, those that the caller may read. About the others nothing is told. */
export async function authorizeReads({ principal, store }: Context, choice: RepositoryChoice): Promise<Grant[]> {
  const found = await findRepositories(store.database, choice);
  return found.flatMap((repository) => {
    const granted = attempt(() => grant(principal, repository, 'repo:read'));
    return granted instanceof CairnError ? [] : [granted];
  });
}

function grant(principal: Principal, found: FoundRepository | undefined, scope: Scope): Grant {
  if (found === undefined) throw repositoryNotFound();
  const { orgName, name, visibility, deletedAt } = found.repository;
  const scopes = scopesOn(principal, [`${orgName}/${name}`, orgName, undefined]);
  // What is deleted is public no longer.
  if (visibility === 'public' && deletedAt === undefined) scopes.add('repo:read');
  if (scopes.size === 0) throw repositoryNotFound();
  requireScope(scopes, scope);
  return { ...found, scope } as Grant;
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
  const found = await findOrganization(store.database, orgName);
  if (found === undefined) throw organizationNotFound();
  const scopes = scopesOn(principal, [orgName, undefined]);
  const open = await hasPublicRepository(store.database, found);
  if (scopes.size === 0 && !open) throw organizationNotFound();
  return { found, scopes, open };
}

/** What concerns the whole server, such as a new organization. */
export function authorizeOperator({ principal }: Context, scope: Scope): void {
  requireCredential(principal, scope);
  if (!isOperator(principal)) {
    throw fail('FORBIDDEN', { message: 'Only an operator of this server may do this. Ask one to.' });
  }
  requireScope(scopesOn(principal, [undefined]), scope);
}

/** What a list shows to the caller besides what is public: wherever role and token give one of the scopes. */
export function reachOf(principal: Principal, scopes: readonly Scope[]): Reach {
  if (!isOperator(principal)) return NO_REACH;
  const reached = (resource: string | undefined) => {
    const allowed = scopesOn(principal, [resource]);
    return scopes.some((scope) => allowed.has(scope));
  };
  const resources = principal.scopes.flatMap(({ resource }) => resource ?? []);
  return { everywhere: reached(undefined), resources: new Map(resources.map((name) => [name, reached(name)])) };
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

type OperatorPrincipal = Extract<Principal, { kind: 'token' }>;

// Roles come with members; until then an operator may do everything that the token allows, others nothing.
function isOperator(principal: Principal): principal is OperatorPrincipal {
  return principal.kind === 'token' && principal.operator;
}

/** Resources from the narrowest to the widest, which is `undefined`: everything. */
function scopesOn(principal: Principal, resources: readonly (string | undefined)[]): Set<Scope> {
  return new Set(isOperator(principal) ? permissionsOf(principal.scopes, resources) : []);
}

/** Of the entries that match, those with the narrowest resource decide; entries of one resource add up. */
function permissionsOf(entries: readonly ScopeEntry[], resources: readonly (string | undefined)[]): Scope[] {
  for (const resource of resources) {
    const matching = entries.filter((entry) => entry.resource === resource);
    if (matching.length > 0) return matching.flatMap((entry) => entry.permissions);
  }
  return [];
}
