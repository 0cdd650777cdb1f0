// JSON pointers (RFC 6901): how problems, indexes and filters name a place in data.
import { isJsonObject, ownValue } from './json-value.ts';

export function pointerTo(parent: string, token: string | number): string {
  return `${parent}/${typeof token === 'number' ? token : token.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The steps of a pointer; none for '', which names the whole. */
export function pointerTokens(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value at a pointer, or undefined where there is none. Never looks at what an object inherits. */
export function valueAt(data: unknown, pointer: string): unknown {
  if (pointer !== '' && !pointer.startsWith('/')) return undefined;
  let value = data;
  for (const token of pointerTokens(pointer)) value = memberOf(value, token);
  return value;
}

function memberOf(parent: unknown, token: string): unknown {
  if (Array.isArray(parent)) return isArrayIndex(token) ? parent[Number(token)] : undefined;
  return isJsonObject(parent) ? ownValue(parent, token) : undefined;
}

/** Only the canonical spelling, so that one place has one pointer. */
export function isArrayIndex(token: string): boolean {
  return /^(?:0|[1-9][0-9]{0,9})$/.test(token);
}
