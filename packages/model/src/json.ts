// JSON: values, the check of a text before it is parsed, and the stored form. A key may be any text, even `__proto__`,
// so only own properties count.

import type { CairnError } from '@cairn/protocol/errors';
import { jsonPointerAt, type PointerSegment, pointerTokens, toJsonPointer } from './json-pointer.ts';
import {
  duplicateKeyRefused,
  nestingRefused,
  notJson,
  numberRefused,
  surrogateRefused,
  tooManyRefused,
} from './json-refusal.ts';

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

export function showValue(value: unknown): string {
  if (typeof value === 'string') return showText(value);
  if (Array.isArray(value)) return `an array of ${counted(value.length, 'item')}`;
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}

/** As many values as fit into the length of one. */
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
  // Cut before quoting, because the text may be a megabyte.
  const quoted = JSON.stringify(text.slice(0, SHOWN_CHARACTERS_MAX));
  if (quoted.length <= SHOWN_CHARACTERS_MAX) return quoted;
  const end = SHOWN_CHARACTERS_MAX - 1;
  // Half a surrogate pair is no character.
  return `${quoted.slice(0, isHighSurrogate(quoted.charCodeAt(end - 1)) ? end - 1 : end)}…`;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** The value at a pointer, or undefined if there is none. Ignores inherited properties. */
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

/** Only the canonical spelling, so that each location has one pointer. */
export function isArrayIndex(token: string): boolean {
  return /^(?:0|[1-9][0-9]{0,9})$/.test(token);
}

/** Copies data with other values at some pointers. Only the path to them is copied; the rest is shared. */
export function withValues(data: unknown, values: ReadonlyMap<string, unknown>): unknown {
  const copies = new Set<object>();
  let whole = data;
  for (const [pointer, value] of values) whole = withValue(whole, pointerTokens(pointer), value, copies);
  return whole;
}

/** `copies` are objects that are already copies, which can be changed in place. */
function withValue(parent: unknown, [token, ...rest]: readonly string[], given: unknown, copies: Set<object>): unknown {
  if (token === undefined) return given;
  if (typeof parent !== 'object' || parent === null) return parent;
  const copy = (copies.has(parent) ? parent : Array.isArray(parent) ? [...parent] : { ...parent }) as JsonObject;
  copies.add(copy);
  const value = withValue(memberOf(parent, token), rest, given, copies);
  // Assigning to `__proto__` would create no key.
  if (token !== '__proto__') (copy as Record<string, unknown>)[token] = value;
  else Object.defineProperty(copy, token, { value, enumerable: true, configurable: true, writable: true });
  return copy;
}

// The stored form of data is RFC 8785 (JCS): one text per value, so that equal data has an equal hash. The input is
// JSON.parse output of a text that passed `scanJson`, which refuses lone surrogates. JSON.stringify already writes
// strings and numbers as the RFC requires, so only the key order is left.

const DATA_DEPTH_MAX = 64;

type MutableJson = Record<string, unknown>;

export interface DepthOptions {
  /**
   * Counts nested arrays and objects, including the outermost. Keep it in the hundreds, because each level is a call.
   */
  readonly maxDepth?: number;
}

export function canonicalJson(value: unknown, { maxDepth = DATA_DEPTH_MAX }: DepthOptions = {}): string {
  const arranger = new KeyArranger(maxDepth);
  const arranged = arranger.arrange(value);
  return arranger.metUnorderable ? writeInOrder(value) : JSON.stringify(arranged);
}

/**
 * Returns each value with its keys in order, and copies only unordered objects. A single JSON.stringify of the result
 * is about twice as fast as building the text.
 */
class KeyArranger {
  /** An object could not be arranged, so the result is unusable. */
  metUnorderable = false;
  private readonly maxDepth: number;
  private depth = 0;
  /** The current path, up to `depth`. Later entries are stale. */
  private readonly path: PointerSegment[] = [];

  constructor(maxDepth: number) {
    this.maxDepth = maxDepth;
  }

