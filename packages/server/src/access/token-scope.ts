// Resolves the entries of a new token from names to identities, and keeps them within the creating token.

import { extendsGlob, problemWithGlob } from '@cairn/model/glob';
import { invalidField } from '@cairn/model/operation';
import type { ScopeEntry } from '@cairn/protocol/account';
import type { CairnError } from '@cairn/protocol/errors';
import type { Reader } from '../engine/database.ts';
import { findShapeIds } from '../read/record.sql.ts';
import { findOrganization } from '../repository/organization.sql.ts';
import { findRepositories, findRepository } from '../repository/repository.sql.ts';
import { decisiveEntries, type Place } from './access.ts';
import type { IsShown } from './narrowing.rule.ts';
import type { TokenPrincipal } from './principal.ts';
import type { TokenScope } from './token-scope.sql.ts';

export interface ResolvedScope extends TokenScope {
  readonly place: Place;
}

/** The view of the token's creator. Invisible resources are refused as nonexistent. */
export interface Sight {
  sees(address: { readonly orgName: string; readonly repoName: string | undefined }): Promise<boolean>;
  shapesIn(repoId: number): Promise<IsShown>;
}

export const SEES_ALL: Sight = { sees: async () => true, shapesIn: async () => () => true };

export async function resolveScopes(
  reader: Reader,
  entries: readonly ScopeEntry[],
  sight: Sight,
): Promise<ResolvedScope[]> {
  const resolved: ResolvedScope[] = [];
  for (const [index, entry] of entries.entries()) resolved.push(await resolveScope(reader, entry, index, sight));
  return resolved;
}

async function resolveScope(reader: Reader, entry: ScopeEntry, index: number, sight: Sight): Promise<ResolvedScope> {
  const { resource, refs, shapes } = entry;
  const refuse = (message: string, field: string) => invalidField(`scopes.${index}.${field}`, message);
  const permissions = [...new Set(entry.permissions)];
  if ((refs !== undefined || shapes !== undefined) && !permissions.includes('repo:read')) {
    throw refuse('refs and shapes narrow repo:read. Add repo:read, or leave out refs and shapes.', 'permissions');
  }
  for (const glob of refs ?? []) {
    const problem = problemWithGlob(glob);
    if (problem !== undefined) throw refuse(`${JSON.stringify(glob)}: ${problem}.`, 'refs');
  }
  const place = resource === undefined ? {} : await findPlace(reader, resource, sight);
  if (place === undefined) {
    throw refuse(`You cannot see an organization or repository ${resource}. Write it as ORG or ORG/REPO.`, 'resource');
  }
  return {
    place,
    orgId: place.repoId === undefined ? (place.orgId ?? null) : null,
    repoId: place.repoId ?? null,
    resource: resource ?? null,
    permissions,
    refs: refs ?? null,
    shapes: shapes === undefined ? null : await resolveShapes(reader, place, { shapes, refuse, sight }),
  };
}

async function findPlace(reader: Reader, resource: string, sight: Sight): Promise<Place | undefined> {
  const [orgName = '', repoName] = resource.split('/');
  if (!(await sight.sees({ orgName, repoName }))) return undefined;
  const place =
    repoName === undefined
      ? await findOrganization(reader, orgName)
      : await findRepository(reader, { orgName, repoName });
  return place && { orgId: place.orgId, ...('repoId' in place && { repoId: place.repoId }) };
}

interface ShapesRequest {
  readonly shapes: readonly string[];
  readonly refuse: (message: string, field: string) => CairnError;
  readonly sight: Sight;
}

async function resolveShapes(
  reader: Reader,
  { repoId }: Place,
  { shapes, refuse, sight }: ShapesRequest,
): Promise<TokenScope['shapes']> {
  if (repoId === undefined) return shapes.map((name) => [null, name]);
  const ids = await findShapeIds(reader, { repoId, names: shapes });
  const isShown = await sight.shapesIn(repoId);
  return shapes.map((name, index) => {
    const id = ids[index];
    const shown = id !== undefined && isShown({ kind: 'shape', shapeId: id, called: [{ name, shapeName: name }] });
    if (!shown) throw refuse(`You cannot see a shape ${name} in this repository. List its shapes.`, 'shapes');
    return [id, name];
  });
}

export async function requireWithin(
  reader: Reader,
  { lineage }: TokenPrincipal,
  scopes: readonly ResolvedScope[],
): Promise<void> {
  const places = await findScopePlaces(reader, lineage.flat(), scopes);
  const distinct = new Map(places.map((each) => [`${each.place.orgId} ${each.place.repoId}`, each]));
  for (const { place, name } of distinct.values()) {
    const asked = decisiveEntries(scopes, place);
    for (const level of lineage) {
      const problem = exceeds(asked, decisiveEntries(level, place));
      if (problem === undefined) continue;
      throw invalidField(
        'scopes',
        `The creating token does not have these rights ${name}: ${problem}. Ask for fewer rights.`,
      );
    }
  }
}

/** A token for everything except writing in acme/world must not create one for everything, so unnamed places count. */
async function findScopePlaces(
  reader: Reader,
  held: readonly TokenScope[],
  scopes: readonly ResolvedScope[],
): Promise<{ readonly place: Place; readonly name: string }[]> {
  const repoIds = held.flatMap(({ repoId }) => repoId ?? []);
  const repositories = await findRepositories(reader, { addresses: [], repoIds }, 0);
  return [
    ...scopes.map(({ place, resource }) => ({ place, name: resource === null ? 'everywhere' : `on ${resource}` })),
    ...repositories.map(({ orgId, repoId, repository: { orgName, name } }) => ({
      place: { orgId, repoId },
      name: `on ${orgName}/${name}`,
    })),
    ...held.flatMap(({ orgId, resource }) => (orgId === null ? [] : [{ place: { orgId }, name: `on ${resource}` }])),
  ];
}

function exceeds(asked: readonly TokenScope[], held: readonly TokenScope[]): string | undefined {
  const permissions = new Set(held.flatMap((entry) => entry.permissions));
  const missing = new Set(asked.flatMap((entry) => entry.permissions).filter((scope) => !permissions.has(scope)));
  if (missing.size > 0) return [...missing].join(', ');
  const reads = (entries: readonly TokenScope[]) => entries.filter((entry) => entry.permissions.includes('repo:read'));
  const within = reads(asked).every((entry) => reads(held).some((wider) => isNarrower(entry, wider)));
  return within ? undefined : 'repo:read beyond its refs and shapes';
}

function isNarrower({ refs, shapes }: TokenScope, wider: TokenScope): boolean {
  const byRefs =
    wider.refs === null || refs?.every((glob) => wider.refs?.some((known) => extendsGlob(glob, known)) ?? false);
  const byShapes =
    wider.shapes === null ||
    shapes?.every(([id, name]) =>
      wider.shapes?.some(([knownId, knownName]) => (knownId === null ? name === knownName : id === knownId)),
    );
  return byRefs === true && byShapes === true;
}
