// The request for a list of records, after names are resolved and conditions parsed.

import { compareText } from '@cairn/model/text-range';
import type { Order, WhereOp } from '@cairn/protocol/read';
import type { RecordItem } from '@cairn/protocol/record';
import type { Reader } from '../../engine/database.ts';
import type { SearchWord } from '../../search/search-text.rule.ts';
import type { FollowElsewhere } from '../hidden-target.sql.ts';

/** A record in any repository; without a version, any version matches. */
export interface PointedRecord {
  readonly repoId: number;
  readonly recordId: number;
  readonly version?: number | undefined;
}

interface FieldPlace {
  readonly pointer: string;
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
  /** Roles in which a collection counts as containing the target; empty excludes collections. */
  readonly memberRoles: readonly string[];
  readonly depth: number;
}

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
  readonly follow?: FollowElsewhere | undefined;
}

export type ListOrder = Order | 'best';

export type Position = readonly (string | number)[];

export interface Candidate {
  readonly recordId: number;
  readonly position: Position;
}

export interface Candidates {
  readonly found: readonly Candidate[];
  readonly done: boolean;
}

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
