// Which shape refers to which, as their fields say it.
import { ANY_SHAPE } from './declaration.ts';
import { fieldsOf } from './fields.ts';

export interface ShapeReference {
  readonly from: string;
  /** The field that refers. */
  readonly path: string;
  /** A shape, or `ANY_SHAPE`. */
  readonly to: string;
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

/** How a reference is written: `Location.owner`. */
export const placeIn = ({ from, path }: ShapeReference): string =>
  path.startsWith('/') ? `${from}${path}` : `${from}.${path}`;

export const targetName = (to: string): string => (to === ANY_SHAPE ? 'any shape' : to);
