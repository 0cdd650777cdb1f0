// A moment in a repository's history: right after an operation of a commit.

export interface Moment {
  readonly seq: number;
  /** The index of the operation; infinity for the end of the commit. */
  readonly op: number;
}

export function isSooner(a: Moment, b: Moment): boolean {
  return a.seq < b.seq || (a.seq === b.seq && a.op < b.op);
}

export function momentOf({ from_seq, op_index }: { from_seq: number; op_index: number }): Moment {
  return { seq: from_seq, op: op_index };
}
