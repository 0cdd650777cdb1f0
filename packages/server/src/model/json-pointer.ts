// What stands in data at a JSON pointer.
import { pointerTokens } from '@cairn/protocol/json-pointer';
import { isJsonObject, type JsonObject, ownValue } from './json-value.ts';

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

/** The data with other values at some pointers; what is not on the way to one of them is shared, not copied. */
export function withValues(data: unknown, values: ReadonlyMap<string, unknown>): unknown {
  const copies = new Set<object>();
  let whole = data;
  for (const [pointer, value] of values) whole = withValue(whole, pointerTokens(pointer), { value, copies });
  return whole;
}

interface Replacement {
  readonly value: unknown;
  /** What was copied already can be changed in place. */
  readonly copies: Set<object>;
}

function withValue(parent: unknown, [token, ...rest]: readonly string[], replacement: Replacement): unknown {
  if (token === undefined) return replacement.value;
  const { copies } = replacement;
  if (typeof parent !== 'object' || parent === null) return parent;
  const copy = (copies.has(parent) ? parent : Array.isArray(parent) ? [...parent] : { ...parent }) as JsonObject;
  copies.add(copy);
  const value = withValue(memberOf(parent, token), rest, replacement);
  // Setting `__proto__` would set no key at all.
  if (token !== '__proto__') (copy as Record<string, unknown>)[token] = value;
  else Object.defineProperty(copy, token, { value, enumerable: true, configurable: true, writable: true });
  return copy;
}
