// What the overview of a repository asks for, beside what other pages do too.
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { commitAt, repository, repositoryKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { atOf, type Sight } from '../../app/sight.ts';
import { type Growth, growthOf, SAMPLES, sampleSequences, WHOLE_COMMITS } from './activity.ts';

/** How the repository grew until the sequence that is looked at. */
export const growth = (sight: Sight) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'growth', sight.at ?? 'now'],
    queryFn: ({ signal, client: queries }) => readGrowth({ sight, signal, queries }),
    placeholderData: keepPreviousData,
  });

interface GrowthRequest {
  readonly sight: Sight;
  readonly signal: AbortSignal;
  readonly queries: QueryClient;
}

async function readGrowth({ sight, signal, queries }: GrowthRequest): Promise<Growth[]> {
  const log = (limit: number) =>
    client.commit.log(sight.orgName, sight.repoName, { signal, limit, ...atOf(sight) }).page();
  const [latest] = (await log(1)).items;
  if (latest === undefined) return [];
  const { importedRepoSeq = 1 } = await queries.ensureQueryData(repository(sight));
  const last = latest.repoSeq;
  if (last - importedRepoSeq < WHOLE_COMMITS) return growthOf((await log(WHOLE_COMMITS)).items);
  const sequences = sampleSequences({ first: importedRepoSeq, last, most: SAMPLES }).slice(0, -1);
  // What a sequence was stays as it is: each is asked for once, however often the rest is.
  const found = await Promise.all(sequences.map((at) => queries.ensureQueryData(commitAt(sight, at))));
  return growthOf([...found.flatMap(({ items }) => items), latest]);
}
