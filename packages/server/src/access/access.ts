// Authorization in repositories. The order is always 401 for a missing credential before any lookup, 404 for an
// invisible repository or a read without its scope, and 403 for another missing scope.
import { attempt } from '@cairn/model/problem';
import { CairnError, fail } from '@cairn/protocol/errors';
import { ORGANIZATION_ROLES, REPOSITORY_ROLES, SCOPE_NAMES, SCOPE_WORDS, type Scope } from '@cairn/protocol/scopes';
import type { AccessView } from '../engine/access-epoch.ts';
import type { FollowElsewhere } from '../read/hidden-target.sql.ts';
import {
  type FoundRepository,
  findRepositories,
  findRepository,
  findRepositoryRow,
  findRestorable,
  foundAt,
  type RepositoryAddress,
  type RepositoryChoice,
  type RepositoryRow,
  repositoryNotFound,
  toFound,
} from '../repository/repository.sql.ts';
import { readSequence } from '../repository/repository-sequence.sql.ts';
import type { Context } from './context.ts';
import type { Grant } from './grant.rule.ts';
import type { Narrowing, NarrowingEntry } from './narrowing.rule.ts';
import type { AccountPrincipal, Principal, SessionPrincipal } from './principal.ts';
import { NOBODY } from './role.sql.ts';
import { narrowingOf, type TokenScope } from './token-scope.sql.ts';

export async function authorize(context: Context, address: RepositoryAddress, scope: Scope): Promise<Grant> {
  const { principal, store } = context;
  if (scope !== 'repo:read') requireCredential(principal, scope);
  refuseElsewhere(principal, address);
  const row = await rememberRepository(context, address);
  const sequence = row && (await readSequence(store.database, row.id));
  if (row === undefined || sequence === undefined) throw repositoryNotFound();
  return grantOnce(principal, foundAt(row, sequence), scope);
}

const foundForCommits = new WeakMap<RepositoryRow, FoundRepository>();

/** The grant's sequence may be out of date: the writer reads the current one under its lock. */
export async function authorizeCommit(context: Context, address: RepositoryAddress): Promise<Grant> {
  const { principal } = context;
  requireCredential(principal, 'repo:write');
  refuseElsewhere(principal, address);
  const row = await rememberRepository(context, address);
  if (row === undefined) throw repositoryNotFound();
  const found = foundForCommits.get(row) ?? toFound(row);
  foundForCommits.set(row, found);
  return grantOnce(principal, found, 'repo:write');
}

/** Each commit moves the sequence, so the remembered one means nothing. */
export async function rememberRepository(
  { principal, store: { database }, view }: Pick<Context, 'principal' | 'store' | 'view'>,
  address: RepositoryAddress,
): Promise<RepositoryRow | undefined> {
  const accountId = accountOf(principal);
  const present = view ?? database.accessViewAtOnce() ?? (await database.accessView());
  return await rememberIn(present, `repository ${address.orgName}/${address.repoName} ${accountId}`, () =>
    findRepositoryRow(database, address, accountId),
  );
}

const REMEMBERED_MAX = 10_000;

/** Failed lookups are not cached, so guesses take no room. */
export async function rememberIn<Found>(
  { found }: AccessView,
  key: string,
  find: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const known = found.get(key) as Found | undefined;
  if (known !== undefined) return known;
  const fresh = await find();
  if (fresh === undefined) return undefined;
  if (found.size >= REMEMBERED_MAX) found.clear();
  found.set(key, fresh);
  return fresh;
}

const grants = new WeakMap<Principal, WeakMap<FoundRepository, Map<Scope, Grant>>>();

export function grantOnce(principal: Principal, found: FoundRepository, scope: Scope): Grant {
  const ofPrincipal = grants.get(principal) ?? new WeakMap<FoundRepository, Map<Scope, Grant>>();
  grants.set(principal, ofPrincipal);
  const known = ofPrincipal.get(found) ?? new Map<Scope, Grant>();
  ofPrincipal.set(found, known);
  const granted = known.get(scope) ?? grant(principal, found, scope);
  known.set(scope, granted);
  return granted;
}

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

