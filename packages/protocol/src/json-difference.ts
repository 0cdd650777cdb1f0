// What differs between two JSON values: objects by their members, arrays by index, anything else as a whole.
import { pointerTo } from './json-pointer.ts';
import type { Difference } from './read.ts';

const isJsonObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** In the order of `before`, and then what is new. */
export function findDifferences(before: unknown, after: unknown, path = ''): Difference[] {
  if (isJsonObject(before) && isJsonObject(after))
    return differencesOfMembers(membersOf(before), membersOf(after), path);
  if (Array.isArray(before) && Array.isArray(after)) {
    return differencesOfMembers(new Map(before.entries()), new Map(after.entries()), path);
  }
  return before === after ? [] : [{ path, change: 'changed', before, after }];
}

const membersOf = (value: object) => new Map<string, unknown>(Object.entries(value));

function differencesOfMembers<Token extends string | number>(
  before: ReadonlyMap<Token, unknown>,
  after: ReadonlyMap<Token, unknown>,
  path: string,
): Difference[] {
  const kept = [...before].flatMap(([token, value]): Difference[] => {
    const place = pointerTo(path, token);
    if (!after.has(token)) return [{ path: place, change: 'removed', before: value }];
    return findDifferences(value, after.get(token), place);
  });
  const added = [...after].filter(([token]) => !before.has(token));
  return [
    ...kept,
    ...added.map(([token, value]): Difference => ({ path: pointerTo(path, token), change: 'added', after: value })),
  ];
}
