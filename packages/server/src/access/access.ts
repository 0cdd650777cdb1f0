// Authorization in repositories. `authorize` turns a caller and a repository's address into a grant; functions that touch
// a repository's rows take the grant, so that nobody can forget to ask. Organizations: organization-access.ts.
// The order is the same everywhere: no credential where one is needed is 401 before any look-up, what the caller does
// not see is 404, and a scope that is missing on what they see is 403 with its name, apart from reading, which is 404.
import { CairnError, fail } from '@cairn/protocol/errors';
import { organizationScopes, REPOSITORY_ROLES } from '@cairn/protocol/roles';
import { SCOPE_NAMES, type Scope } from '@cairn/protocol/scopes';
import { attempt } from '@cairn/model/problem';
import type { FollowElsewhere } from '../read/hidden-target.sql.ts';
import {
  type FoundRepository,
  findRepositories,
  findRepository,
  findRestorable,
  type RepositoryAddress,
  type RepositoryChoice,
  repositoryNotFound,
} from '../repository/repository.sql.ts';
import type { Context } from './context.ts';
import type { Grant } from './grant.rule.ts';
import type { Narrowing, NarrowingEntry } from './narrowing.rule.ts';
import type { Principal } from './principal.ts';
import { accountOf, requireCredential, requireScopes } from './requirement.ts';
import { narrowingOf, type TokenScope } from './token-scope.sql.ts';

export async function authorize(context: Context, address: RepositoryAddress, scope: Scope): Promise<Grant> {
  const { principal, store } = context;
  // What is public can be read without a credential, and nothing else can be done without one.
  if (scope !== 'repo:read') requireCredential(principal, scope);
  refuseElsewhere(principal, address);
  const accountId = accountOf(principal);
  const found = await store.database.kept(`repository ${address.orgName}/${address.repoName} ${accountId}`, () =>
    findRepository(store.database, address, accountId),
  );
  return found === undefined ? grant(principal, found, scope) : grantOnce(principal, found, scope);
}

/** Who is kept and what is kept give the same grant again. */
const grants = new WeakMap<Principal, WeakMap<FoundRepository, Map<Scope, Grant>>>();

function grantOnce(principal: Principal, found: FoundRepository, scope: Scope): Grant {
  const ofPrincipal = grants.get(principal) ?? new WeakMap<FoundRepository, Map<Scope, Grant>>();
  grants.set(principal, ofPrincipal);
  const known = ofPrincipal.get(found) ?? new Map<Scope, Grant>();
  ofPrincipal.set(found, known);
  const granted = known.get(scope) ?? grant(principal, found, scope);
  known.set(scope, granted);
  return granted;
}

/** For what takes a second scope on the same repository. */
export async function authorizeBoth(
  { principal, store }: Context,
  address: RepositoryAddress,
  scopes: readonly [Scope, Scope],
): Promise<Grant> {
  requireCredential(principal, scopes[0]);
  refuseElsewhere(principal, address);
  const found = await findRepository(store.database, address, accountOf(principal));
  return grant(principal, found, ...scopes);
}

interface WholeWish {
  readonly scope: Scope;
  /** How who reads some of it is refused. */
  readonly narrowed: () => CairnError;
}

/** For what needs a scope, and all of the repository: by `repo:read`, and not because it is public. */
export async function authorizeWhole(
  { principal, store }: Context,
  address: RepositoryAddress,
  { scope, narrowed }: WholeWish,
): Promise<Grant> {
  requireCredential(principal, scope);
  refuseElsewhere(principal, address);
  const found = await findRepository(store.database, address, accountOf(principal));
  const granted = attempt(() => grant(principal, found, scope, 'repo:read'));
  if (!(granted instanceof CairnError)) {
    if (granted.narrowing !== undefined) throw narrowed();
    return granted;
  }
  const isNarrowed = granted.code === 'FORBIDDEN' && found !== undefined && narrowingIn(principal, found) !== undefined;
  // With the scope that is missing, the next refusal would be the other one: it is told at once.
  throw isNarrowed ? fail(granted.code, { ...granted.fields, hint: narrowed().message }) : granted;
}

/**
 * For what an install does itself in its repository, at the word of its setup token: the manifest says what, and the store
 * holds it to that. The token itself may read and write nothing.
 */
export async function authorizeSetup({ principal, store }: Context, address: RepositoryAddress): Promise<Grant> {
  refuseElsewhere(principal, address);
  const found = await findRepository(store.database, address);
  if (principal.kind !== 'component' || found?.repoId !== principal.repoId) throw repositoryNotFound();
  const { component: holder } = principal;
  return { ...found, scope: 'repo:write', narrowing: undefined, writes: undefined, holder } as Grant;
}

/** For a repository that may be deleted, as long as it can be restored. */
export async function authorizeRestore({ principal, store }: Context, address: RepositoryAddress): Promise<Grant> {
  const scope = 'repo:admin';
  requireCredential(principal, scope);
  const found = await findRestorable(store.database, { ...address, now: Date.now() }, accountOf(principal));
  return grant(principal, found, scope);
}

