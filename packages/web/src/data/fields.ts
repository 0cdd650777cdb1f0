// The field set of a shape, as people read it: one row for each field, those of nested objects under their paths. The forms
// are those that the server takes; what it would not take is shown as what it is, and never stops the page.
import { pointerTo } from '@cairn/protocol/json-pointer';

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

/** What a reference without a shape leads to. No shape can be called so. */
export const ANY_SHAPE = '*';

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function fieldsOf(fields: unknown): readonly Field[] {
  return isObject(fields) ? membersOf(fields, []) : [];
}

/** Stands for the items of an array in a path. */
const ITEMS = '[]';

function membersOf(fields: Json, parents: readonly string[]): Field[] {
  return Object.entries(fields).flatMap(([key, definition]) => {
    const isOptional = key.endsWith('?');
    const name = isOptional ? key.slice(0, -1) : key;
    return fieldAt(declarationOf(definition), { names: [...parents, name], isOptional });
  });
}

/** A field whichever way it was written. */
interface Declaration {
  readonly type: string;
  readonly isOptional: boolean;
  readonly keywords: Json;
  /** Of an array, when it says what its items are. */
  readonly items?: Declaration;
  /** Of a nested object. */
  readonly members?: Json;
}

function declarationOf(definition: unknown): Declaration {
  if (typeof definition === 'string') return { ...typed(definition), keywords: {} };
  if (Array.isArray(definition)) {
    return { type: 'array', isOptional: false, keywords: {}, ...itemsIn(definition[0]) };
  }
  if (!isObject(definition)) return { type: 'unknown', isOptional: false, keywords: {} };
  const { type, items } = definition;
  if (typeof type !== 'string') return { type: 'object', isOptional: false, keywords: {}, members: definition };
  return { ...typed(type), keywords: definition, ...itemsIn(items) };
}

const itemsIn = (items: unknown) => (items === undefined ? {} : { items: declarationOf(items) });

const typed = (type: string) =>
  type.endsWith('?') ? { type: type.slice(0, -1), isOptional: true } : { type, isOptional: false };

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

const typeText = ({ type, items }: Declaration): string =>
  items === undefined ? type : `${type} of ${typeText(items)}`;

/** Dotted where no name has a sign that a path gives a meaning to. */
function pathOf(names: readonly string[]): string {
  if (names.some((name) => name !== ITEMS && /[./[\]]/.test(name))) return names.reduce(pointerTo, '');
  return names.reduce((path, name) => (path === '' || name === ITEMS ? `${path}${name}` : `${path}.${name}`), '');
}

/** A shape that the reader may not see is null. */
function targetsOf(shape: unknown): readonly string[] {
  if (shape === undefined) return [ANY_SHAPE];
  return (Array.isArray(shape) ? shape : [shape]).filter((name) => typeof name === 'string');
}

function constraintsOf({ type, keywords, items }: Declaration): string[] {
  const own = type === 'array' ? [between(keywords.minItems, keywords.maxItems, 'item')] : valueConstraints(keywords);
  const each = items === undefined ? [] : constraintsOf(items).map((constraint) => `each ${constraint}`);
  if (items?.isOptional) each.push('each may be null');
  return [...own.filter((constraint) => constraint !== undefined), ...each];
}

function valueConstraints(keywords: Json): (string | undefined)[] {
  const { enum: choices, pattern, minLength, maxLength, minimum, maximum, integer } = keywords;
  return [
    Array.isArray(choices) ? `one of ${choices.join(', ')}` : undefined,
    typeof pattern === 'string' ? `matches ${pattern}` : undefined,
    between(minLength, maxLength, 'character'),
    integer === true ? 'a whole number' : undefined,
    between(minimum, maximum),
  ];
}

function between(least: unknown, most: unknown, unit?: string): string | undefined {
  const has = { least: typeof least === 'number', most: typeof most === 'number' };
  const units = (count: unknown) => (unit === undefined ? '' : ` ${unit}${count === 1 ? '' : 's'}`);
  if (has.least && least === most) return `exactly ${least}${units(least)}`;
  if (has.least && has.most) return `${least} to ${most}${units(most)}`;
  if (has.least) return `at least ${least}${units(least)}`;
  return has.most ? `at most ${most}${units(most)}` : undefined;
}
