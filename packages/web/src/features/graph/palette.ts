// Which shape has which place and colour: by its place among the shapes of the repository, so that both are the same in every
// graph and at every sequence. The colours are in look/graph-colour.css; shapes beyond them share the last.
import type { WalkState } from './walk-state.ts';

export const COLOURS = 10;

export interface ShapeCount {
  readonly shape: string;
  readonly count: number;
  /** The number of its colour, from 1. */
  readonly colour: number;
}

/** In the order of `known`, the shapes of the repository; what is not among them comes after. */
export function countShapes({ nodes }: Pick<WalkState, 'nodes'>, known: readonly string[]): ShapeCount[] {
  const counts = new Map<string, number>();
  for (const { shape } of nodes.values()) counts.set(shape, (counts.get(shape) ?? 0) + 1);
  const order = [...new Set([...known, ...counts.keys()])];
  return order.flatMap((shape, place) => {
    const count = counts.get(shape);
    return count === undefined ? [] : [{ shape, count, colour: Math.min(place + 1, COLOURS) }];
  });
}