  arrange(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return checkScalar(value);
    if (this.depth === this.maxDepth) {
      throw nestingRefused(toJsonPointer(this.path.slice(0, this.depth)), this.maxDepth);
    }
    this.depth += 1;
    const arranged = Array.isArray(value) ? this.arrangeArray(value) : this.arrangeObject(value as MutableJson);
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

  private arrangeObject(object: MutableJson): MutableJson {
    const keys = Object.keys(object);
    if (!isSorted(keys)) return this.reorder(object, keys.sort(byCodeUnits));
    let copy: MutableJson | undefined;
    for (const key of keys) {
      const arranged = this.arrangeAt(key, object[key]);
      if (arranged === object[key]) continue;
      copy ??= { ...object };
      copy[key] = arranged;
    }
    return copy ?? object;
  }

  private reorder(object: MutableJson, keys: readonly string[]): MutableJson {
    const copy: MutableJson = {};
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
}

/** JavaScript orders `10` after `9` whatever the order of assignment, and assigning to `__proto__` creates no key. */
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

/** The RFC orders keys by UTF-16 code units, as JavaScript compares strings. The keys of an object are never equal. */
function byCodeUnits(left: string, right: string): number {
  return left < right ? -1 : 1;
}

/** The slower variant, for the few values with unorderable keys. Their depth is already checked. */
function writeInOrder(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(writeInOrder).join(',')}]`;
  const object = value as MutableJson;
  const members = Object.keys(object).sort(byCodeUnits);
  return `{${members.map((key) => `${JSON.stringify(key)}:${writeInOrder(object[key])}`).join(',')}}`;
}

// JSON.stringify would omit these values or write null. That would hide a caller's mistake and hash something else.
function checkScalar(value: unknown): unknown {
  const kind = typeof value;
  if (kind === 'string' || kind === 'boolean' || value === null || Number.isFinite(value)) return value;
  throw new TypeError(`JSON has no ${kind === 'number' ? value : kind}`);
}

// Refuses JSON texts that parsing would silently change: duplicate keys, numbers that a double cannot hold, halves of
// surrogate pairs, and endless nesting. It accepts exactly the other texts that JSON.parse accepts, and creates no
// values. Every request body passes through here, so it works on character codes and tracks no path until it finds a
// problem.

// Deeper than data itself, which lies some levels inside its request.
const TEXT_DEPTH_MAX = 80;
/** Parsing costs grow with the number of values. An array or object costs about as much as four scalars. */
const VALUES_MAX = 1_000_000;
const CONTAINER_VALUES = 4;
// A double represents every decimal of 15 digits exactly.
const EXACT_DIGITS = 15;
// Up to this count, comparing with each key is faster than a Set. Beyond it, comparing would be quadratic.
const COMPARED_KEYS_MAX = 8;

const END = -1;
const SPACE = 0x20;
const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const LOWER_A = 0x61;
const LOWER_E = 0x65;
const LOWER_F = 0x66;
const LOWER_N = 0x6e;
const LOWER_T = 0x74;
const LOWER_U = 0x75;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const CASE_BIT = 0x20;

/** Escapes, forbidden control characters, and halves of surrogate pairs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const UNUSUAL = /[\\\u0000-\u001f\ud800-\udfff]/;
const SHORT_ESCAPES = '"\\/bfnrt';

export function scanJson(text: string, { maxDepth = TEXT_DEPTH_MAX }: DepthOptions = {}): void {
  new JsonScanner(text, maxDepth).scan();
}

class KeysSeen {
  private readonly few: string[] = [];
  private many: Set<string> | undefined;

  add(key: string): boolean {
    if (this.many !== undefined) return this.many.size < this.many.add(key).size;
    for (const seen of this.few) if (seen === key) return false;
    if (this.few.push(key) > COMPARED_KEYS_MAX) this.many = new Set(this.few);
    return true;
  }
}

/** Each `scan...` takes the start offset of its part, and returns the offset after its end. */
class JsonScanner {
  private readonly text: string;
  private readonly maxDepth: number;
  /** True if every string ends at its next quote, without escapes or forbidden characters. */
  private readonly isPlain: boolean;
  private depth = 0;
  private values = 0;
  /**
   * The end offset of the last string with possible escapes. A key that ends there must be unescaped before comparison.
   */
  private unusualStringEnd = 0;

  constructor(text: string, maxDepth: number) {
    this.text = text;
    this.maxDepth = maxDepth;
    this.isPlain = !UNUSUAL.test(text);
  }

  scan(): void {
    const end = this.skipSpace(this.scanValue(this.skipSpace(0)));
    if (end < this.text.length) throw this.notJson(end, 'the end');
  }

  private scanValue(at: number): number {
    this.values += 1;
    if (this.values > VALUES_MAX) throw tooManyRefused(VALUES_MAX);
    switch (this.codeAt(at)) {
      case QUOTE:
        return this.scanString(at);
      case OPEN_BRACE:
        return this.scanObject(at);
      case OPEN_BRACKET:
        return this.scanArray(at);
      case LOWER_T:
        return this.scanWord(at, 'true');
      case LOWER_F:
        return this.scanWord(at, 'false');
      case LOWER_N:
        return this.scanWord(at, 'null');
      default:
        return this.scanNumber(at);
    }
  }

  private scanObject(start: number): number {
    this.descend(start);
    let at = this.skipSpace(start + 1);
    if (this.codeAt(at) !== CLOSE_BRACE) {
      const keys = new KeysSeen();
      for (;;) {
        at = this.skipSpace(this.scanMember(at, keys));
        const code = this.codeAt(at);
        if (code === CLOSE_BRACE) break;
        if (code !== COMMA) throw this.notJson(at, '"," or "}"');
        at = this.skipSpace(at + 1);
      }
    }
    this.depth -= 1;
    return at + 1;
  }

  private scanMember(start: number, keys: KeysSeen): number {
    if (this.codeAt(start) !== QUOTE) throw this.notJson(start, 'a key in double quotes');
    const end = this.scanString(start);
    const { text } = this;
    const key = this.unusualStringEnd === end ? JSON.parse(text.slice(start, end)) : text.slice(start + 1, end - 1);
    if (!keys.add(key)) throw duplicateKeyRefused(text, start);
    const colon = this.skipSpace(end);
    if (this.codeAt(colon) !== COLON) throw this.notJson(colon, '":"');
    return this.scanValue(this.skipSpace(colon + 1));
  }

  private scanArray(start: number): number {
    this.descend(start);
    let at = this.skipSpace(start + 1);
    if (this.codeAt(at) !== CLOSE_BRACKET) {
      for (;;) {
        at = this.skipSpace(this.scanValue(at));
        const code = this.codeAt(at);
        if (code === CLOSE_BRACKET) break;
        if (code !== COMMA) throw this.notJson(at, '"," or "]"');
        at = this.skipSpace(at + 1);
      }
    }
    this.depth -= 1;
    return at + 1;
  }

  private descend(at: number): void {
    this.depth += 1;
    this.values += CONTAINER_VALUES - 1;
    if (this.depth > this.maxDepth) throw nestingRefused(jsonPointerAt(this.text, at), this.maxDepth);
  }

  private scanWord(at: number, word: string): number {
    if (!this.text.startsWith(word, at)) throw this.notJson(at, 'a value');
    return at + word.length;
  }

  private scanString(start: number): number {
    const { text } = this;
    if (this.isPlain) {
      const end = text.indexOf('"', start + 1);
      if (end === -1) throw this.notJson(text.length, 'the closing double quote of a string');
      return end + 1;
    }
    for (let at = start + 1; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) return at + 1;
      if (code === BACKSLASH || code < SPACE || isSurrogate(code)) return this.scanUnusualString(start);
    }
    throw this.notJson(text.length, 'the closing double quote of a string');
  }

  /** Scans a string with escapes, surrogates or control characters again from its start. */
  private scanUnusualString(start: number): number {
    let at = start + 1;
    for (let code = this.codeAt(at); code !== QUOTE; code = this.codeAt(at)) {
      if (code === END) throw this.notJson(at, 'the closing double quote of a string');
      if (code < SPACE) throw this.notJson(at, 'an escape such as \\n instead of a control character');
      at = code === BACKSLASH ? this.scanEscape(at) : at + 1;
    }
    const end = at + 1;
    this.unusualStringEnd = end;
    // Checked on the parsed string, because one half of a pair may be escaped and the other not.
    const value: string = JSON.parse(this.text.slice(start, end));
    if (!value.isWellFormed()) throw surrogateRefused(this.text, start);
    return end;
  }

  private scanEscape(backslash: number): number {
    const at = backslash + 1;
    if (this.codeAt(at) === LOWER_U) return this.scanHexDigits(at + 1);
    if (at === this.text.length || !SHORT_ESCAPES.includes(this.text.charAt(at))) {
      throw this.notJson(at, 'one of " \\ / b f n r t u after a backslash');
    }
    return at + 1;
  }

  private scanHexDigits(start: number): number {
    const end = start + 4;
    for (let at = start; at < end; at += 1) {
      if (!isHexDigit(this.codeAt(at))) throw this.notJson(at, 'a hexadecimal digit');
    }
    return end;
  }

  private scanNumber(start: number): number {
    const whole = this.codeAt(start) === MINUS ? start + 1 : start;
    let end = this.codeAt(whole) === ZERO ? whole + 1 : this.scanDigits(whole, whole === start ? 'a value' : 'a digit');
    if (this.codeAt(end) === DOT) end = this.scanDigits(end + 1, 'a digit');
    const hasExponent = (this.codeAt(end) | CASE_BIT) === LOWER_E;
    if (hasExponent) {
      const sign = this.codeAt(end + 1);
      end = this.scanDigits(sign === PLUS || sign === MINUS ? end + 2 : end + 1, 'a digit');
    }
    if ((hasExponent || end - start > EXACT_DIGITS) && !isExactNumber(this.text.slice(start, end))) {
      throw numberRefused(this.text, start, end);
    }
    return end;
  }

  private scanDigits(start: number, expected: string): number {
    let at = start;
    for (let code = this.codeAt(at); isDigit(code); code = this.codeAt(at)) at += 1;
    if (at === start) throw this.notJson(at, expected);
    return at;
  }

  private skipSpace(start: number): number {
    let at = start;
    while (isSpace(this.codeAt(at))) at += 1;
    return at;
  }

  // Not charCodeAt alone: one NaN past the end would make every later read slow.
  private codeAt(at: number): number {
    return at < this.text.length ? this.text.charCodeAt(at) : END;
  }

  private notJson(at: number, expected: string): CairnError {
    return notJson(this.text, at, expected);
  }
}

function isSpace(code: number): boolean {
  return code === SPACE || code === 0x0a || code === 0x0d || code === 0x09;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

function isHexDigit(code: number): boolean {
  const lower = code | CASE_BIT;
  return isDigit(code) || (lower >= LOWER_A && lower <= LOWER_F);
}

function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff;
}

/** Takes a number in JSON's grammar. Parsing may change its spelling (`1.0`, `1e2`), but not its decimal value. */
export function isExactNumber(text: string): boolean {
  const value = Number(text);
  if (!Number.isFinite(value)) return false;
  const written = String(value);
  return written === text || plainDecimal(written) === plainDecimal(text);
}

/** The normal form of a decimal: its digits without surrounding zeros, and the exponent of the last digit. */
function plainDecimal(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = whole + fraction;
  let first = 0;
  while (digits[first] === '0') first += 1;
  if (first === digits.length) return '0';
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  const sign = text.startsWith('-') ? '-' : '';
  return `${sign}${digits.slice(first, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}
