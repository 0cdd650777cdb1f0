// What of a graph is held: records, the references between them, and of which records all neighbours are there.
import type { Graph } from '@cairn/sdk';

export interface WalkNode {
  /** A durable ID: names change. */
  readonly id: string;
  readonly name: string;
  readonly kind: Graph['nodes'][number]['kind'];
  readonly shape: string;
  /** It is there because others still refer to it. */
  readonly isRetracted: boolean;
}

export interface WalkEdge {
  readonly key: string;
  readonly from: string;
  readonly to: string;
  readonly role: string;
  readonly path: string;
}

/** What is held, in the order in which it came. */
export interface WalkState {
  readonly nodes: ReadonlyMap<string, WalkNode>;
  readonly edges: ReadonlyMap<string, WalkEdge>;
  /** Those whose neighbours are all held. */
  readonly complete: ReadonlySet<string>;
  /** Those with more neighbours than one answer has. */
  readonly cut: ReadonlySet<string>;
  /** While records are being expanded: how many, and how many of them are done. */
  readonly work?: { readonly done: number; readonly all: number } | undefined;
  readonly problem?: unknown;
  readonly isFull: boolean;
  /** Whether it is less than what a walk begins with: there was too much of it for one answer. */
  readonly isPart: boolean;
}

/** Shapes have none themselves. No shape can be called like this. */
export const NO_SHAPE = '(shapes)';

export const toNode = ({
  durableId: id,
  wref: name,
  kind,
  shapeName: shape = NO_SHAPE,
  active,
}: Graph['nodes'][number]): WalkNode => ({
  id,
  name,
  kind,
  shape,
  isRetracted: !active,
});

export const toEdge = ({ from, to, role, path }: Graph['edges'][number]): WalkEdge => ({
  key: `${from} ${to} ${role} ${path}`,
  from,
  to,
  role,
  path,
});

/** Of what is there as a whole: nothing is left to expand. */
export function wholeState({ nodes, edges }: Pick<Graph, 'nodes' | 'edges'>): WalkState {
  const held = new Map(nodes.map((node) => [node.durableId, toNode(node)]));
  return {
    nodes: held,
    edges: new Map(edges.map(toEdge).map((edge) => [edge.key, edge])),
    complete: new Set(held.keys()),
    cut: new Set(),
    isFull: false,
    isPart: false,
  };
}
