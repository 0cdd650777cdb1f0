// Records by names that somebody has written down, which may be wrong.
import { queryOptions } from '@tanstack/react-query';
import { repositoryKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { atOf, type Sight } from '../../app/sight.ts';

export type NamedState = 'there' | 'retracted' | 'missing';

/** How it stands with records of this repository, by the names that they were asked for by. */
export const namedStates = (sight: Sight, names: readonly string[]) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'named-states', sight.at ?? 'now', names.join(' ')],
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, NamedState>> => {
      const { orgName, repoName } = sight;
      const options = { signal, includeRetracted: true, ...atOf(sight) };
      const { items } = await client.thing.getMany(orgName, repoName, [...names], options);
      return new Map(names.map((name, index) => [name, stateOf(items[index] ?? null)]));
    },
    enabled: names.length > 0,
    retry: false,
  });

const stateOf = (item: { readonly active: boolean } | null): NamedState =>
  item === null ? 'missing' : item.active ? 'there' : 'retracted';
