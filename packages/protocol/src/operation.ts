// Operations as callers write them, and whether a commit was applied in part. Without zod; the server checks what it is sent.
import type { OperationResult } from './commit.ts';
import type { COLLECTION_TYPES, RECORD_KINDS } from './vocabulary.ts';

/** One step of a commit. A wref is text: `Location/cave`, `Location/cave@v3`, a durable ID, or `#1` for what `$1` made. */
export type Operation =
  | AddThing
  | AddShape
  | AddAssertion
  | AddCollection
  | ReviseRecord
  | ReviseMembers
  | RetractRecord
  | RenameRecord;

interface Add {
  readonly operation?: 'add' | undefined;
  /** A record that exists is left as it is, instead of refused. */
  readonly skipExisting?: boolean | undefined;
}

interface AddThing extends Add {
  readonly kind?: 'thing' | undefined;
  /** `Shape/name`; `$1` in its last part asks the server for a unique value. */
  readonly name: string;
  readonly data: object;
}

interface AddShape extends Add {
  readonly kind: 'shape';
  readonly name: string;
  readonly data: { readonly fields: object; readonly description?: string | undefined };
}

interface AddAssertion extends Add {
  readonly kind?: 'assertion' | undefined;
  readonly name: string;
  /** The wref of what it is about. */
  readonly about: string;
  readonly data: object;
}

interface AddCollection extends Add {
  readonly kind?: 'collection' | undefined;
  readonly type: (typeof COLLECTION_TYPES)[number];
  /** Derived from the members where it is left out. */
  readonly name?: string | undefined;
  /** Wrefs, in order. */
  readonly members: readonly string[];
}

interface Change {
  /** The name of the record, its durable ID, or `#1` for what `$1` made. */
  readonly name: string;
  /** Refuses the operation when the record is of another kind. */
  readonly kind?: (typeof RECORD_KINDS)[number] | undefined;
  /** Refuses the operation when the record is at another version. */
  readonly expectedVersion?: number | undefined;
}

interface ReviseRecord extends Change {
  readonly operation: 'revise';
  /** The whole new data. */
  readonly data: object;
}

interface ReviseMembers extends Change {
  readonly operation: 'revise';
  /** All members of the collection, in order. */
  readonly members: readonly string[];
}

interface RetractRecord extends Change {
  readonly operation: 'retract';
  readonly reason?: string | undefined;
}

interface RenameRecord extends Change {
  readonly operation: 'rename';
  readonly newName: string;
}

export function isPartial(operations: readonly OperationResult[]): boolean {
  const has = (wanted: OperationResult['status']) => operations.some(({ status }) => status === wanted);
  return has('applied') && has('error');
}
