// The field set of a shape, as people read it: one row for each field, those of nested objects under their paths. The forms
// are those that the server takes; what it would not take is shown as what it is, and never stops the page.
import { pointerTo } from '@cairn/protocol/json-pointer';
import { orderedFields } from '../record/field-order.ts';
import { constraintsOf, type Declaration, declarationOf, isObject, type Json, targetsOf } from './declaration.ts';

export interface Field {
  /** As people write it: `position.x`, and `links[].target` for what stands in each item of an array. */
  readonly path: string;
  /** The same as a JSON pointer, which is how indexes name fields. */
  readonly pointer: string;
  readonly type: string;
  readonly isOptional: boolean;
  readonly isIndexed: boolean;
  /** Of a reference: the shapes that its target may have, or `ANY_SHAPE`. Shapes that are hidden are left out. */
  readonly refersTo?: readonly string[];
  /** In words. */
  readonly constraints: readonly string[];
  readonly description?: string;
}

export function fieldsOf(fields: unknown): readonly Field[] {
  return isObject(fields) ? membersOf(fields, []) : [];
}

/** Stands for the items of an array in a path. */
const ITEMS = '[]';

function membersOf(fields: Json, parents: readonly string[]): Field[] {
  return orderedFields(fields).flatMap(([key, definition]) => {
    const isOptional = key.endsWith('?');
    const name = isOptional ? key.slice(0, -1) : key;
    return fieldAt(declarationOf(definition), { names: [...parents, name], isOptional });
  });
}

interface Place {
  readonly names: readonly string[];
  readonly isOptional: boolean;
}

function fieldAt(declaration: Declaration, { names, isOptional }: Place): Field[] {
  const { keywords } = declaration;
  const { innermost, depth } = withinArrays(declaration);
  const field: Field = {
    path: pathOf(names),
    pointer: names.reduce(pointerTo, ''),
    type: typeText(declaration),
    isOptional: isOptional || declaration.isOptional,
    isIndexed: keywords.indexed === true,
    constraints: constraintsOf(declaration),
    ...(innermost.type === 'wref' && { refersTo: targetsOf(innermost.keywords.shape) }),
    ...(typeof keywords.description === 'string' && { description: keywords.description }),
  };
  const inItems = Array.from({ length: depth }, () => ITEMS);
  return [field, ...membersOf(innermost.members ?? {}, [...names, ...inItems])];
}

function withinArrays(declaration: Declaration, depth = 0): { innermost: Declaration; depth: number } {
  const { items } = declaration;
  return items === undefined ? { innermost: declaration, depth } : withinArrays(items, depth + 1);
}

/** In the words of people: what the API calls a wref is a reference. */
function typeText({ type, items }: Declaration): string {
  if (items === undefined) return type === 'wref' ? 'reference' : type;
  return `${type} of ${items.type === 'wref' ? 'references' : typeText(items)}`;
}

/** Dotted where no name has a sign that a path gives a meaning to. */
export function pathOf(names: readonly string[]): string {
  if (names.some((name) => name !== ITEMS && /[./[\]]/.test(name))) return names.reduce(pointerTo, '');
  return names.reduce((path, name) => (path === '' || name === ITEMS ? `${path}${name}` : `${path}.${name}`), '');
}
