// What the operations of a commit did, as people read it.
import type { OperationResult } from '@cairn/sdk';

type Named = Pick<OperationResult, 'operation' | 'name' | 'submittedName'>;

const DONE: Readonly<Record<string, string>> = {
  add: 'added',
  revise: 'revised',
  retract: 'retracted',
  rename: 'renamed',
};

export const doneBy = ({ operation }: Pick<OperationResult, 'operation'>): string => DONE[operation] ?? operation;

/** `3 added, 1 renamed`. */
export function summaryOf(operations: readonly Pick<OperationResult, 'operation'>[]): string {
  const groups = Map.groupBy(operations, doneBy);
  return [...groups].map(([done, { length }]) => `${length.toLocaleString('en')} ${done}`).join(', ');
}

/** What the record of each operation is called when the commit is over: a later operation may have renamed it. */
export function namesAfter(operations: readonly Named[]): readonly string[] {
  // By a name at the place that the walk has come to, from the end: what its record is called in the end.
  const last = new Map<string, string>();
  return operations
    .toReversed()
    .map(({ operation, name, submittedName }) => {
      const final = last.get(name) ?? name;
      if (operation === 'add' || operation === 'rename') last.delete(name);
      if (operation === 'rename' && submittedName !== undefined) last.set(submittedName, final);
      return final;
    })
    .toReversed();
}
