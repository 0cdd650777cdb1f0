// Access to components. To callers outside its organization, a private component looks like a missing one.
import type { Granted } from '@cairn/protocol/component';
import { CairnError, fail } from '@cairn/protocol/errors';
import { type Manifest, manifest as manifestSchema } from '@cairn/protocol/manifest';
import { duplicateProblems, nameProblems } from '@cairn/protocol/manifest/consistency';
import type { Scope } from '@cairn/protocol/scopes';
import { accountOf, allowanceOf, authorize, hasScope, roleScopesIn } from '../access/access.ts';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import { findOrganization } from '../repository/organization.sql.ts';
import { type FoundRepository, findRepository, type RepositoryAddress } from '../repository/repository.sql.ts';
import {
  type ComponentRef,
  componentNotFound,
  type FoundComponent,
  type FoundVersion,
  findComponent,
  findVersion,
  fullNameOf,
} from './component.sql.ts';
import { installIdOf, namesIn } from './declaration.ts';
import { expandManifest } from './manifest.rule.ts';
import { findNamesake, findStandings, obstaclesIn } from './obstacle.sql.ts';

export async function seeComponent(context: Context, ref: ComponentRef): Promise<FoundComponent> {
  const found = await findComponent(context.store.database, ref);
  if (found === undefined || found.unregisteredAt !== undefined) throw componentNotFound();
  if (found.visibility === 'private' && !(await isMember(context, found.orgName))) throw componentNotFound();
  return found;
}

/** Depends on the role only: a token that may write to one repository can install everything that its owner may see. */
export async function isMember({ principal, store }: Context, orgName: string): Promise<boolean> {
  const found = await findOrganization(store.database, orgName, accountOf(principal));
  return found !== undefined && found.role !== null;
}

export function originsOf({ setupUrl, allowedCallbacks }: FoundComponent): string[] {
  const given = setupUrl === undefined ? allowedCallbacks : [setupUrl, ...allowedCallbacks];
  return given.map((text) => new URL(text).origin);
}

export function componentRefOf(text: string): ComponentRef {
  const slash = text.indexOf('/');
  return { orgName: text.slice(0, slash), name: text.slice(slash + 1) };
}

const hasTargets = ({ subscriptions, credentials }: Manifest) => subscriptions.length > 0 || credentials.length > 0;

export function managingScopes(manifest: Manifest): Scope[] {
  return ['repo:write', ...(hasTargets(manifest) ? (['repo:configure'] as const) : [])];
}

export function installingScopes(manifest: Manifest): Scope[] {
  const reads = manifest.runtimeAccess?.reads ?? [];
  const tells = manifest.subscriptions.length > 0 || reads.length > 0;
  return [...managingScopes(manifest), ...(tells ? (['repo:read'] as const) : [])];
}

export function grantedBy(manifest: Manifest): Granted {
  const { reads = [], writes = [] } = manifest.runtimeAccess ?? {};
  return { scopes: installingScopes(manifest), reads: [...reads], writes: [...writes] };
}

/** Callers cannot give a component access that they do not have themselves. */
export function requireScopes(context: Context, found: FoundRepository, scopes: readonly Scope[]): void {
  const missing = scopes.filter((scope) => !holds(context, found, scope));
  if (missing.length === 0) return;
  const named = missing.map((scope) => (scope === 'repo:read' ? 'an unrestricted repo:read' : scope));
  const byRole = roleScopesIn(context.principal, found);
  const withheldBy = missing.every((scope) => byRole.includes(scope)) ? 'token' : 'role';
  throw fail('FORBIDDEN', {
    message: `The resources of this component need ${named.join(' and ')}, which you do not have here. Use another token, or ask for a higher role.`,
    details: { missing, withheldBy },
  });
}

function holds(context: Context, found: FoundRepository, scope: Scope): boolean {
  const narrowed = scope === 'repo:read' && allowanceOf(context.principal, found).narrowing !== undefined;
  return hasScope(context, found, scope) && !narrowed;
}

export interface Candidate {
  readonly component: FoundComponent;
  readonly published: FoundVersion;
  readonly manifest: Manifest;
  readonly installId: string;
}

export async function candidateOf(context: Context, grant: Grant, component: FoundComponent): Promise<Candidate> {
  const { componentId, latestVersion: version } = component;
  const published = await findVersion(context.store.database, { componentId, version });
  if (published === undefined) throw new Error('the latest version of a component cannot be found');
  const { orgName, name: repoName } = grant.repository;
  const manifest = expandManifest(manifestSchema.parse(JSON.parse(published.manifestText)), { orgName, repoName });
  return { component, published, manifest, installId: installIdOf(grant, component) };
}

/** Only callers who may configure the repository learn of credential sets and subscriptions. */
export async function findReasons(context: Context, grant: Grant, candidate: Candidate): Promise<string[]> {
  const { component, manifest, installId } = candidate;
  const { repoId, repository } = grant;
  const reader = context.store.database;
  const declared = namesIn(manifest);
  const told = hasScope(context, grant, 'repo:configure')
    ? declared
    : { ...declared, credentials: [], subscriptions: [] };
  const place = { repoId, installId, component: fullNameOf(component) };
  const namesake = await findNamesake(reader, { repoId, componentId: component.componentId });
  return [
    ...(repository.archived ? ['The repository is archived. Unarchive it first.'] : []),
    ...(namesake === undefined ? [] : [namesake]),
    ...misfitsIn(manifest),
    ...obstaclesIn(place, told, await findStandings(reader, repoId, told)),
  ];
}

/** Names that fit most repositories may not fit this one, because they can contain its name. */
function misfitsIn(manifest: Manifest): string[] {
  return [...nameProblems(manifest), ...duplicateProblems(manifest)].map(
    ({ path, message }) =>
      `The manifest does not work with the name of this repository (${path}: ${message}). Rename the repository, or ask for another version.`,
  );
}

/** Lists all scopes that the component needs, so that the caller does not have to create a token twice. */
export async function authorizeInstall(
  context: Context,
  address: RepositoryAddress,
  ref: ComponentRef,
): Promise<Grant> {
  try {
    return await authorize(context, address, 'repo:write');
  } catch (error) {
    // A FORBIDDEN error shows that the caller may see the repository.
    const isForbidden = error instanceof CairnError && error.code === 'FORBIDDEN';
    if (isForbidden && context.principal.kind !== 'component') await refuseByManifest(context, address, ref);
    throw error;
  }
}

async function refuseByManifest(context: Context, address: RepositoryAddress, ref: ComponentRef): Promise<void> {
  const { principal, store } = context;
  const found = await findRepository(store.database, address, accountOf(principal));
  const version = await latestVersionOf(context, ref);
  if (found === undefined || version === undefined) return;
  requireScopes(context, found, installingScopes(manifestSchema.parse(JSON.parse(version.manifestText))));
}

async function latestVersionOf(context: Context, ref: ComponentRef) {
  try {
    const { componentId, latestVersion: version } = await seeComponent(context, ref);
    return await findVersion(context.store.database, { componentId, version });
  } catch (error) {
    if (error instanceof CairnError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}
