// The install handshake of REST (spec 4.5): what would be installed, and the call of the setup endpoint.
import type { Resolution, SetupResult } from '@cairn/protocol/component';
import { type CairnError, fail } from '@cairn/protocol/errors';
import { authorize } from '../access/access.ts';
import type { Context } from '../access/context.ts';
import type { RepositoryAddress } from '../repository/repository.sql.ts';
import { seeComponent } from './access.ts';
import type { ComponentRef } from './component.sql.ts';
import { installingScopes } from './grant.ts';
import { type FoundInstall, findInstall } from './install.sql.ts';
import { installPaused, notInstalled } from './install-change.write.ts';
import { settle } from './report.ts';
import { candidateOf, findReasons } from './resolve.ts';
import { callSetup } from './setup.ts';

export interface ResolveRequest {
  readonly component: ComponentRef;
  readonly installRepo: RepositoryAddress;
}

export interface SetupRequest extends ResolveRequest {
  readonly installId: string;
  readonly expectedManifestHash: string;
}

export async function resolveComponent(
  context: Context,
  { component: ref, installRepo }: ResolveRequest,
): Promise<Resolution> {
  const grant = await authorize(context, installRepo, 'repo:write');
  const component = await seeComponent(context, ref);
  const candidate = await candidateOf(context, grant, component);
  const { published, manifest, installId } = candidate;
  const reasons = await findReasons(context, grant, candidate);
  return {
    manifest: JSON.parse(published.manifestText),
    manifestHash: published.manifestHash,
    version: published.version,
    hasSetup: component.setupUrl !== undefined,
    installId,
    eligible: reasons.length === 0,
    reasons,
    needs: installingScopes(manifest),
  };
}

/** Calls what the install approved, and nothing that came after it. */
export async function setupCall(context: Context, request: SetupRequest): Promise<SetupResult> {
  const grant = await authorize(context, request.installRepo, 'repo:write');
  const component = await seeComponent(context, request.component);
  const { componentId } = component;
  const install = await findInstall(context.store.database, { repoId: grant.repoId, componentId });
  if (install === undefined || install.state === 'uninstalled') throw notInstalled();
  if (install.state === 'paused') throw installPaused();
  requireSame(install, request, (await candidateOf(context, grant, component)).published.manifestHash);
  const result = await callSetup(context, grant, install);
  await settle(context, grant, install);
  return result;
}

function requireSame(install: FoundInstall, request: SetupRequest, latestHash: string): void {
  if (request.installId !== install.installId) {
    throw stale('installId', 'is not of the install in this repository. Ask resolve for it');
  }
  if (request.expectedManifestHash !== latestHash) {
    throw stale('expectedManifestHash', 'is not of the latest version. Ask resolve again');
  }
  if (request.expectedManifestHash !== install.manifestHash) {
    throw stale('expectedManifestHash', 'is not of the version that is installed. Update the install first');
  }
}

function stale(path: string, what: string): CairnError {
  return fail('CONFLICT', { message: `${path}: this ${what}.`, details: { reason: 'stale', path } });
}
