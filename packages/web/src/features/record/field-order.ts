// The order in which people are shown the fields of a shape. They are stored by name, which says nothing.
import { isObject, type Json } from '../../ui/json.ts';
import { type Declaration, declarationOf } from '../shape/declaration.ts';

/** As a shape has them: what must be there first, then what may be, each by name. */
export function orderedFields(fields: Json): readonly (readonly [string, unknown])[] {
  const all = Object.entries(fields);
  return [...all.filter((field) => !isOptional(field)), ...all.filter(isOptional)];
}

const isOptional = ([key, definition]: readonly [string, unknown]): boolean =>
  key.endsWith('?') || declarationOf(definition).isOptional;

/** The data of a record in the order of the fields of its shape; what the shape does not declare comes last. */
export function inFieldOrder(data: unknown, fields: unknown): unknown {
  if (!isObject(data) || !isObject(fields)) return data;
  const declared = orderedFields(fields).map(([key, definition]) => [key.replace(/\?$/, ''), definition] as const);
  const known = new Set(declared.map(([name]) => name));
  return Object.fromEntries([
    ...declared
      .filter(([name]) => Object.hasOwn(data, name))
      .map(([name, definition]) => [name, within(data[name], declarationOf(definition))]),
    ...Object.entries(data).filter(([name]) => !known.has(name)),
  ]);
}

function within(value: unknown, { items, members }: Declaration): unknown {
  if (items === undefined) return inFieldOrder(value, members);
  return Array.isArray(value) ? value.map((one) => within(one, items)) : value;
}
