// Where who has committed a draft goes on.

import { splitWref } from '@cairn/model/wref';
import { type Change, isNamed } from './change.ts';

/**
 * The one record or shape that the draft was for, by its name. Shapes that were made for records go with them; `undefined` where
 * there are several, or where the server gives the name.
 */
export function landingOf(changes: readonly Change[]): string | undefined {
  const records = changes.filter((change) => change.step !== 'add' || change.kind !== 'shape');
  const places = new Set((records.length === 0 ? changes : records).map(placeOfChange));
  const [only, ...others] = places;
  return others.length === 0 ? only : undefined;
}

/** What is said is read where it is said: on the page of what it is about, or on the one that it was begun from. */
function placeOfChange(change: Change): string | undefined {
  if (change.step === 'rename') return change.newName;
  if (change.step === 'add' && change.about !== undefined) return change.from ?? placeOfTarget(change.about);
  return isNamed(change) ? change.name : undefined;
}

/** Only where it is in this repository. */
function placeOfTarget(about: string): string | undefined {
  const { orgName, name } = splitWref(about);
  return orgName === undefined && isNamed({ name }) ? name : undefined;
}
