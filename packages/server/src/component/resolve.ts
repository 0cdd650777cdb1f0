// What would be installed, and what stands in the way of it.
import type { Manifest } from '@cairn/protocol/manifest';
import { manifest as manifestSchema } from '@cairn/protocol/manifest';
import { duplicateProblems } from '@cairn/protocol/manifest-reference';
import { nameProblems } from '@cairn/protocol/manifest-text';
import { hasScope } from '../access/access.ts';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import { type FoundComponent, type FoundVersion, findVersion, fullNameOf } from './component.sql.ts';
import { installIdOf, namesIn } from './declaration.ts';
import { expandManifest } from './manifest-template.rule.ts';
import { findNamesake, findStandings, obstaclesIn } from './obstacle.sql.ts';

/** A component with its latest version, as it is meant in one repository. */
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

/** In sentences that say what to do. Which sets and subscriptions there are is for who may configure the repository. */
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

/** Names that are good in most repositories, and not in one that is called as this one is. */
function misfitsIn(manifest: Manifest): string[] {
  return [...nameProblems(manifest), ...duplicateProblems(manifest)].map(
    ({ path, message }) =>
      `Its manifest does not fit a repository of this name (${path}: ${message}). Rename the repository, or ask for another version.`,
  );
}
