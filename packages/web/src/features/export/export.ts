// What the page of exports asks for.
import { queryOptions } from '@tanstack/react-query';
import { repositoryKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import type { Sight } from '../../app/sight.ts';

/** About how many rows an export at a sequence has: versions of shapes before the last are not counted. */
export const rowsAt = (sight: Sight, atRepoSeq: number) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'rows', atRepoSeq],
    queryFn: async ({ signal }) => {
      const { counts, retracted } = await client.repo.stats(sight.orgName, sight.repoName, { signal, atRepoSeq });
      return Object.values(counts).reduce((sum, count) => sum + count, retracted);
    },
  });
