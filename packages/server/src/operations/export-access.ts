// Who may export: whoever reads all of a repository and has the scope for it, but no component (spec 4.2, rules 2 and 3).
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { Grant } from '../store/grant.ts';
import type { RepositoryAddress } from '../store/repository.ts';
import { authorizeWhole } from './access.ts';
import type { Context } from './context.ts';
import { requireCredential } from './credential.ts';

export type ExportScope = 'repo:checkpoint-read' | 'repo:checkpoint-generate';

export async function authorizeExport(
  context: Context,
  address: RepositoryAddress,
  scope: ExportScope = 'repo:checkpoint-read',
): Promise<Grant> {
  const { principal } = context;
  requireCredential(principal, scope);
  // Before any look-up, also for a repository that does not exist.
  if (principal.kind === 'component') {
    throw fail('export-component-token', {
      message: 'Export is not available to component tokens. Let an account drive the export.',
    });
  }
  const { orgName, repoName } = address;
  const grant = await authorizeWhole(context, { orgName, repoName }, { scope, narrowed });
  // An export of nothing would be taken for a backup.
  if (grant.repository.importing) {
    throw fail('CONFLICT', {
      message: 'An import into this repository is under way. Export it when that is complete.',
      details: { reason: 'importing' },
    });
  }
  return grant;
}

function narrowed(): CairnError {
  return fail('export-scope-narrowed', {
    message: 'An export holds everything, and the repo:read of this token is narrowed to some. Use one that is not.',
  });
}