/** Callers need the scope plus an unnarrowed `repo:read` of their own; public visibility is not enough. */
export async function authorizeWhole(
  { principal, store }: Context,
  address: RepositoryAddress,
  scope: Scope,
  narrowed: () => CairnError,
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
  // Obtaining the missing scope would only lead to the narrowing error, so the hint reports it now.
  throw isNarrowed ? fail(granted.code, { ...granted.fields, hint: narrowed().message }) : granted;
}

/** The manifest limits the writes of an install. The setup token itself may do nothing. */
export async function authorizeSetup({ principal, store }: Context, address: RepositoryAddress): Promise<Grant> {
  refuseElsewhere(principal, address);
  const found = await findRepository(store.database, address);
  if (principal.kind !== 'component' || found?.repoId !== principal.repoId) throw repositoryNotFound();
  const { component: holder } = principal;
  return { ...found, scope: 'repo:write', narrowing: undefined, writes: undefined, holder } as Grant;
}

export async function authorizeRestore({ principal, store }: Context, address: RepositoryAddress): Promise<Grant> {
  const scope = 'repo:admin';
  requireCredential(principal, scope);
  const found = await findRestorable(store.database, { ...address, now: Date.now() }, accountOf(principal));
  return grant(principal, found, scope);
}

/** A dry run reveals which names are taken, so callers who cannot read the whole repository need write access. */
export async function authorizeDryRun({ principal, store }: Context, address: RepositoryAddress): Promise<Grant> {
  requireCredential(principal, 'repo:write');
  refuseElsewhere(principal, address);
  const found = await findRepository(store.database, address, accountOf(principal));
  const reads = found !== undefined && readsAll(principal, found);
  const granted = grant(principal, found, reads ? 'repo:read' : 'repo:write');
  // A dry run reports what a commit would report, even while an import hides the repository from readers.
  return { ...granted, repoId: found?.repoId ?? granted.repoId };
}

function readsAll(principal: Principal, found: FoundRepository): boolean {
  return scopesIn(principal, found).has('repo:read') && narrowingIn(principal, found) === undefined;
}

export function mayReadAll(context: Context, grant: Grant): boolean {
  if (grant.narrowing !== undefined) return false;
  return grant.repository.visibility === 'public' || hasScope(context, grant, 'repo:read');
}

export function hasScope({ principal }: Context, found: FoundRepository, scope: Scope): boolean {
  return scopesIn(principal, found).has(scope);
}

export async function authorizeReads({ principal, store }: Context, choice: RepositoryChoice): Promise<Grant[]> {
  if (principal.kind === 'component') return [];
  const found = await findRepositories(store.database, choice, accountOf(principal));
  return found.flatMap((repository) => {
    const granted = attempt(() => grant(principal, repository, 'repo:read'));
    return granted instanceof CairnError ? [] : [granted];
  });
}

/** Listeners also need the real repository id, because the grant has a placeholder id during an import. */
export async function authorizeListener(
  { principal, store }: Context,
  address: RepositoryAddress,
): Promise<{ grant: Grant; repoId: number }> {
  refuseElsewhere(principal, address);
  const found = await findRepository(store.database, address, accountOf(principal));
  const granted = grantListener(principal, found, address);
  return { grant: granted, repoId: found?.repoId ?? granted.repoId };
}

/** Renews the grant of an open listener. A repository that was renamed since counts as gone. */
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

export function readsWhole(principal: Principal, found: FoundRepository): boolean {
  if (principal.kind === 'component' || found.repository.importing) return false;
  const open = found.repository.visibility === 'public' && narrowingIn(principal, found) === undefined;
  return open || readsAll(principal, found);
}

export function followOf(context: Context): FollowElsewhere | undefined {
  if (!isNarrowedAnywhere(context.principal)) return undefined;
  return (repoIds) => authorizeReads(context, { addresses: [], repoIds });
}

/** A placeholder id: readers of a repository that is being imported find it empty. */
const NO_REPOSITORY = 0;
const READING: readonly Scope[] = ['repo:read', 'repo:checkpoint-read', 'repo:checkpoint-generate'];

