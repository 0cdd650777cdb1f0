import type { Graph } from '@cairn/sdk';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { readAt, repositoryKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { atOf, type Sight } from '../../app/sight.ts';
import { targetHere } from '../record/wref.ts';
import { ALL_BUT_SHAPES } from '../shape/declaration.ts';
import { countRecords } from '../shape/shape.ts';
import { gatherWhole, nodeOf, WHOLE_REACH, type WholeGraph } from './whole-graph.ts';

const LATEST = 12;
const WHOLE_MOST = 200;
const KEPT_MS = 60_000;

export interface Around {
  readonly depth: number;
  readonly limit: number;
}

export const around = (sight: Sight, name: string, { depth, limit }: Around) => ({
  ...readAt(sight, ['around', name, depth, limit], (asked, where) =>
    client.thing.graph(...where, name, { ...asked, depth, limit, includeRetracted: true }),
  ),
  gcTime: KEPT_MS,
});

const newestOptions = (sight: Sight, limit: number) => ({
  match: ALL_BUT_SHAPES,
  order: '-updated' as const,
  limit,
  ...atOf(sight),
});
export const latestOptions = (sight: Sight) => newestOptions(sight, LATEST);
export const wholeOptions = (sight: Sight) => newestOptions(sight, WHOLE_MOST);

export const latestRecords = (sight: Sight) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'latest-records', sight.at ?? 'now'],
    queryFn: async ({ signal }) => {
      const options = { ...latestOptions(sight), signal, fields: ['name'] };
      const { items } = await client.thing.head(sight.orgName, sight.repoName, options);
      return items;
    },
    placeholderData: keepPreviousData,
  });

const SHAPES_MOST = 500;

/** The oldest first, also in a view of the past, so that colours stay. */
export const shapeOrder = ({ orgName, repoName }: Sight) =>
  queryOptions({
    queryKey: [...repositoryKey({ orgName, repoName }), 'shape-order'],
    queryFn: async ({ signal }) => {
      const asked = { kind: 'shape' as const, order: 'created' as const, limit: SHAPES_MOST, fields: ['name'] };
      const { items } = await client.thing.head(orgName, repoName, { ...asked, includeRetracted: true, signal });
      return items.map(({ name }) => name);
    },
  });

/** `count` is undefined if counting takes too long. */
export interface TooMany {
  readonly tooMany: true;
  readonly count: number | undefined;
}

export const wholeGraph = (sight: Sight) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'whole-graph', sight.at ?? 'now'],
    queryFn: async ({ signal }): Promise<WholeGraph | TooMany> => {
      const { orgName, repoName } = sight;
      const options = { ...wholeOptions(sight), signal, fields: ['name'] };
      const { items, nextCursor } = await client.thing.head(orgName, repoName, options);
      if (nextCursor !== undefined) {
        const counted = countRecords(sight, { match: ALL_BUT_SHAPES, ...atOf(sight) });
        return { tooMany: true, count: await counted.catch(() => undefined) };
      }
      const asked = { ...WHOLE_REACH, ...atOf(sight), signal };
      return await gatherWhole(items, (id) => client.thing.graph(orgName, repoName, id, asked));
    },
    placeholderData: keepPreviousData,
  });

// A record may have more neighbours than one graph answer.

export interface TiesPage extends Pick<Graph, 'nodes' | 'edges'> {
  readonly nextCursor?: string | undefined;
}

const AT_ONCE = 500;

/** Omits references to other repositories. */
export async function readTies(sight: Sight, durableId: string, cursor: string | undefined): Promise<TiesPage> {
  const { orgName, repoName } = sight;
  const { repoSeq, items, nextCursor } = await client.thing.refs(orgName, repoName, durableId, {
    limit: AT_ONCE,
    ...atOf(sight),
    ...(cursor !== undefined && { cursor }),
  });
  const ties = items.flatMap(({ wref, durableId: pinned, direction, role, path }) => {
    const other = targetHere(wref, pinned);
    return other === undefined ? [] : [{ other, direction, role, path }];
  });
  const ids = [...new Set(ties.map(({ other }) => other))];
  const asked = { atRepoSeq: repoSeq, includeRetracted: true };
  const found = ids.length === 0 ? [] : (await client.thing.getMany(orgName, repoName, ids, asked)).items;
  return {
    nodes: found.flatMap((item) => (item === null ? [] : [nodeOf(item)])),
    edges: ties.map(({ other, direction, role, path }) => ({
      ...(direction === 'in' ? { from: other, to: durableId } : { from: durableId, to: other }),
      role,
      path,
    })),
    nextCursor,
  };
}
