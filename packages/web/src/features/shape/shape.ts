// Shapes as the pages ask for them.

import { pinWref } from '@cairn/model/wref';
import type { CountThings, RepositoryDescription } from '@cairn/sdk';
import { infiniteQueryOptions, keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { description, repositoryKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { atOf, type Sight } from '../../app/sight.ts';
import { byItself } from '../operate/subscription.ts';

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
      client.thing.get(sight.orgName, sight.repoName, pinWref(name, version), { signal, ...atOf(sight) }),
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

// Shapes that are retracted and still have records: what a repository says of itself leaves them out, and counts those.

export interface ShapeCount {
  readonly name: string;
  readonly count: number;
}

type Described = Pick<RepositoryDescription, 'counts'> & { readonly shapes: readonly ShapeCount[] };

/** Whether there are records whose shape is not among those that are described. */
export function hasOthers({ counts: { thing, assertion, collection }, shapes }: Described): boolean {
  return shapes.reduce((sum, { count }) => sum + count, 0) < thing + assertion + collection;
}

/** Those that are counted and not described. */
export function othersIn(counted: readonly ShapeCount[], described: readonly ShapeCount[]): readonly ShapeCount[] {
  const known = new Set(described.map(({ name }) => name));
  return counted.filter(({ name }) => !known.has(name));
}

// How many records a choice lets through, and how many each shape has.

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

/** How many records a shape has, retracted or not; undefined until it is known. */
export function useRecordCount(sight: Sight, name: string): number | undefined {
  const described = useQuery(description(sight)).data?.shapes;
  const own = described?.find((shape) => shape.name === name);
  const counted = useQuery({ ...shapeCounts(sight), enabled: described !== undefined && own === undefined });
  if (own !== undefined) return own.count;
  return counted.data === undefined ? undefined : (counted.data.find((shape) => shape.name === name)?.count ?? 0);
}
