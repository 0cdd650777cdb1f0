// How JSON data is laid out for people.

export const isContainer = (data: unknown): data is object => typeof data === 'object' && data !== null;

/** Items by their place, fields by their name. */
export function entriesOf(data: unknown): readonly (readonly [string, unknown])[] {
  return isContainer(data) ? Object.entries(data) : [];
}

export function sizeOf(data: unknown): number {
  if (Array.isArray(data)) return data.length;
  return isContainer(data) ? Object.keys(data).length : 0;
}

/** Such as `3 items`, or `1 field`. */
export function sizeWords(data: unknown): string {
  const size = sizeOf(data);
  const what = Array.isArray(data) ? 'item' : 'field';
  return `${size.toLocaleString('en')} ${what}${size === 1 ? '' : 's'}`;
}

/** So deep data is open without being asked for, and so many entries of a part. */
const OPEN_DEPTH = 3;
const OPEN_ENTRIES = 20;

/** Whether a part of data is shown before it is asked for: what is deep or long is not. */
export const isOpenAtFirst = (data: unknown, depth: number): boolean =>
  depth < OPEN_DEPTH && sizeOf(data) <= OPEN_ENTRIES;
