import { pointerTo, pointerTokens } from '@cairn/model/json-pointer';

export const pathText = (pointer: string): string => formatPath(pointerTokens(pointer));

export const fieldText = (pointer: string): string =>
  formatPath(pointerTokens(pointer).filter((token) => !/^\d+$/.test(token)));

export const ITEMS = '[]';

export function formatPath(names: readonly string[]): string {
  if (names.some((name) => name !== ITEMS && /[./[\]]/.test(name))) return names.reduce(pointerTo, '');
  return names.reduce((path, name) => (path === '' || name === ITEMS ? `${path}${name}` : `${path}.${name}`), '');
}
