// Which shape refers to which, as their fields say it, and what assertions are about.

import { isShapeHere, type SaidAbout } from '../record/said-about-tally.ts';
import { ANY_SHAPE } from './declaration.ts';
import { fieldsOf } from './fields.ts';

export interface ShapeReference {
  readonly from: string;
  /** The field that refers; empty where assertions are about it. */
  readonly path: string;
  /** A shape, or `ANY_SHAPE`. */
  readonly to: string;
  /** Assertions of the one are about records of the other. */
  readonly isAbout?: true;
}

interface NamedFields {
  readonly name: string;
  readonly fields: unknown;
}

export function shapeReferences(shapes: readonly NamedFields[]): readonly ShapeReference[] {
  return shapes.flatMap(({ name, fields }) =>
    fieldsOf(fields).flatMap(({ path, refersTo = [] }) => refersTo.map((to) => ({ from: name, path, to }))),
  );
}

export const aboutReferences = (pairs: readonly SaidAbout[]): readonly ShapeReference[] =>
  pairs.filter(isShapeHere).map(({ from, to }) => ({ from, path: '', to, isAbout: true }));

/** How a reference is written: `Location.owner`; of assertions the shape alone. */
export function placeIn({ from, path, isAbout }: ShapeReference): string {
  if (isAbout) return from;
  return path.startsWith('/') ? `${from}${path}` : `${from}.${path}`;
}

export const targetName = (to: string): string => (to === ANY_SHAPE ? 'any shape' : to);