function grant(principal: Principal, found: FoundRepository | undefined, scope: Scope, second?: Scope): Grant {
  const { found: seen, scopes } = sightOf(principal, found);
  // To callers who may not read it, a repository must look nonexistent.
  if (scope === 'repo:read' && !scopes.has(scope)) throw repositoryNotFound();
  // The `repo:read` of a public repository does not count if a second scope is required.
  const held = second === undefined ? scopes : scopesIn(principal, seen);
  requireScopes(held, second === undefined ? [scope] : [scope, second], roleScopesIn(principal, seen));
  const writes = principal.kind === 'component' ? [principal.writes] : undefined;
  const repoId = seen.repository.importing && READING.includes(scope) ? NO_REPOSITORY : seen.repoId;
  const holder = principal.kind === 'component' ? principal.component : undefined;
  return { ...seen, repoId, scope, narrowing: narrowingIn(principal, seen), writes, holder } as Grant;
}

export function sightOf(
  principal: Principal,
  found: FoundRepository | undefined,
): { found: FoundRepository; scopes: Set<Scope> } {
  if (found === undefined) throw repositoryNotFound();
  const { visibility, deletedAt } = found.repository;
  const scopes = scopesIn(principal, found);
  // A deleted repository is no longer public. Components reach their repository through the install alone.
  const open = visibility === 'public' && deletedAt === undefined && principal.kind !== 'component';
  if (open) scopes.add('repo:read');
  if (scopes.size === 0) throw repositoryNotFound();
  return { found, scopes };
}

/** Runs before any lookup, so that a component learns nothing about other repositories. */
function refuseElsewhere(principal: Principal, { orgName, repoName }: RepositoryAddress): void {
  if (principal.kind !== 'component') return;
  refusePaused(principal);
  if (orgName === principal.orgName && repoName === principal.repoName) return;
  throw fail('FORBIDDEN', { message: 'A component can act only in the repository where it is installed.' });
}

export function refusePaused(principal: Principal): void {
  if (principal.kind !== 'component' || !principal.paused) return;
  throw fail('FORBIDDEN', {
    message: `The component ${principal.component} is paused. Resume it first.`,
  });
}

export function roleScopesIn(principal: Principal, { roles }: FoundRepository): readonly Scope[] {
  if (principal.kind === 'component') return REPOSITORY_ROLES.write;
  const ofOrganization = roles.organization === null ? [] : ORGANIZATION_ROLES[roles.organization];
  const given = roles.repository === null ? ofOrganization : REPOSITORY_ROLES[roles.repository];
  return given.filter((scope) => scope.startsWith('repo:'));
}

function scopesIn(principal: Principal, found: FoundRepository): Set<Scope> {
  const { scopes } = allowanceOf(principal, found);
  return new Set(roleScopesIn(principal, found).filter((scope) => scopes.has(scope)));
}

function narrowingIn(principal: Principal, found: FoundRepository): Grant['narrowing'] {
  return allowanceOf(principal, found).narrowing;
}

/** A place without ids is the whole server. */
export interface Place {
  readonly orgId?: number | undefined;
  readonly repoId?: number | undefined;
}

interface Allowance {
  readonly scopes: ReadonlySet<Scope>;
  /** The records that `repo:read` covers; `undefined` means all. It applies to public repositories too. */
  readonly narrowing: Narrowing | undefined;
}

const NO_ALLOWANCE: Allowance = { scopes: new Set(), narrowing: undefined };
const EVERYTHING: Allowance = { scopes: new Set(SCOPE_NAMES), narrowing: undefined };

/** Principals are immutable: a new lookup of the same caller returns a new object. */
const allowances = new WeakMap<Principal, Map<string, Allowance>>();
const ALLOWANCES_MAX = 1_000;