/** To try out a commit: for who may write, and for who may read all, by more than the repository being public. */
export async function authorizeDryRun({ principal, store }: Context, address: RepositoryAddress): Promise<Grant> {
  requireCredential(principal, 'repo:write');
  refuseElsewhere(principal, address);
  const found = await findRepository(store.database, address, accountOf(principal));
  // A dry run tells which names are taken: who is to see some of them alone must be able to write.
  const reads = found !== undefined && readsAll(principal, found);
  const granted = grant(principal, found, reads ? 'repo:read' : 'repo:write');
  // It is told what a commit would be told, also while an import is under way.
  return { ...granted, repoId: found?.repoId ?? granted.repoId };
}

function readsAll(principal: Principal, found: FoundRepository): boolean {
  return scopesIn(principal, found).has('repo:read') && narrowingIn(principal, found) === undefined;
}

/** Whether the caller may read all of the repository that a grant is for, whatever the grant itself is for. */
export function mayReadAll(context: Context, grant: Grant): boolean {
  if (grant.narrowing !== undefined) return false;
  return grant.repository.visibility === 'public' || hasScope(context, grant, 'repo:read');
}

/** Whether role and token give a scope on a repository, whatever a grant for it is for. */
export function hasScope({ principal }: Context, found: FoundRepository, scope: Scope): boolean {
  return scopesIn(principal, found).has(scope);
}

/** Of other repositories that are referred to, those that the caller may read. About the others nothing is told. */
export async function authorizeReads({ principal, store }: Context, choice: RepositoryChoice): Promise<Grant[]> {
  // A component reads nothing but its own repository.
  if (principal.kind === 'component') return [];
  const found = await findRepositories(store.database, choice, accountOf(principal));
  return found.flatMap((repository) => {
    const granted = attempt(() => grant(principal, repository, 'repo:read'));
    return granted instanceof CairnError ? [] : [granted];
  });
}

/** For who listens. The repository itself stands beside the grant, which has another while an import is under way. */
export async function authorizeListener({ principal, store }: Context, address: RepositoryAddress): Promise<Listener> {
  refuseElsewhere(principal, address);
  const found = await findRepository(store.database, address, accountOf(principal));
  const granted = grantListener(principal, found, address);
  return { grant: granted, repoId: found?.repoId ?? granted.repoId };
}

interface Listener {
  readonly grant: Grant;
  readonly repoId: number;
}

/** For who listens already, by the address that they asked for: one that has another by now is not there any more. */
export function grantListener(
  principal: Principal,
  found: FoundRepository | undefined,
  address: RepositoryAddress,
): Grant {
  refuseElsewhere(principal, address);
  const { orgName, name } = found?.repository ?? {};
  const isThere = orgName === address.orgName && name === address.repoName;
  return grant(principal, isThere ? found : undefined, 'repo:read');
}

/** Whether the caller may read all of a repository, and there is all of it to read. */
export function readsWhole(principal: Principal, found: FoundRepository): boolean {
  if (principal.kind === 'component' || found.repository.importing) return false;
  const open = found.repository.visibility === 'public' && narrowingIn(principal, found) === undefined;
  return open || readsAll(principal, found);
}

/** For reads that hold pointers: what lies elsewhere may be hidden from a caller who is narrowed anywhere. */
export function followOf(context: Context): FollowElsewhere | undefined {
  if (!isNarrowedAnywhere(context.principal)) return undefined;
  return (repoIds) => authorizeReads(context, { addresses: [], repoIds });
}

/** Of no repository: whoever reads one that is importing finds it empty. */
const NO_REPOSITORY = 0;
const READING: readonly Scope[] = ['repo:read', 'repo:checkpoint-read', 'repo:checkpoint-generate'];

function grant(principal: Principal, found: FoundRepository | undefined, scope: Scope, second?: Scope): Grant {
  const { found: seen, scopes } = sightOf(principal, found);
  // What may be read without a credential where it is public is, for who may not read it, as if it were not there.
  if (scope === 'repo:read' && !scopes.has(scope)) throw repositoryNotFound();
  // What everyone may, because it is public, is no second scope.
  const held = second === undefined ? scopes : scopesIn(principal, seen);
  requireScopes(held, second === undefined ? [scope] : [scope, second], roleScopesIn(principal, seen));
  const writes = principal.kind === 'component' ? [principal.writes] : undefined;
  const repoId = seen.repository.importing && READING.includes(scope) ? NO_REPOSITORY : seen.repoId;
  const holder = principal.kind === 'component' ? principal.component : undefined;
  return { ...seen, repoId, scope, narrowing: narrowingIn(principal, seen), writes, holder } as Grant;
}

interface Sight {
  readonly found: FoundRepository;
  readonly scopes: Set<Scope>;
}

/** What the caller may do in a repository that they see; one that they do not see is as if it were not there. */
export function sightOf(principal: Principal, found: FoundRepository | undefined): Sight {
  if (found === undefined) throw repositoryNotFound();
  const { visibility, deletedAt } = found.repository;
  const scopes = scopesIn(principal, found);
  // What is deleted is public no longer. A component has its own repository by its install alone.
  const open = visibility === 'public' && deletedAt === undefined && principal.kind !== 'component';
  if (open) scopes.add('repo:read');
  if (scopes.size === 0) throw repositoryNotFound();
  return { found, scopes };
}

