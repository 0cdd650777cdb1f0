// Which shape has which colour: by its place among the shapes of the repository, so that it is the same in every graph. The
// colours are in look/graph.css; shapes beyond them share the last.
import type { WalkState } from './walk-state.ts';

export const COLOURS = 10;

export interface ShapeCount {
  readonly shape: string;
  readonly count: number;
  /** The number of its colour, from 1. */
  readonly colour: number;
}

/** `known` are the shapes of the repository, in their order; what is not among them comes after. */
export function countShapes({ nodes }: Pick<WalkState, 'nodes'>, known: readonly string[]): ShapeCount[] {
  const counts = new Map<string, number>();
  for (const { shape } of nodes.values()) counts.set(shape, (counts.get(shape) ?? 0) + 1);
  const order = [...new Set([...known, ...counts.keys()])];
  return [...counts].map(([shape, count]) => ({ shape, count, colour: Math.min(order.indexOf(shape) + 1, COLOURS) }));
}
