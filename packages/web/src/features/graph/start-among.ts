import type { ListedRecord } from '@cairn/sdk';

/**
 * The name to begin with among what was found: the one that was typed, or the only one. What looks like a name is asked for
 * though nothing was found, since it may be an old one, or retracted. `undefined` where there is a choice, or nothing.
 */
export function startAmong(found: readonly Pick<ListedRecord, 'name'>[], asked: string): string | undefined {
  const [first, ...others] = found;
  if (found.some(({ name }) => name === asked)) return asked;
  if (first === undefined) return asked.includes('/') ? asked : undefined;
  return others.length === 0 ? first.name : undefined;
}
