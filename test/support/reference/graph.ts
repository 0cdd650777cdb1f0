// The graph around a record, found by a scan of all records at each step.
import type { Graph } from '@cairn/protocol/read';
import type { ModelRecord } from './model.ts';

interface GraphOptions {
  readonly seq: number;
  readonly depth: number;
  readonly direction: 'in' | 'out' | 'both';
  readonly limit: number;
  readonly includeRetracted?: boolean;
}

export function graphOf(start: ModelRecord, options: GraphOptions): Omit<Graph, 'repoSeq'> {
  const { seq, depth, limit } = options;
  const nodes = new Map([[start, 0]]);
  let truncated = false;
  let level = [start];
  for (let distance = 1; distance <= depth && !truncated; distance++) {
    const all = neighboursOf(level, options).filter((one) => !nodes.has(one));
    level = all.slice(0, limit - nodes.size);
    truncated = level.length < all.length;
    for (const one of level) nodes.set(one, distance);
  }
  return {
    nodes: [...nodes].map(([record, distance]) => ({
      durableId: record.durableId,
      wref: record.nameAt(seq),
      kind: record.kind,
      ...(record.shape !== undefined && { shapeName: record.shape.localAt(seq) }),
      active: record.activeAt(seq),
      distance,
    })),
    edges: [...nodes.keys()].flatMap((from) => edgesFrom(from, nodes, seq)),
    truncated,
  };
}

function neighboursOf(level: readonly ModelRecord[], options: GraphOptions): ModelRecord[] {
  const { seq, direction, includeRetracted = false } = options;
  const records = level[0]?.repo.records.filter((one) => includeRetracted || one.activeAt(seq)) ?? [];
  const refers = (from: ModelRecord, to: ModelRecord) => referencesOf(from, seq).some(({ target }) => target === to);
  return records
    .filter((one) =>
      level.some((node) => (direction !== 'in' && refers(node, one)) || (direction !== 'out' && refers(one, node))),
    )
    .sort((a, b) => (a.durableId < b.durableId ? -1 : 1));
}

function edgesFrom(from: ModelRecord, nodes: ReadonlyMap<ModelRecord, number>, seq: number): Graph['edges'] {
  return referencesOf(from, seq)
    .filter(({ target }) => nodes.has(target))
    .map(({ target, role, path }) => ({ from: from.durableId, to: target.durableId, role, path }));
}

/** A retracted record has no references. */
const referencesOf = (record: ModelRecord, seq: number) => (record.activeAt(seq) ? record.refsAt(seq) : []);
