// Shapes that are retracted and still have records: what a repository says of itself leaves them out, and counts those.
import type { RepositoryDescription } from '@cairn/sdk';

export interface ShapeCount {
  readonly name: string;
  readonly count: number;
}

type Described = Pick<RepositoryDescription, 'counts'> & { readonly shapes: readonly ShapeCount[] };

/** Whether there are records whose shape is not among those that are described. */
export function hasOthers({ counts: { thing, assertion, collection }, shapes }: Described): boolean {
  return shapes.reduce((sum, { count }) => sum + count, 0) < thing + assertion + collection;
}

/** Those that are counted and not described. */
export function othersIn(counted: readonly ShapeCount[], described: readonly ShapeCount[]): readonly ShapeCount[] {
  const known = new Set(described.map(({ name }) => name));
  return counted.filter(({ name }) => !known.has(name));
}