/** A component has one repository, and what it may not do it is told before anything is looked up. */
function refuseElsewhere(principal: Principal, { orgName, repoName }: RepositoryAddress): void {
  if (principal.kind !== 'component') return;
  refusePaused(principal);
  if (orgName === principal.orgName && repoName === principal.repoName) return;
  throw fail('FORBIDDEN', { message: 'A component acts in the repository that it is installed in, and nowhere else.' });
}

export function refusePaused(principal: Principal): void {
  if (principal.kind !== 'component' || !principal.paused) return;
  throw fail('FORBIDDEN', {
    message: `The component ${principal.component} is paused. Resume it to let it act again.`,
  });
}

/** What the role gives in a repository. A component's install is its role. */
export function roleScopesIn(principal: Principal, { roles }: FoundRepository): readonly Scope[] {
  if (principal.kind === 'component') return REPOSITORY_ROLES.write;
  const given = roles.repository === null ? organizationScopes(roles.organization) : REPOSITORY_ROLES[roles.repository];
  // What an organization role gives in the organization says nothing about the repository.
  return given.filter((scope) => scope.startsWith('repo:'));
}

/** What role and credential give together in a repository. */
function scopesIn(principal: Principal, found: FoundRepository): Set<Scope> {
  const { scopes } = allowanceOf(principal, found);
  return new Set(roleScopesIn(principal, found).filter((scope) => scopes.has(scope)));
}

function narrowingIn(principal: Principal, found: FoundRepository): Grant['narrowing'] {
  return allowanceOf(principal, found).narrowing;
}

// What a caller's credential allows at a place, whatever their role there: a session everything, a token what its entries
// and those of all that it descends from say, a component what its install approved.

/** A repository in its organization, an organization, or the whole server. */
export interface Place {
  readonly orgId?: number | undefined;
  readonly repoId?: number | undefined;
}

interface Allowance {
  readonly scopes: ReadonlySet<Scope>;
  /** Which records `repo:read` is for; `undefined`: all. It holds on a public repository too. */
  readonly narrowing: Narrowing | undefined;
}

const NOTHING: Allowance = { scopes: new Set(), narrowing: undefined };
const EVERYTHING: Allowance = { scopes: new Set(SCOPE_NAMES), narrowing: undefined };

export function allowanceOf(principal: Principal, place: Place): Allowance {
  switch (principal.kind) {
    case 'anonymous':
      return NOTHING;
    case 'session':
      return EVERYTHING;
    case 'token':
      return together(principal.lineage.map((scopes) => allowanceOfEntries(scopes, place)));
    case 'component':
      return principal.repoId === place.repoId && principal.stage === 'runtime'
        ? componentAllowance(principal.reads, principal.writes)
        : NOTHING;
  }
}

function together(levels: readonly Allowance[]): Allowance {
  const [own = NOTHING, ...above] = levels;
  const scopes = [...own.scopes].filter((scope) => above.every((level) => level.scopes.has(scope)));
  const narrowing = levels.flatMap((level) => level.narrowing ?? []);
  return { scopes: new Set(scopes), narrowing: narrowing.length === 0 ? undefined : narrowing };
}

function allowanceOfEntries(entries: readonly TokenScope[], place: Place): Allowance {
  const matching = decisiveEntries(entries, place);
  const reads = matching.filter(({ permissions }) => permissions.includes('repo:read')).map(narrowingOf);
  const narrowed = reads.filter((entry) => entry !== undefined);
  return {
    scopes: new Set(matching.flatMap(({ permissions }) => permissions)),
    narrowing: narrowed.length > 0 && narrowed.length === reads.length ? [narrowed] : undefined,
  };
}

/** Of the entries that match, those with the narrowest resource decide; entries of one resource add up. */
export function decisiveEntries(entries: readonly TokenScope[], { orgId, repoId }: Place): readonly TokenScope[] {
  const ofRepository = entries.filter((entry) => entry.repoId !== null && entry.repoId === repoId);
  if (ofRepository.length > 0) return ofRepository;
  const ofOrganization = entries.filter((entry) => entry.orgId !== null && entry.orgId === orgId);
  if (ofOrganization.length > 0) return ofOrganization;
  return entries.filter((entry) => entry.orgId === null && entry.repoId === null);
}

function componentAllowance(reads: readonly NarrowingEntry[], writes: readonly NarrowingEntry[]): Allowance {
  const scopes: Scope[] = [
    'repo:action-callback',
    ...(reads.length > 0 ? (['repo:read'] as const) : []),
    ...(writes.length > 0 ? (['repo:write'] as const) : []),
  ];
  return { scopes: new Set(scopes), narrowing: [reads] };
}

export function isNarrowedAnywhere(principal: Principal): boolean {
  if (principal.kind === 'component') return true;
  return principal.kind === 'token' && principal.lineage.some((level) => level.some((entry) => narrowingOf(entry)));
}
