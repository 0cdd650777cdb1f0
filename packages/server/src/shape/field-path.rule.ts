// Where in data the indexed fields of a shape are.
import { pointerTo } from '@cairn/protocol/json-pointer';
import type { Field, Fields, Shape, WrefField } from './shape.rule.ts';

export interface IndexedField {
  /** A JSON pointer: no indexed field is inside an array. */
  readonly path: string;
  readonly type: 'string' | 'number' | 'boolean' | 'wref';
}

interface PlacedField {
  readonly path: string;
  readonly field: Field;
}

export function indexedFields(shape: Shape): IndexedField[] {
  return placedFields(shape.fields, '').flatMap(({ path, field }) =>
    'indexed' in field && field.indexed ? [{ path, type: field.type }] : [],
  );
}

/** Where wrefs stand that are in no array. */
export interface WrefPlace {
  readonly path: string;
  readonly field: WrefField;
}

export function wrefPlaces(shape: Shape): WrefPlace[] {
  return placedFields(shape.fields, '').flatMap(({ path, field }) => (field.type === 'wref' ? [{ path, field }] : []));
}

function placedFields(fields: Fields, parent: string): PlacedField[] {
  return [...fields].flatMap(([name, field]) => {
    const placed = { path: pointerTo(parent, name), field };
    return field.type === 'object' ? [placed, ...placedFields(field.fields, placed.path)] : [placed];
  });
}
