// JSON values as they come from a parser. A key may be any text, `__proto__` too, so only own properties count.

import { type PointerSegment, pointerTokens, toJsonPointer } from '@cairn/model/json-pointer';
import { nestingRefused } from '@cairn/model/json-refusal';
import type { CairnError } from '@cairn/protocol/errors';

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

// The stored form of data: RFC 8785 (JCS), one text for each value, so that equal data has an equal hash.
// Takes what JSON.parse made of a text that json-scan.ts let pass, which is where lone surrogates are refused.
// JSON.stringify already writes strings and numbers as the RFC wants them; what is left to do is the order of keys.

interface CanonicalOptions {
  /** Arrays and objects inside each other; the outermost counts. Keep it in the hundreds: each level is a call. */
  readonly maxDepth?: number;
}

type CanonicalJsonJsonObject = Record<string, unknown>;

const MAX_DEPTH = 64;

export function canonicalJson(value: unknown, { maxDepth = MAX_DEPTH }: CanonicalOptions = {}): string {
  const arranger = new KeyArranger(maxDepth);
  const arranged = arranger.arrange(value);
  return arranger.metUnorderable ? writeInOrder(value) : JSON.stringify(arranged);
}

/**
 * Gives each value back with its keys in order, copying only what is not in order yet: one JSON.stringify over the
 * result is about twice as fast as putting a text together.
 */
class KeyArranger {
  /** An object could not be arranged: the result is of no use. */
  metUnorderable = false;
  private readonly maxDepth: number;
  private depth = 0;
  /** Where the arranger is, up to `depth`; what lies beyond is left over. */
  private readonly path: PointerSegment[] = [];

  constructor(maxDepth: number) {
    this.maxDepth = maxDepth;
  }

  arrange(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return checkScalar(value);
    if (this.depth === this.maxDepth) throw this.refusal();
    this.depth += 1;
    const arranged = Array.isArray(value)
      ? this.arrangeArray(value)
      : this.arrangeObject(value as CanonicalJsonJsonObject);
    this.depth -= 1;
    return arranged;
  }

  private arrangeArray(items: readonly unknown[]): readonly unknown[] {
    let copy: unknown[] | undefined;
    for (let index = 0; index < items.length; index += 1) {
      const arranged = this.arrangeAt(index, items[index]);
      if (arranged === items[index]) continue;
      copy ??= items.slice();
      copy[index] = arranged;
    }
    return copy ?? items;
  }

  private arrangeObject(object: CanonicalJsonJsonObject): CanonicalJsonJsonObject {
    const keys = Object.keys(object);
    if (!isSorted(keys)) return this.reorder(object, keys.sort(byCodeUnits));
    let copy: CanonicalJsonJsonObject | undefined;
    for (const key of keys) {
      const arranged = this.arrangeAt(key, object[key]);
      if (arranged === object[key]) continue;
      copy ??= { ...object };
      copy[key] = arranged;
    }
    return copy ?? object;
  }

  private reorder(object: CanonicalJsonJsonObject, keys: readonly string[]): CanonicalJsonJsonObject {
    const copy: CanonicalJsonJsonObject = {};
    for (const key of keys) {
      const arranged = this.arrangeAt(key, object[key]);
      if (isUnorderable(key)) this.metUnorderable = true;
      else copy[key] = arranged;
    }
    return copy;
  }

  private arrangeAt(segment: PointerSegment, value: unknown): unknown {
    this.path[this.depth - 1] = segment;
    return this.arrange(value);
  }

  private refusal(): CairnError {
    const path = toJsonPointer(this.path.slice(0, this.depth));
    return nestingRefused({ path, maxDepth: this.maxDepth });
  }
}

/** JavaScript puts `10` after `9` whatever the order they were set in, and setting `__proto__` sets no key at all. */
function isUnorderable(key: string): boolean {
  return (key >= '0' && key < ':') || key === '__proto__';
}

function isSorted(keys: readonly string[]): boolean {
  let previous = '';
  for (const key of keys) {
    if (key < previous) return false;
    previous = key;
  }
  return true;
}

/** The RFC orders keys by UTF-16 code units, as JavaScript compares strings; the keys of an object are never equal. */
function byCodeUnits(left: string, right: string): number {
  return left < right ? -1 : 1;
}

/** The slower way, for the few values with keys that cannot be arranged. Their depth is known to be within bounds. */
function writeInOrder(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(writeInOrder).join(',')}]`;
  const object = value as CanonicalJsonJsonObject;
  const members = Object.keys(object).sort(byCodeUnits);
  return `{${members.map((key) => `${JSON.stringify(key)}:${writeInOrder(object[key])}`).join(',')}}`;
}

// JSON.stringify would leave these out or write null for them: a mistake of the caller, and the hash of something else.
function checkScalar(value: unknown): unknown {
  const kind = typeof value;
  if (kind === 'string' || kind === 'boolean' || value === null || Number.isFinite(value)) return value;
  throw new TypeError(`JSON has no ${kind === 'number' ? value : kind}`);
}
