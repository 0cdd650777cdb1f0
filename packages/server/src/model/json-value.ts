// JSON values as they come from a parser. A key may be any text, `__proto__` too, so only own properties count.
import { pointerTokens } from '@cairn/protocol/json-pointer';

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function ownValue(source: JsonObject, name: string): unknown {
  return Object.hasOwn(source, name) ? source[name] : undefined;
}

/** Lengths are in code points: one emoji is one character, whatever its encoding. */
export function codePointLength(text: string): number {
  let length = text.length;
  for (let index = 0; index < text.length - 1; index++) {
    if (isHighSurrogate(text.charCodeAt(index)) && isLowSurrogate(text.charCodeAt(index + 1))) {
      length--;
      index++;
    }
  }
  return length;
}

const SHOWN_CHARACTERS_MAX = 60;

/** A value as a message quotes it: short, whatever was sent. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return showText(value);
  if (Array.isArray(value)) return `an array of ${counted(value.length, 'item')}`;
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}

/** Several values, as many as fit into the length of one. */
export function showList(values: readonly unknown[]): string {
  let shown = '';
  for (const value of values) {
    const next = `${shown === '' ? '' : `${shown}, `}${showValue(value)}`;
    if (next.length > SHOWN_CHARACTERS_MAX && shown !== '') return `${shown}, …`;
    shown = next;
  }
  return shown;
}

function showText(text: string): string {
  // Cut before it is quoted: the text may be a megabyte.
  const quoted = JSON.stringify(text.slice(0, SHOWN_CHARACTERS_MAX));
  if (quoted.length <= SHOWN_CHARACTERS_MAX) return quoted;
  const end = SHOWN_CHARACTERS_MAX - 1;
  // Half a surrogate pair would be no character at all.
  return `${quoted.slice(0, isHighSurrogate(quoted.charCodeAt(end - 1)) ? end - 1 : end)}…`;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

// What stands in data at a JSON pointer.

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
