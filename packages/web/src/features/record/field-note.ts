import { pointerTokens } from '@cairn/protocol/json-pointer';
import type { FieldNote } from './value.tsx';

type Fields = Readonly<Record<string, unknown>>;

const TYPES = /^(?:string|number|boolean|wref|array|json)\??$/;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isTyped = (field: Fields): field is Fields & { readonly type: string } =>
  typeof field.type === 'string' && TYPES.test(field.type);

export function noteFinder(shape: unknown): (pointer: string) => FieldNote | undefined {
  const fields = isObject(shape) ? shape.fields : undefined;
  return (pointer) => {
    let place: Declared | undefined = { field: fields, isOptional: false };
    for (const token of pointerTokens(pointer)) place = place && within(place.field, token);
    return place === undefined || pointer === '' ? undefined : noteOf(place);
  };
}

interface Declared {
  readonly field: unknown;
  readonly isOptional: boolean;
}

function within(field: unknown, token: string): Declared | undefined {
  if (Array.isArray(field)) return { field: field[0], isOptional: false };
  if (!isObject(field)) return undefined;
  if (isTyped(field)) return field.type.startsWith('array') ? { field: field.items, isOptional: false } : undefined;
  if (Object.hasOwn(field, token)) return { field: field[token], isOptional: false };
  return Object.hasOwn(field, `${token}?`) ? { field: field[`${token}?`], isOptional: true } : undefined;
}

function noteOf({ field, isOptional }: Declared): FieldNote | undefined {
  const type = typeText(field);
  if (type === undefined) return undefined;
  const description =
    isObject(field) && isTyped(field) && typeof field.description === 'string' ? field.description : undefined;
  const mayMiss = isOptional || (typeof field === 'string' && field.endsWith('?'));
  return { type: mayMiss ? `${type}, optional` : type, description };
}

function typeText(field: unknown): string | undefined {
  if (typeof field === 'string') return TYPES.test(field) ? typedText({ type: field }) : undefined;
  if (Array.isArray(field)) return listText(field[0]);
  if (!isObject(field)) return undefined;
  return isTyped(field) ? typedText(field) : undefined;
}

const listText = (item: unknown): string =>
  `list of ${typeText(item)?.replace(/^reference/, 'references') ?? 'anything'}`;

function typedText(field: Fields & { readonly type: string }): string {
  const type = field.type.replace('?', '');
  if (type === 'array') return listText(field.items);
  if (type === 'wref')
    return field.shape === undefined ? 'reference' : `reference to ${[field.shape].flat().join(' or ')}`;
  return Array.isArray(field.enum) ? `${type}, one of ${field.enum.join(', ')}` : type;
}
