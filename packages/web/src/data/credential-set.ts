// Credential sets as the pages ask for them: the names of their keys, and what happened to them.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client } from '../app/session.ts';
import type { Sight } from '../app/sight.ts';
import { allItems } from './all-items.ts';
import { repositoryKey } from './queries.ts';

const EVENTS_A_PAGE = 20;

export const credentialsKey = (sight: Sight) => [...repositoryKey(sight), 'credentials', 'now'] as const;

export const credentialSets = (sight: Sight) =>
  queryOptions({
    queryKey: [...credentialsKey(sight), 'all'],
    queryFn: ({ signal }) => allItems(client.credential.list(sight.orgName, sight.repoName, { signal, limit: 500 })),
  });

export const credentialSetNamed = (sight: Sight, name: string) =>
  queryOptions({
    queryKey: [...credentialsKey(sight), 'one', name],
    queryFn: ({ signal }) => client.credential.get(sight.orgName, sight.repoName, name, { signal }),
  });

/** Newest first. */
export const credentialEvents = (sight: Sight, name: string) =>
  infiniteQueryOptions({
    queryKey: [...credentialsKey(sight), 'events', name],
    queryFn: ({ signal, pageParam }) =>
      client.credential
        .audit(sight.orgName, sight.repoName, name, {
          signal,
          limit: EVENTS_A_PAGE,
          ...(pageParam !== '' && { cursor: pageParam }),
        })
        .page(),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
