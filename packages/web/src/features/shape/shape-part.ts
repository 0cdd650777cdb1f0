// A shape is taken apart where changes of it are compared: each of its fields is one part, so that two people can each change
// another, and one of them be taken back without the other.
import { isObject, type Json } from './declaration.ts';

const FIELD = 'fields.';

/** Of a shape, each field as it is written, under its name; of any other record, the data as it is. */
export function partsOf(kind: string, data: unknown): unknown {
  if (kind !== 'shape' || !isObject(data) || !isObject(data.fields)) return data;
  const { fields, ...others } = data;
  const parts = Object.entries(fields as Json).map(([key, definition]): [string, Json] => [
    `${FIELD}${key.replace(/\?$/, '')}`,
    { [key]: definition },
  ]);
  return { ...others, ...Object.fromEntries(parts) };
}

/** The field that a part of a shape is; `undefined` of what is none, such as the description. */
export const fieldNamed = (part: string): string | undefined =>
  part.startsWith(FIELD) ? part.slice(FIELD.length) : undefined;

/** Put together again. */
export function wholeOf(kind: string, parts: unknown): unknown {
  if (kind !== 'shape' || !isObject(parts)) return parts;
  const fields = Object.entries(parts).filter(([name]) => name.startsWith(FIELD));
  const others = Object.entries(parts).filter(([name]) => !name.startsWith(FIELD));
  return { ...Object.fromEntries(others), fields: Object.assign({}, ...fields.map(([, field]) => field)) };
}
