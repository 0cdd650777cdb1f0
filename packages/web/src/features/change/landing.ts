import { splitWref } from '@cairn/model/wref';
import { type Change, isNamed } from './change.ts';

/** The one record or shape that a draft is about. Shapes made for records do not count. */
export function landingOf(changes: readonly Change[]): string | undefined {
  const records = changes.filter((change) => change.step !== 'add' || change.kind !== 'shape');
  const places = new Set((records.length === 0 ? changes : records).map(placeOfChange));
  const [only, ...others] = places;
  return others.length === 0 ? only : undefined;
}

/** Assertions are read on the page of their subject. */
function placeOfChange(change: Change): string | undefined {
  if (change.step === 'rename') return change.newName;
  if (change.step === 'add' && change.about !== undefined) return change.from ?? placeOfTarget(change.about);
  return isNamed(change) ? change.name : undefined;
}

function placeOfTarget(about: string): string | undefined {
  const { orgName, name } = splitWref(about);
  return orgName === undefined && isNamed({ name }) ? name : undefined;
}
