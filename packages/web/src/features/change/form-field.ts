import { ANY_SHAPE, type ChoiceValue, type Declaration, declarationsIn, targetShapes } from '@cairn/model/declaration';
import { isJsonObject, type JsonObject } from '@cairn/model/json';
import { pointerTo } from '@cairn/model/json-pointer';
import { constraintsOf } from '../shape/declaration.ts';

export type Input =
  | { readonly type: 'number' | 'boolean' | 'json' }
  | { readonly type: 'text'; readonly isLine?: true }
  | { readonly type: 'choice'; readonly choices: readonly ChoiceValue[] }
  | { readonly type: 'wref'; readonly shapes?: readonly string[] }
  | { readonly type: 'list'; readonly item: Input }
  | { readonly type: 'object'; readonly fields: readonly FormField[] };

export interface FormField {
  readonly name: string;
  readonly isOptional: boolean;
  readonly description?: string;
  readonly constraints: readonly string[];
  readonly input: Input;
}

export const formOf = (fields: unknown): readonly FormField[] =>
  declarationsIn(fields).map((field): FormField => {
    const { description } = field.keywords;
    return {
      name: field.name,
      isOptional: field.isOptional,
      constraints: constraintsOf(field).filter((constraint) => !constraint.startsWith('one of ')),
      input: inputOf(field),
      ...(typeof description === 'string' && { description }),
    };
  });

function inputOf({ type, keywords, items, members }: Declaration): Input {
  if (Array.isArray(keywords.enum)) return { type: 'choice', choices: keywords.enum as ChoiceValue[] };
  if (type === 'string') return { type: 'text', ...(isShort(keywords.maxLength) && { isLine: true }) };
  if (type === 'number' || type === 'boolean') return { type };
  if (type === 'wref') return referenceTo(targetShapes(keywords.shape));
  if (type === 'array' && items !== undefined) return { type: 'list', item: inputOf(items) };
  if (members !== undefined) return { type: 'object', fields: formOf(members) };
  return { type: 'json' };
}

const LINE_CHARACTERS = 200;
const isShort = (most: unknown): boolean => typeof most === 'number' && most <= LINE_CHARACTERS;

const referenceTo = (shapes: readonly string[]): Input =>
  shapes.includes(ANY_SHAPE) ? { type: 'wref' } : { type: 'wref', shapes };

export function fieldPointers(fields: readonly FormField[], data: unknown, parent = ''): readonly string[] {
  const values = isJsonObject(data) ? data : {};
  return fields.flatMap(({ name, input }) => placesAt(input, values[name], pointerTo(parent, name)));
}

function placesAt(input: Input, value: unknown, place: string): readonly string[] {
  if (input.type === 'object') return [place, ...fieldPointers(input.fields, value, place)];
  if (input.type !== 'list' || !Array.isArray(value)) return [place];
  const items = value.flatMap((one, index) => {
    const sent = sentPlace(value, index);
    return sent === undefined ? [] : placesAt(input.item, one, pointerTo(place, String(sent)));
  });
  return [place, ...items];
}

/** Items that were never filled in are not sent. */
export const sentPlace = (items: readonly unknown[], index: number): number | undefined =>
  items[index] === null ? undefined : items.slice(0, index).filter((one) => one !== null).length;

export function unchosen(input: Input, value: unknown): string | undefined {
  if (value !== undefined) return undefined;
  if (input.type === 'boolean') return 'Choose yes or no.';
  return input.type === 'choice' ? `Choose one of ${input.choices.join(', ')}.` : undefined;
}

export function emptyOf(fields: readonly FormField[]): JsonObject {
  const begun = fields.flatMap(({ name, isOptional, input }): [string, unknown][] =>
    !isOptional && input.type === 'object' ? [[name, emptyOf(input.fields)]] : [],
  );
  return Object.fromEntries(begun);
}

export function undeclaredIn(data: unknown, fields: readonly FormField[]): readonly string[] {
  const declared = new Set(fields.map(({ name }) => name));
  return isJsonObject(data) ? Object.keys(data).filter((name) => !declared.has(name)) : [];
}

export function withField(data: unknown, name: string, value: unknown): JsonObject {
  const { [name]: _before, ...others } = isJsonObject(data) ? data : {};
  if (value === undefined) return others;
  return isJsonObject(data) && Object.hasOwn(data, name) ? { ...data, [name]: value } : { ...others, [name]: value };
}

export function filledIn(data: unknown, fields: readonly FormField[]): unknown {
  if (!isJsonObject(data)) return data;
  return fields.reduce<unknown>((all, { name, input }) => {
    const value = isJsonObject(all) ? all[name] : undefined;
    const filled = filledValue(value, input);
    return filled === value ? all : withField(all, name, filled);
  }, data);
}

function filledValue(value: unknown, input: Input): unknown {
  if (input.type === 'object') return value === undefined ? undefined : filledIn(value, input.fields);
  if (input.type !== 'list' || !Array.isArray(value)) return value;
  const filled = value.filter((one) => one !== null).map((one) => filledValue(one, input.item));
  return filled.length === 0 && value.length > 0 ? undefined : filled;
}
