// Who may export: whoever reads all of a repository and has the scope for it, but no component (spec 4.2, rules 2 and 3).
import { type CairnError, fail } from '@cairn/protocol/errors';
import { authorizeWhole } from '../access/access.ts';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import { requireCredential } from '../access/requirement.ts';
import type { RepositoryAddress } from '../repository/repository.sql.ts';

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
