import { pointerTo, pointerTokens } from '@cairn/model/json-pointer';

export const pathText = (pointer: string): string => formatPath(pointerTokens(pointer));

/** Without indexes, for lists where the value is shown too. */
export const fieldText = (pointer: string): string =>
  formatPath(pointerTokens(pointer).filter((token) => !/^\d+$/.test(token)));

export const ITEMS = '[]';

/** Dotted unless a name contains path syntax. */
export function formatPath(names: readonly string[]): string {
  if (names.some((name) => name !== ITEMS && /[./[\]]/.test(name))) return names.reduce(pointerTo, '');
  return names.reduce((path, name) => (path === '' || name === ITEMS ? `${path}${name}` : `${path}.${name}`), '');
}
