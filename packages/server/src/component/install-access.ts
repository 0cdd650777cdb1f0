// Who may bring a component into a repository. Who may not even write there is told at once all that the component takes:
// a token is not to be made twice.
import { CairnError } from '@cairn/protocol/errors';
import { manifest as manifestSchema } from '@cairn/protocol/manifest';
import { authorize } from '../access/access.ts';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import { accountOf } from '../access/requirement.ts';
import { findRepository, type RepositoryAddress } from '../repository/repository.sql.ts';
import { seeComponent } from './access.ts';
import { type ComponentRef, findVersion } from './component.sql.ts';
import { installingScopes, requireScopes } from './grant.ts';

export async function authorizeInstall(
  context: Context,
  address: RepositoryAddress,
  ref: ComponentRef,
): Promise<Grant> {
  try {
    return await authorize(context, address, 'repo:write');
  } catch (error) {
    // Whoever is told what is missing sees the repository.
    if (isForbidden(error) && context.principal.kind !== 'component') await refuseByManifest(context, address, ref);
    throw error;
  }
}

function isForbidden(error: unknown): boolean {
  return error instanceof CairnError && error.code === 'FORBIDDEN';
}

/** By a component that the caller does not see, nothing more is said. */
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
