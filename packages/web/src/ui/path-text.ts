import { pointerTo, pointerTokens } from '@cairn/protocol/json-pointer';

// Places in data, which the API names by JSON pointers, as people write them.

/** `/position/x` is `position.x`. */
export const pathText = (pointer: string): string => pathOf(pointerTokens(pointer));

/** The field alone, where what stands there is shown beside it: which item of a list it is says nothing then. */
export const fieldText = (pointer: string): string =>
  pathOf(pointerTokens(pointer).filter((token) => !/^\d+$/.test(token)));

/** Stands for the items of an array in a path. */
export const ITEMS = '[]';

/** Dotted where no name has a sign that a path gives a meaning to. */
export function pathOf(names: readonly string[]): string {
  if (names.some((name) => name !== ITEMS && /[./[\]]/.test(name))) return names.reduce(pointerTo, '');
  return names.reduce((path, name) => (path === '' || name === ITEMS ? `${path}${name}` : `${path}.${name}`), '');
}
