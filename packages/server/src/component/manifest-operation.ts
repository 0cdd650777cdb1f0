// The manifest of what is installed, as it is meant in its repository.
import { type Manifest, manifest } from '@cairn/protocol/manifest';
import type { Grant } from '../access/grant.rule.ts';
import type { FoundInstall } from './install.sql.ts';
import { expandManifest } from './manifest-template.rule.ts';

export function installedManifest(
  { repository: { orgName, name: repoName } }: Grant,
  { manifestText }: FoundInstall,
): Manifest {
  return expandManifest(manifest.parse(JSON.parse(manifestText)), { orgName, repoName });
}
