// Shapes as the pages ask for them.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { repositoryKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { atOf, type Sight } from '../../app/sight.ts';
import { pinned } from '../record/wref.ts';

/** As it is at the sequence that is looked at, retracted or not. */
export const shapeNamed = (sight: Sight, name: string) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'shape', sight.at ?? 'now', name],
    queryFn: ({ signal }) =>
      client.shape.get(sight.orgName, sight.repoName, name, { signal, includeRetracted: true, ...atOf(sight) }),
    // No commit tells that an index is ready.
    refetchInterval: ({ state }) =>
      state.data?.indexes.some((index) => index.state === 'building') ? FOLLOW_MS : false,
  });

const FOLLOW_MS = 2_000;

/** One of its versions. */
export const shapeVersion = (sight: Sight, { name, version }: { name: string; version: number }) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'shape-version', sight.at ?? 'now', name, version],
    queryFn: ({ signal }) =>
      client.thing.get(sight.orgName, sight.repoName, pinned(name, version), { signal, ...atOf(sight) }),
    placeholderData: keepPreviousData,
  });

const VERSIONS_A_PAGE = 50;

/** Newest first. */
export const shapeHistory = (sight: Sight, name: string) =>
  infiniteQueryOptions({
    queryKey: [...repositoryKey(sight), 'shape-history', sight.at ?? 'now', name],
    queryFn: ({ signal, pageParam }) =>
      client.shape
        .history(sight.orgName, sight.repoName, name, {
          signal,
          limit: VERSIONS_A_PAGE,
          ...(pageParam !== '' && { cursor: pageParam }),
          ...atOf(sight),
        })
        .page(),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
