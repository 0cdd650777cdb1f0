// Where in the index of a field the values that fulfil a condition lie. Long texts share a key with others: what is found
// there is held against the condition itself.

import type { Grant } from '../../access/grant.rule.ts';
import type { Reader } from '../../engine/database.ts';
import { indexKey } from '../../shape/index-key.rule.ts';
import type { FieldCondition, PointedRecord } from './list-request.sql.ts';

/** From the first key to before the last. */
export interface KeyRange {
  readonly from: Uint8Array;
  readonly to: Uint8Array;
  /** Whether it holds one key alone, whose records lie in the order of their creation. */
  readonly single: boolean;
}

/** `undefined` where the index does not help: most records fulfil the condition, or those without a value do. */
export function keyRanges(condition: FieldCondition): KeyRange[] | undefined {
  const { op } = condition;
  if (condition.type === 'any' || op === 'ne' || op === 'exists') return undefined;
  if (condition.type === 'wref') return condition.values.map(pointedRange);
  const keys = condition.values.flatMap((value) => indexKey(value) ?? []);
  if (op === 'eq' || op === 'in') return keys.map((from) => ({ from, to: next(from), single: true }));
  return keys.map((key) => ({ ...rangeOf(op, key), single: false }));
}

function rangeOf(op: FieldCondition['op'], key: Uint8Array): Pick<KeyRange, 'from' | 'to'> {
  const tag = key.slice(0, 1);
  switch (op) {
    case 'gt':
    case 'gte':
      return { from: key, to: end(tag) };
    case 'prefix':
      return { from: key, to: end(key) };
    default:
      return { from: tag, to: next(key) };
  }
}

function pointedRange(target: PointedRecord): KeyRange {
  const { version } = target;
  if (version !== undefined) {
    const key = keyOf(target, version);
    return { from: key, to: next(key), single: true };
  }
  // All versions of a record lie side by side.
  return { from: keyOf(target, 0), to: keyOf({ ...target, recordId: target.recordId + 1 }, 0), single: false };
}

function keyOf({ repoId, recordId }: PointedRecord, version: number): Uint8Array {
  return indexKey('', { repoId, recordId, version }) ?? new Uint8Array();
}

/** The key right after. */
const next = (key: Uint8Array) => Uint8Array.from([...key, 0]);

/** The first key after all that begin with this one. */
function end(key: Uint8Array): Uint8Array {
  const last = key.findLastIndex((byte) => byte < 0xff);
  return Uint8Array.from([...key.slice(0, last), (key[last] ?? 0) + 1]);
}

/** The index of a field, where there is one that is complete, at the sequence. */
export async function findFieldIndex(
  reader: Reader,
  { repoId }: Grant,
  { shapeId, pointer, atRepoSeq }: { shapeId: number; pointer: string; atRepoSeq: number },
): Promise<number | undefined> {
  const [row] = await reader.query<{ field_id: number }>(
    `select field_id from shape_field where repo_id = $1 and shape_id = $2 and path = $3 and built_to is null
     and from_seq <= $4 and (to_seq is null or to_seq > $4) order by field_id desc limit 1`,
    [repoId, shapeId, pointer, atRepoSeq],
  );
  return row?.field_id;
}
