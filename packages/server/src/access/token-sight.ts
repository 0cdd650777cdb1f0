// What who makes a token sees: only that can be named in it.
import { CairnError } from '@cairn/protocol/errors';
import { findRepository } from '../repository/repository.sql.ts';
import { authorizeReads, sightOf } from './access.ts';
import type { Context } from './context.ts';
import { compileNarrowing } from './narrowing.rule.ts';
import { seeOrganization } from './organization-access.ts';
import { accountOf } from './requirement.ts';
import type { Sight } from './token-scope.ts';

/** What role and credential show together, here as everywhere; what is public everyone sees. */
export function makerSight(context: Context): Sight {
  const { principal, store } = context;
  return {
    sees: ({ orgName, repoName }) =>
      isSeen(async () =>
        repoName === undefined
          ? await seeOrganization(context, orgName)
          : sightOf(principal, await findRepository(store.database, { orgName, repoName }, accountOf(principal))),
      ),
    shapesIn: async (repoId) => {
      const [grant] = await authorizeReads(context, { addresses: [], repoIds: [repoId] });
      return grant === undefined ? () => false : compileNarrowing(grant.narrowing);
    },
  };
}

async function isSeen(look: () => Promise<unknown>): Promise<boolean> {
  try {
    await look();
    return true;
  } catch (error) {
    if (error instanceof CairnError && error.code === 'NOT_FOUND') return false;
    throw error;
  }
}
