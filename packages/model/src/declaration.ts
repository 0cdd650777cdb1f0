// Reads field declarations leniently, in every form that shapes take: hidden or unknown parts stay visible and never
// fail. `parseShape` is the strict reader, which decides whether a shape is valid.
import { isJsonObject, type JsonObject } from './json.ts';
import { formatFieldPath } from './where.ts';

export interface Declaration {
  /** `array` and `object` also stand for their short forms. */
  readonly type: string;
  readonly isOptional: boolean;
  readonly keywords: JsonObject;
  readonly items?: Declaration;
  readonly members?: JsonObject;
}

export interface NamedDeclaration extends Declaration {
  readonly name: string;
}

export function declarationOf(definition: unknown): Declaration {
  if (typeof definition === 'string') return { ...readType(definition), keywords: {} };
  if (Array.isArray(definition)) {
    return { type: 'array', isOptional: false, keywords: {}, ...readItems(definition[0]) };
  }
  if (!isJsonObject(definition)) return { type: 'unknown', isOptional: false, keywords: {} };
  const { type, items } = definition;
  if (typeof type !== 'string') return { type: 'object', isOptional: false, keywords: {}, members: definition };
  return { ...readType(type), keywords: definition, ...readItems(items) };
}

const readItems = (items: unknown) => (items === undefined ? {} : { items: declarationOf(items) });

const readType = (type: string) =>
  type.endsWith('?') ? { type: type.slice(0, -1), isOptional: true } : { type, isOptional: false };

/** The fields of a field set in display order: required ones first, each group by name. */
export function declarationsIn(fields: unknown): readonly NamedDeclaration[] {
  if (!isJsonObject(fields)) return [];
  const all = Object.entries(fields).map(([key, definition]): NamedDeclaration => {
    const declaration = declarationOf(definition);
    return { ...declaration, name: fieldName(key), isOptional: declaration.isOptional || key.endsWith('?') };
  });
  return [...all.filter(({ isOptional }) => !isOptional), ...all.filter(({ isOptional }) => isOptional)];
}

export const fieldName = (key: string): string => key.replace(/\?$/, '');

/** The target of a reference without a shape. No shape can have this name. */
export const ANY_SHAPE = '*';

/** The possible target shapes of a reference. Hidden ones are null, and left out. */
export function targetShapes(shape: unknown): readonly string[] {
  if (shape === undefined) return [ANY_SHAPE];
  return [shape].flat().filter((name) => typeof name === 'string');
}

export const FIELD_TYPES = ['string', 'number', 'boolean', 'wref', 'array', 'json'] as const;
export type FieldType = (typeof FIELD_TYPES)[number] | 'object';
export type ChoiceValue = string | number | boolean;

export interface DeclaredField {
  readonly path: string;
  readonly steps: readonly string[];
  readonly type: FieldType;
  readonly choices?: readonly ChoiceValue[];
  /** Absent if any shape is allowed. */
  readonly refersTo?: readonly string[];
}

/** All fields that conditions and lists can name. Fields within arrays have no path. */
export function declaredFields(fields: unknown, parents: readonly string[] = []): DeclaredField[] {
  return declarationsIn(fields).flatMap(({ name, ...declaration }) => {
    const steps = [...parents, name];
    const field = { path: formatFieldPath(steps), steps, ...typeOf(declaration) };
    return field.type === 'object' ? [field, ...declaredFields(declaration.members, steps)] : [field];
  });
}

function typeOf({ type: name, keywords, members }: Declaration): Pick<DeclaredField, 'type' | 'choices' | 'refersTo'> {
  if (members !== undefined || name === 'unknown') return { type: 'object' };
  const type = FIELD_TYPES.find((known) => known === name) ?? 'json';
  if (type === 'wref')
    return keywords.shape === undefined ? { type } : { type, refersTo: targetShapes(keywords.shape) };
  return Array.isArray(keywords.enum) ? { type, choices: keywords.enum as ChoiceValue[] } : { type };
}

/** The definition in a shape's data; empty if the data is hidden. */
export function definitionOf(data: unknown): { readonly fields: unknown; readonly description?: string } {
  if (!isJsonObject(data)) return { fields: undefined };
  const { fields, description } = data;
  return { fields, ...(typeof description === 'string' && { description }) };
}
