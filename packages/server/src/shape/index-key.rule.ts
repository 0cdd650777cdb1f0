// Encodes indexed values as bytes that sort like the values on both engines, so one index holds all types.
import type { Identity } from '@cairn/model/wref';

const TAG = { boolean: 0x10, number: 0x20, string: 0x30, reference: 0x40 };
/** Longer strings share a key, so lookups must compare the data itself. */
const INDEXED_TEXT_BYTES_MAX = 256;

/** A reference is indexed by its identity, not by its text. */
export function indexKey(value: unknown, reference?: Identity): Uint8Array | undefined {
  if (reference !== undefined) return referenceKey(reference);
  if (typeof value === 'number') return numberKey(value);
  if (typeof value === 'string') return textKey(value);
  if (typeof value === 'boolean') return new Uint8Array([TAG.boolean, value ? 1 : 0]);
  return undefined;
}

/** A double's bits sort like the number once the sign bit is flipped, and all bits of negative numbers. */
function numberKey(value: number): Uint8Array {
  const key = new Uint8Array(9);
  const view = new DataView(key.buffer);
  view.setFloat64(1, value === 0 ? 0 : value);
  if (value < 0) for (let at = 1; at < 9; at++) view.setUint8(at, ~view.getUint8(at) & 0xff);
  else view.setUint8(1, view.getUint8(1) ^ 0x80);
  view.setUint8(0, TAG.number);
  return key;
}

// UTF-8 sorts by code points.
function textKey(value: string): Uint8Array {
  const text = Buffer.from(value.slice(0, INDEXED_TEXT_BYTES_MAX));
  const key = new Uint8Array(1 + Math.min(text.length, INDEXED_TEXT_BYTES_MAX));
  key[0] = TAG.string;
  key.set(text.subarray(0, INDEXED_TEXT_BYTES_MAX), 1);
  return key;
}

/** Six bytes each for repository, record and version, so that all versions of a record are adjacent. */
function referenceKey({ repoId, recordId, version }: Identity): Uint8Array {
  const key = Buffer.alloc(19);
  key.writeUInt8(TAG.reference);
  key.writeUIntBE(repoId, 1, 6);
  key.writeUIntBE(recordId, 7, 6);
  key.writeUIntBE(version, 13, 6);
  return Uint8Array.from(key);
}
