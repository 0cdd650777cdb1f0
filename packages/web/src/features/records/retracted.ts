// Which records are retracted, of those that others refer to.
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { repositoryKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { atOf, type Sight } from '../../app/sight.ts';

/** As many as one call takes. */
export const WREFS_MOST = 500;

/** By durable ID. */
export async function findRetracted(sight: Sight, ids: readonly string[], signal: AbortSignal): Promise<string[]> {
  const { orgName, repoName } = sight;
  const starts = Array.from({ length: Math.ceil(ids.length / WREFS_MOST) }, (_, part) => part * WREFS_MOST);
  const ask = (start: number) =>
    client.thing.getMany(orgName, repoName, ids.slice(start, start + WREFS_MOST), {
      signal,
      includeRetracted: true,
      ...atOf(sight),
    });
  const found = (await Promise.all(starts.map(ask))).flatMap(({ items }) => items);
  return found.flatMap((target) => (target === null || target.active ? [] : [target.durableId]));
}

/** Of what the rows of a table refer to. */
export const retractedAmong = (sight: Sight, ids: readonly string[]) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'retracted-among', sight.at ?? 'now', ids.join(' ')],
    queryFn: ({ signal }) => findRetracted(sight, ids, signal),
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
    // The SDK has tried already, and rows without marks can be read too.
    retry: false,
  });
