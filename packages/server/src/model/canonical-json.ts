// The stored form of data: RFC 8785 (JCS), one text for each value, so that equal data has an equal hash.
// Takes what JSON.parse made of a text that json-scan.ts let pass, which is where lone surrogates are refused.
// JSON.stringify already writes strings and numbers as the RFC wants them; what is left to do is the order of keys.
import type { CairnError } from '@cairn/protocol/errors';
import { type PointerSegment, toJsonPointer } from '@cairn/protocol/json-locate';
import { nestingRefused } from '@cairn/protocol/json-refusal';

interface CanonicalOptions {
  /** Arrays and objects inside each other; the outermost counts. Keep it in the hundreds: each level is a call. */
  readonly maxDepth?: number;
}

type JsonObject = Record<string, unknown>;

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
    const arranged = Array.isArray(value) ? this.arrangeArray(value) : this.arrangeObject(value as JsonObject);
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

  private arrangeObject(object: JsonObject): JsonObject {
    const keys = Object.keys(object);
    if (!isSorted(keys)) return this.reorder(object, keys.sort(byCodeUnits));
    let copy: JsonObject | undefined;
    for (const key of keys) {
      const arranged = this.arrangeAt(key, object[key]);
      if (arranged === object[key]) continue;
      copy ??= { ...object };
      copy[key] = arranged;
    }
    return copy ?? object;
  }

  private reorder(object: JsonObject, keys: readonly string[]): JsonObject {
    const copy: JsonObject = {};
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
  const object = value as JsonObject;
  const members = Object.keys(object).sort(byCodeUnits);
  return `{${members.map((key) => `${JSON.stringify(key)}:${writeInOrder(object[key])}`).join(',')}}`;
}

// JSON.stringify would leave these out or write null for them: a mistake of the caller, and the hash of something else.
function checkScalar(value: unknown): unknown {
  const kind = typeof value;
  if (kind === 'string' || kind === 'boolean' || value === null || Number.isFinite(value)) return value;
  throw new TypeError(`JSON has no ${kind === 'number' ? value : kind}`);
}
