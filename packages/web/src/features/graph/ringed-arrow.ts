import { createEdgeArrowProgram, type EdgeProgramType } from 'sigma/rendering';
import type { EdgeDisplayData, NodeDisplayData } from 'sigma/types';

export interface Ringed {
  /** `start` marks the start of the walk; `retracted` draws a hollow disc. */
  readonly ring?: 'start' | 'retracted' | undefined;
}

export const RING = 1.3;

export const roundRing = <Node extends { readonly size: number } & Ringed>(node: Node): Node =>
  node.ring === 'start' ? { ...node, size: node.size * RING } : node;

/** Relative to the edge's thickness; smaller heads hide the direction. */
const HEAD = { lengthToThicknessRatio: 5, widenessToThicknessRatio: 4 };

export function createRingedArrow<Node extends object, Edge extends object>(): EdgeProgramType<Node, Edge> {
  return class RingedArrow extends createEdgeArrowProgram<Node, Edge>(HEAD) {
    override process(
      index: number,
      offset: number,
      from: NodeDisplayData,
      to: NodeDisplayData & Ringed,
      edge: EdgeDisplayData,
    ): void {
      super.process(index, offset, roundRing(from), roundRing(to), edge);
    }
  };
}
