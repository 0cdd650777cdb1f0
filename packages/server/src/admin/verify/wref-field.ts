// Where data holds wrefs, by the definition of its shape as users write it.
import { pointerTo } from '@cairn/protocol/json-pointer';
import { parsed } from './row.ts';

interface Place {
  readonly value: unknown;
  readonly path: string;
}

/** The pointers to all values that a shape says are wrefs. */
export function wrefPathsIn(shape: string, data: string): string[] {
  const definition = parsed(shape);
  const fields = typeof definition === 'object' && definition !== null ? Reflect.get(definition, 'fields') : undefined;
  return pathsIn(fields ?? {}, { value: parsed(data), path: '' });
}

/** `definition` is one field, or the fields of an object. */
function pathsIn(definition: unknown, place: Place): string[] {
  if (place.value === null || place.value === undefined) return [];
  if (typeof definition === 'string') return isType(definition, 'wref') ? [place.path] : [];
  if (Array.isArray(definition)) return pathsInItems(definition[0], place);
  const fields = definition as Readonly<Record<string, unknown>>;
  if (typeof fields.type !== 'string') {
    return Object.entries(fields).flatMap(([key, field]) => pathsIn(field, memberOf(place, key.replace(/\?$/, ''))));
  }
  if (isType(fields.type, 'array') && fields.items !== undefined) return pathsInItems(fields.items, place);
  return pathsIn(fields.type, place);
}

function pathsInItems(definition: unknown, { value, path }: Place): string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item, index) => pathsIn(definition, { value: item, path: pointerTo(path, index) }));
}

function memberOf({ value, path }: Place, name: string): Place {
  const member = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  return { value: member ? Reflect.get(value, name) : undefined, path: pointerTo(path, name) };
}

const isType = (text: string, type: string) => text === type || text === `${type}?`;
