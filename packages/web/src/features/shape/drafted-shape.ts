// Shapes that are only in the draft yet: their records can be drafted beside them, and are committed with them.
import type { Change } from '../change/change.ts';
import { isObject } from './declaration.ts';

/** The names of those that the draft adds. */
export const addedShapes = (changes: readonly Change[]): readonly string[] =>
  changes.flatMap((change) => (change.step === 'add' && change.kind === 'shape' ? [change.name] : []));

/** The field set that a shape will have, where the draft adds or revises it. */
export function draftedFields(changes: readonly Change[], shapeName: string | undefined): unknown {
  const drafted = changes.find((change) => {
    if (change.name !== shapeName) return false;
    return change.step === 'add' ? change.kind === 'shape' : change.step === 'revise' && change.base.kind === 'shape';
  });
  return drafted !== undefined && 'data' in drafted && isObject(drafted.data) ? drafted.data.fields : undefined;
}
