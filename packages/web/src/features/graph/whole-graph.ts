// Assembles all of a small repository from graph answers around some of its records.
import type { Graph, ListedRecord } from '@cairn/sdk';
import { unlessMissing } from '../../app/problem.ts';

export type WholeGraph = Pick<Graph, 'nodes' | 'edges'>;
type Node = Graph['nodes'][number];

type AskWidely = (durableId: string) => Promise<Graph>;

/** The reach of one answer. Records nearer than that have all references. */
export const WHOLE_REACH = { depth: 5, limit: 500, includeRetracted: true } as const;
const AT_ONCE = 20;

export async function gatherWhole(records: readonly ListedRecord[], ask: AskWidely): Promise<WholeGraph> {
  const nodes = new Map(records.map((record) => [record.durableId, nodeOf(record)]));
  const edges = new Map<string, Graph['edges'][number]>();
  const complete = new Set<string>();
  const isOpen = (id: string) => !complete.has(id);
  for (
    let some = [...nodes.keys()].slice(0, 1);
    some.length > 0;
    some = [...nodes.keys()].filter(isOpen).slice(0, AT_ONCE)
  ) {
    const answers = await Promise.all(some.map((id) => unlessMissing(ask(id))));
    for (const answer of answers) {
      for (const node of answer?.nodes ?? []) {
        nodes.set(node.durableId, node);
        if (node.distance < WHOLE_REACH.depth && !answer?.truncated) complete.add(node.durableId);
      }
      for (const edge of answer?.edges ?? []) edges.set(`${edge.from} ${edge.to} ${edge.role} ${edge.path}`, edge);
    }
    for (const id of some) complete.add(id);
  }
  return { nodes: [...nodes.values()], edges: [...edges.values()] };
}

type Listed = Pick<ListedRecord, 'durableId' | 'name' | 'kind' | 'shapeName' | 'active'>;

export const nodeOf = ({ durableId, name, kind, shapeName, active }: Listed): Node => ({
  durableId,
  wref: name,
  kind,
  ...(shapeName !== undefined && { shapeName }),
  active,
  distance: 0,
});
