// What one record is tied to, page by page: a record may have more neighbours than one answer of the graph.
import type { Graph } from '@cairn/sdk';
import { client } from '../../app/session.ts';
import { atOf, type Sight } from '../../app/sight.ts';
import { targetHere } from '../record/target.ts';
import { nodeOf } from './whole-graph.ts';

export interface TiesPage extends Pick<Graph, 'nodes' | 'edges'> {
  readonly nextCursor?: string | undefined;
}

/** As many as are read at once by their IDs. */
const AT_ONCE = 500;

/** What it refers to in other repositories is in no graph. What is retracted is there while it is referred to. */
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
