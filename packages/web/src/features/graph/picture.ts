// What of the graph is seen, in pixels of its picture: where nodes stand, and which way their edges go.
import type { MultiDirectedGraph } from 'graphology';
import type Sigma from 'sigma';
import type { Tie } from './label-place.ts';
import type { EdgeAttributes, NodeAttributes } from './marked-look.ts';
import type { Disc, Room } from './taken-room.ts';

export interface Picture {
  readonly room: () => Room;
  /** All nodes that are drawn, with or without a name. */
  readonly nodes: () => Iterable<readonly [id: string, Disc]>;
  readonly ties: (id: string) => readonly Tie[];
  readonly nameOf: (id: string) => string;
}

/** `sigma` comes later than what it is drawn with. */
export function pictureOf(
  graph: MultiDirectedGraph<NodeAttributes, EdgeAttributes>,
  sigma: () => Sigma<NodeAttributes, EdgeAttributes>,
): Picture {
  return {
    room: () => sigma().getDimensions(),
    nodes: () => discsOf(graph, sigma()),
    ties: (id) => tiesOf(id, graph, sigma()),
    nameOf: (id) => graph.getNodeAttribute(id, 'label'),
  };
}

type Drawn = Sigma<NodeAttributes, EdgeAttributes>;

function* discsOf(graph: MultiDirectedGraph, sigma: Drawn): Iterable<readonly [string, Disc]> {
  for (const id of graph.nodes()) {
    const node = sigma.getNodeDisplayData(id);
    if (node === undefined || node.hidden) continue;
    yield [id, { ...sigma.framedGraphToViewport(node), size: sigma.scaleSize(node.size) }];
  }
}

function tiesOf(id: string, graph: MultiDirectedGraph, sigma: Drawn): Tie[] {
  const ties: Tie[] = [];
  graph.forEachEdge(id, (_key, _edge, from, to) => {
    const other = sigma.getNodeDisplayData(to === id ? from : to);
    if (other === undefined || other.hidden) return;
    ties.push({ ...sigma.framedGraphToViewport(other), isArrival: to === id });
  });
  return ties;
}
