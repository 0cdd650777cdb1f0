// How many records a choice lets through, and how many each shape has.
import type { CountThings } from '@cairn/sdk';
import { queryOptions } from '@tanstack/react-query';
import { repositoryKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { atOf, type Sight } from '../../app/sight.ts';
import { byItself } from '../operate/by-itself.ts';

/** A glob is for leaving out shapes here: all and the shapes are counted without looking at each, which it does not allow. */
export async function countRecords({ orgName, repoName }: Sight, { match, ...asked }: CountThings): Promise<number> {
  const ask = async (kind?: 'shape') =>
    (await client.thing.count(orgName, repoName, { ...asked, ...(kind && { kind }) })).count;
  const [all = 0, shapes = 0] = await Promise.all(match === undefined ? [ask()] : [ask(), ask('shape')]);
  return all - shapes;
}

/** How many more there would be with what is retracted. With words: as far as the search index has followed. */
export const retractedCount = (sight: Sight, asked: CountThings, searchedThrough: number | undefined) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'retracted-count', sight.at ?? 'now', JSON.stringify(asked), searchedThrough],
    queryFn: async () => {
      // Words are searched for as of now alone.
      const choice = { ...asked, ...(asked.q === undefined && atOf(sight)) };
      await byItself();
      const [all, active] = await Promise.all([
        countRecords(sight, { ...choice, includeRetracted: true }),
        countRecords(sight, choice),
      ]);
      return Math.max(0, all - active);
    },
    // The SDK has tried already, and what is there can be read without.
    retry: false,
  });

/** How many records each shape has: those that are active, and those that are retracted and still have some. */
export const shapeCounts = (sight: Sight) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'shape-counts', sight.at ?? 'now'],
    queryFn: async ({ signal }) =>
      (await client.repo.stats(sight.orgName, sight.repoName, { signal, ...atOf(sight) })).shapes,
    // The SDK has tried already, and what is described can be read without.
    retry: false,
  });
