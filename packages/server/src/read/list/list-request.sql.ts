// What a list of records is asked for, once names have been looked up and conditions have been read.
import type { Order, WhereOp } from '@cairn/protocol/read';
import type { RecordItem } from '@cairn/protocol/record';
import type { Reader } from '../../engine/database.ts';
import { compareText } from '@cairn/model/text-range';
import type { SearchWord } from '../../search/search-text.rule.ts';
import type { FollowElsewhere } from '../hidden-target.sql.ts';

/** A record that is pointed to, in any repository; without a version, whichever of them. */
export interface PointedRecord {
  readonly repoId: number;
  readonly recordId: number;
  readonly version?: number | undefined;
}

interface FieldPlace {
  /** A JSON pointer. */
  readonly pointer: string;
  /** The same in steps, through objects alone. */
  readonly tokens: readonly string[];
}

export type FieldCondition = FieldPlace & { readonly op: WhereOp } & (
    | { readonly type: 'number'; readonly values: readonly number[] }
    | { readonly type: 'string'; readonly values: readonly string[] }
    | { readonly type: 'boolean'; readonly values: readonly boolean[] }
    | { readonly type: 'wref'; readonly values: readonly PointedRecord[]; readonly exists?: boolean | undefined }
    | { readonly type: 'any'; readonly exists: boolean }
  );

export interface AboutCondition {
  readonly target: PointedRecord;
  /** The places of a collection in which it counts as one that contains the target; none: collections do not count. */
  readonly memberRoles: readonly string[];
  /** How many levels of assertions about assertions. */
  readonly depth: number;
}

/** A shape by its name at the sequence read. */
export interface ChosenShape {
  readonly shapeId: number;
  readonly name: string;
}

export interface RecordFilter {
  readonly atRepoSeq: number;
  readonly shape?: ChosenShape | undefined;
  readonly kind?: RecordItem['kind'] | undefined;
  readonly match?: string | undefined;
  readonly where: readonly FieldCondition[];
  readonly about?: AboutCondition | undefined;
  readonly search?: readonly SearchWord[] | undefined;
  readonly includeRetracted: boolean;
  /** For pointers into other repositories. */
  readonly follow?: FollowElsewhere | undefined;
}

/** With words to search for, those that stand in the name first, and then what is newest. */
export type ListOrder = Order | 'best';

/** The sort key of a record in its list. */
export type Position = readonly (string | number)[];

/** A record that may be in the list, at its place in it. */
export interface Candidate {
  readonly recordId: number;
  readonly position: Position;
}

export interface Candidates {
  readonly found: readonly Candidate[];
  /** Whether there are none beyond. */
  readonly done: boolean;
}

/** Goes through records in the order of a list. What it finds is held against the filter afterwards. */
export interface Walk {
  next(reader: Reader, after: Position | undefined, limit: number): Promise<Candidates>;
}

export function comparePositions(a: Position, b: Position): number {
  for (const [index, part] of a.entries()) {
    const other = b[index] ?? 0;
    const difference =
      typeof part === 'number' && typeof other === 'number' ? part - other : compareText(String(part), String(other));
    if (difference !== 0) return difference;
  }
  return 0;
}
