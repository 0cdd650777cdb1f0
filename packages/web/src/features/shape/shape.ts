import { pinWref } from '@cairn/model/wref';
import type { CountThings, RepositoryDescription } from '@cairn/sdk';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { description, OPTIONAL, paged, readAt, repositoryKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { atOf, type Sight } from '../../app/sight.ts';
import { byItself } from '../operate/subscription.ts';

export const shapeNamed = (sight: Sight, name: string) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'shape', sight.at ?? 'now', name],
    queryFn: ({ signal }) =>
      client.shape.get(sight.orgName, sight.repoName, name, { signal, includeRetracted: true, ...atOf(sight) }),
    // No live event reports a finished index.
    refetchInterval: ({ state }) =>
      state.data?.indexes.some((index) => index.state === 'building') ? FOLLOW_MS : false,
  });

const FOLLOW_MS = 2_000;

export const shapeVersion = (sight: Sight, name: string, version: number) => ({
  ...readAt(sight, ['shape-version', name, version], (asked, where) =>
    client.thing.get(...where, pinWref(name, version), asked),
  ),
  placeholderData: keepPreviousData,
});

export const shapeHistory = (sight: Sight, name: string) =>
  paged([...repositoryKey(sight), 'shape-history', sight.at ?? 'now', name], (asked) =>
    client.shape.history(sight.orgName, sight.repoName, name, { ...asked, ...atOf(sight) }),
  );

// Retracted shapes with records are not described, but counted.

export interface ShapeCount {
  readonly name: string;
  readonly count: number;
}

type DescribedCounts = Pick<RepositoryDescription, 'counts'> & { readonly shapes: readonly ShapeCount[] };

export const hasOthers = ({ counts: { thing, assertion, collection }, shapes }: DescribedCounts): boolean =>
  shapes.reduce((sum, { count }) => sum + count, 0) < thing + assertion + collection;

export function othersIn(counted: readonly ShapeCount[], described: readonly ShapeCount[]): readonly ShapeCount[] {
  const known = new Set(described.map(({ name }) => name));
  return counted.filter(({ name }) => !known.has(name));
}

/** The glob only excludes shapes. Two exact counts are faster than a count by glob. */
export async function countRecords({ orgName, repoName }: Sight, { match, ...asked }: CountThings): Promise<number> {
  const ask = async (kind?: 'shape') =>
    (await client.thing.count(orgName, repoName, { ...asked, ...(kind && { kind }) })).count;
  const [all = 0, shapes = 0] = await Promise.all(match === undefined ? [ask()] : [ask(), ask('shape')]);
  return all - shapes;
}

export const retractedCount = (sight: Sight, asked: CountThings, searchedThrough: number | undefined) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'retracted-count', sight.at ?? 'now', JSON.stringify(asked), searchedThrough],
    queryFn: async () => {
      // The search index covers the present only.
      const choice = { ...asked, ...(asked.q === undefined && atOf(sight)) };
      await byItself();
      const [all, active] = await Promise.all([
        countRecords(sight, { ...choice, includeRetracted: true }),
        countRecords(sight, choice),
      ]);
      return Math.max(0, all - active);
    },
    ...OPTIONAL,
  });

export const shapeCounts = (sight: Sight) => ({
  ...readAt(sight, ['shape-counts'], async (asked, where) => (await client.repo.stats(...where, asked)).shapes),
  ...OPTIONAL,
});

export function useRecordCount(sight: Sight, name: string): number | undefined {
  const described = useQuery(description(sight)).data?.shapes;
  const own = described?.find((shape) => shape.name === name);
  const counted = useQuery({ ...shapeCounts(sight), enabled: described !== undefined && own === undefined });
  if (own !== undefined) return own.count;
  return counted.data === undefined ? undefined : (counted.data.find((shape) => shape.name === name)?.count ?? 0);
}
