// The shapes that a definition asks for by name, in fields such as { "type": "wref", "shape": "Person" }.
import { pointerTo } from '@cairn/protocol/json-pointer';
import { isJsonObject, ownValue } from '../model/json-value.ts';

export interface Restriction {
  /** Where in the definition the name stands. */
  readonly path: string;
  readonly shapeName: string;
}

export function restrictionsIn(definition: unknown): Restriction[] {
  const fields = isJsonObject(definition) ? ownValue(definition, 'fields') : undefined;
  return isJsonObject(fields) ? inMembers(fields, '/fields') : [];
}

function inMembers(fields: object, path: string): Restriction[] {
  return Object.entries(fields).flatMap(([name, field]) => inField(field, pointerTo(path, name)));
}

function inField(field: unknown, path: string): Restriction[] {
  if (Array.isArray(field)) return field.flatMap((item, index) => inField(item, pointerTo(path, index)));
  if (!isJsonObject(field)) return [];
  const { type, shape, items } = field;
  // Without a type it is an object with fields of its own.
  if (typeof type !== 'string') return inMembers(field, path);
  const names = Array.isArray(shape) ? shape.map((name, index) => [index, name]) : [[undefined, shape]];
  const here = names.flatMap(([index, shapeName]): Restriction[] => {
    const place = pointerTo(path, 'shape');
    if (typeof shapeName !== 'string') return [];
    return [{ path: index === undefined ? place : pointerTo(place, Number(index)), shapeName }];
  });
  return [...here, ...inField(items, pointerTo(path, 'items'))];
}
