// How a shape declares a field, whichever way it was written.

export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export interface Declaration {
  readonly type: string;
  readonly isOptional: boolean;
  readonly keywords: Json;
  /** Of an array, when it says what its items are. */
  readonly items?: Declaration;
  /** Of a nested object. */
  readonly members?: Json;
}

export function declarationOf(definition: unknown): Declaration {
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

/** What a reference without a shape leads to. No shape can be called so. */
export const ANY_SHAPE = '*';

/** A shape that the reader may not see is null. */
export function targetsOf(shape: unknown): readonly string[] {
  if (shape === undefined) return [ANY_SHAPE];
  return (Array.isArray(shape) ? shape : [shape]).filter((name) => typeof name === 'string');
}

/** In words. */
export function constraintsOf({ type, keywords, items }: Declaration): string[] {
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
