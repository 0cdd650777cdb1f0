// What assertions are about, by the shapes of both. The server has no count of it: the latest assertions tell it, and whether
// those are all.
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { repositoryKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { atOf, type Sight } from '../../app/sight.ts';
import { type SaidAbout, tallyAbout } from './said-about-tally.ts';

/** So many are looked at. */
export const SAID_MOST = 200;

export interface SaidSample {
  readonly pairs: readonly SaidAbout[];
  /** Whether there are no more assertions than were looked at. */
  readonly isAll: boolean;
}

/** What is listed for that: of one shape, or of all. */
export const saidOptions = (sight: Sight, shape?: string) => ({
  kind: 'assertion' as const,
  ...(shape !== undefined && { shape }),
  order: '-updated' as const,
  limit: SAID_MOST,
  ...atOf(sight),
});

export const saidAbout = (sight: Sight, shape?: string) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'said-about', sight.at ?? 'now', shape ?? ''],
    queryFn: async ({ signal }): Promise<SaidSample> => {
      const options = { ...saidOptions(sight, shape), fields: ['name'], signal };
      const { items, nextCursor } = await client.thing.head(sight.orgName, sight.repoName, options);
      return { pairs: tallyAbout(items), isAll: nextCursor === undefined };
    },
    placeholderData: keepPreviousData,
  });
