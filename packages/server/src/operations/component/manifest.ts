// The manifest of what is installed, as it is meant in its repository.
import { type Manifest, manifest } from '@cairn/protocol/manifest';
import { expandManifest } from '../../model/manifest-template.ts';
import type { FoundInstall } from '../../store/component/install.ts';
import type { Grant } from '../../store/grant.ts';

export function installedManifest(
  { repository: { orgName, name: repoName } }: Grant,
  { manifestText }: FoundInstall,
): Manifest {
  return expandManifest(manifest.parse(JSON.parse(manifestText)), { orgName, repoName });
}
