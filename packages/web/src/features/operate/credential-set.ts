// Credential sets as the pages ask for them: the names of their keys, and what happened to them.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { allItems } from '../../app/all-items.ts';
import type { Home } from '../../app/home.ts';
import { homeKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';

const EVENTS_A_PAGE = 20;

export const credentialsKey = (home: Home) => [...homeKey(home), 'credentials', 'now'] as const;

export const credentialSets = (home: Home) =>
  queryOptions({
    queryKey: [...credentialsKey(home), 'all'],
    queryFn: ({ signal }) => allItems(client.credential.list(home.orgName, home.repoName, { signal, limit: 500 })),
  });

export const credentialSetNamed = (home: Home, name: string) =>
  queryOptions({
    queryKey: [...credentialsKey(home), 'one', name],
    queryFn: ({ signal }) => client.credential.get(home.orgName, home.repoName, name, { signal }),
  });

/** Newest first. */
export const credentialEvents = (home: Home, name: string) =>
  infiniteQueryOptions({
    queryKey: [...credentialsKey(home), 'events', name],
    queryFn: ({ signal, pageParam }) =>
      client.credential
        .audit(home.orgName, home.repoName, name, {
          signal,
          limit: EVENTS_A_PAGE,
          ...(pageParam !== '' && { cursor: pageParam }),
        })
        .page(),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
