// What the graph asks for.
import type { ListedRecord } from '@cairn/sdk';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../app/session.ts';
import { atOf, type Sight } from '../app/sight.ts';
import { repositoryKey } from './queries.ts';

const FOUND = 10;
export const LATEST = 40;
const LATEST_SHOWN = 12;
const KEPT_MS = 60_000;

export interface Around {
  readonly depth: number;
  readonly limit: number;
}

/** The records around one, and the references between them. */
export const around = (sight: Sight, name: string, { depth, limit }: Around) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'around', sight.at ?? 'now', name, depth, limit],
    queryFn: ({ signal }) =>
      client.thing.graph(sight.orgName, sight.repoName, name, { signal, depth, limit, ...atOf(sight) }),
    gcTime: KEPT_MS,
  });

/** Records that changed last: somewhere to begin. */
export const latestRecords = (sight: Sight) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'latest-records', sight.at ?? 'now'],
    queryFn: async ({ signal }) => {
      const options = { signal, order: '-updated' as const, limit: LATEST, fields: ['name'], ...atOf(sight) };
      const { items } = await client.thing.head(sight.orgName, sight.repoName, options);
      // Things are what people know by name.
      const things = items.filter(({ kind }) => kind === 'thing');
      const others = items.filter(({ kind }) => kind === 'assertion' || kind === 'collection');
      return [...things, ...others].slice(0, LATEST_SHOWN);
    },
    placeholderData: keepPreviousData,
  });

/** Records with the words in them, or whose name begins like them. */
export const foundRecords = (sight: Sight, words: string) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'found-records', sight.at ?? 'now', words],
    queryFn: async ({ signal }) => {
      const { orgName, repoName } = sight;
      const options = { signal, limit: FOUND, fields: ['name'], ...atOf(sight) };
      const [named, holding] = await Promise.all([
        NAME_PART.test(words)
          ? client.thing.head(orgName, repoName, { ...options, match: globOf(words) })
          : { items: [] },
        client.thing.search(orgName, repoName, words, options),
      ]);
      return distinct([...named.items, ...holding.items]).slice(0, FOUND);
    },
    placeholderData: keepPreviousData,
  });

/** What a name may hold; anything else a glob refuses. */
const NAME_PART = /^[^\s?#@:$+%\\*]+$/u;
const globOf = (words: string) => (words.includes('/') ? `${words}**` : `*/${words}**`);

const distinct = (records: readonly ListedRecord[]) => [
  ...new Map(records.filter(({ kind }) => kind !== 'shape').map((record) => [record.durableId, record])).values(),
];
