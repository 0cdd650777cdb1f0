// Commits as the pages ask for them.
import type { OperationResult } from '@cairn/sdk';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { repositoryKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { atOf, type Sight } from '../../app/sight.ts';
import { pinned } from '../record/wref.ts';

const COMMITS_A_PAGE = 50;

/** Newest first, from the sequence that is looked at. */
export const commitLog = (sight: Sight) =>
  infiniteQueryOptions({
    queryKey: [...repositoryKey(sight), 'log', sight.at ?? 'now'],
    queryFn: ({ signal, pageParam }) =>
      client.commit
        .log(sight.orgName, sight.repoName, {
          signal,
          limit: COMMITS_A_PAGE,
          ...(pageParam !== '' && { cursor: pageParam }),
          ...atOf(sight),
        })
        .page(),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  });

/** One commit with its operations: whatever happens since, it stays as it is. */
export const wholeCommit = (sight: Sight, repoSeq: number) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'commit', repoSeq],
    queryFn: ({ signal }) => client.commit.get(sight.orgName, sight.repoName, repoSeq, { signal }),
  });

/** What a commit changed in one record. */
export const changeIn = (sight: Sight, { repoSeq, name }: { repoSeq: number; name: string }) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'change', repoSeq, name],
    queryFn: ({ signal }) =>
      client.thing.diff(sight.orgName, sight.repoName, name, {
        signal,
        sinceRepoSeq: repoSeq - 1,
        atRepoSeq: repoSeq,
      }),
  });

type Retract = Pick<OperationResult, 'opIndex' | 'version'> & { readonly name: string };

/** Why records were retracted, by the index of the operation: of a page of operations, by one call. */
export const retractReasons = (
  sight: Sight,
  { repoSeq, retracts }: { repoSeq: number; retracts: readonly Retract[] },
) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'retract-reasons', repoSeq, retracts[0]?.opIndex],
    queryFn: async ({ signal }) => {
      const wrefs = retracts.map(({ name, version }) => pinned(name, version));
      const { items } = await client.thing.getMany(sight.orgName, sight.repoName, wrefs, {
        signal,
        includeRetracted: true,
        atRepoSeq: repoSeq,
      });
      return new Map(retracts.map(({ opIndex }, place) => [opIndex, items[place]?.reason]));
    },
    enabled: retracts.length > 0,
    // The SDK has tried already, and the rest can be read without.
    retry: false,
  });