/** Independent of the caller's role. A token never exceeds its ancestors. */
export function allowanceOf(principal: Principal, place: Place): Allowance {
  if (principal.kind !== 'token') return findAllowance(principal, place);
  const known = allowances.get(principal) ?? new Map<string, Allowance>();
  if (known.size === 0) allowances.set(principal, known);
  const key = `${place.orgId} ${place.repoId}`;
  const allowance = known.get(key) ?? findAllowance(principal, place);
  if (known.size >= ALLOWANCES_MAX) known.clear();
  known.set(key, allowance);
  return allowance;
}

function findAllowance(principal: Principal, place: Place): Allowance {
  switch (principal.kind) {
    case 'anonymous':
      return NO_ALLOWANCE;
    case 'session':
      return EVERYTHING;
    case 'token':
      return together(principal.lineage.map((scopes) => allowanceOfEntries(scopes, place)));
    case 'component':
      return principal.repoId === place.repoId && principal.stage === 'runtime'
        ? componentAllowance(principal.reads, principal.writes)
        : NO_ALLOWANCE;
  }
}

function together(levels: readonly Allowance[]): Allowance {
  const [own = NO_ALLOWANCE, ...above] = levels;
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

/** The entries with the narrowest matching resource decide; entries for the same resource add up. */
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

const isNarrowed = ({ refs, shapes }: TokenScope) => refs !== null || shapes !== null;

export function isNarrowedAnywhere(principal: Principal): boolean {
  if (principal.kind === 'component') return true;
  return principal.kind === 'token' && principal.lineage.some((level) => level.some(isNarrowed));
}

export function requireCredential(principal: Principal, scope: Scope): void {
  if (principal.kind !== 'anonymous') return;
  throw fail('UNAUTHENTICATED', { message: `This needs a token with ${scope}. Send one as a bearer token.` });
}

export function requireAccount(principal: Principal): AccountPrincipal {
  if (principal.kind === 'anonymous') {
    throw fail('UNAUTHENTICATED', { message: 'This needs a token or a session. Send one as a bearer token.' });
  }
  if (principal.kind === 'component') {
    throw fail('FORBIDDEN', { message: 'Components cannot do this. Use a token of an account.' });
  }
  return principal;
}

/** Tokens are refused, because a stolen token could otherwise lock its owner out. */
export function requireSession(principal: Principal): SessionPrincipal {
  const account = requireAccount(principal);
  if (account.kind === 'session') return account;
  throw fail('FORBIDDEN', {
    message: 'This needs a session, not a token. Sign in with `cairn auth login`, or open /auth/account in a browser.',
  });
}

/** `byRole` holds the scopes of the role alone: another token helps only if the role has the missing scopes. */
export function requireScopes(scopes: ReadonlySet<Scope>, wanted: readonly Scope[], byRole: readonly Scope[]): void {
  const missing = wanted.filter((scope) => !scopes.has(scope));
  if (missing.length === 0) return;
  const told = missing.map((scope) => `${scope} (${SCOPE_WORDS[scope]})`).join(' and ');
  const named = `This needs the ${missing.length === 1 ? 'scope' : 'scopes'} ${told}`;
  const withheldBy = missing.every((scope) => byRole.includes(scope)) ? 'token' : 'role';
  const message =
    withheldBy === 'token'
      ? `${named}, which this token does not have. Use a token that has it.`
      : `${named}, which your role does not give here. Ask an admin for a higher role.`;
  throw fail('FORBIDDEN', { message, details: { missing, withheldBy } });
}

export function accountOf(principal: Principal): number {
  return principal.kind === 'token' || principal.kind === 'session' ? principal.accountId : NOBODY;
}

export function authorOf(principal: Principal): string {
  switch (principal.kind) {
    case 'anonymous':
      return 'anonymous';
    case 'session':
      return `user:${principal.handle}`;
    case 'token':
      return `token:${principal.handle}/${principal.tokenName}`;
    case 'component':
      return `component:${principal.component}`;
  }
}

/** Owner of submission ids. It survives renames, and a person's sessions and tokens share it. */
export function ownerOf(principal: Principal): string {
  if (principal.kind === 'component') return `component:${principal.installId ?? principal.component}`;
  return principal.kind === 'anonymous' ? 'anonymous' : `user:${principal.accountId}`;
}
