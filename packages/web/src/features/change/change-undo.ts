// What takes a commit back right after it was made. It is a commit of its own, and history keeps both.
import { type Base, type Change, operationOf } from './change.ts';
import { inOrder } from './change-order.ts';

/** What became of a change: the name that the record has now, and its version. */
export interface Outcome {
  readonly name: string;
  readonly version?: number | undefined;
}

/** From the last change to the first, where no shape must be back before its records, and nothing is needed before. */
export function undoOf(changes: readonly Change[], outcomes: readonly Outcome[]): readonly object[] {
  const undone = inOrder(changes).map((change, index) => undoOne(change, outcomes[index] ?? change));
  return inOrder(undone.toReversed()).map((change) => {
    if (change.step !== 'rename') return operationOf(change);
    // Whatever was written into it since, its name can be what it was.
    return { operation: 'rename', name: change.name, kind: change.base.kind, newName: change.newName };
  });
}

function undoOne(change: Change, { name, version = 1 }: Outcome): Change {
  if (change.step === 'add') {
    const { kind, data } = change;
    return { step: 'retract', name, base: { kind, version, isActive: true, data }, reason: '' };
  }
  const { data, isActive, reason = '' } = change.base;
  const base: Base = { ...change.base, version, isActive: change.step !== 'retract' };
  if (change.step === 'rename') return { step: 'rename', name, base, newName: change.name };
  return isActive ? { step: 'revise', name, base, data } : { step: 'retract', name, base, reason };
}
