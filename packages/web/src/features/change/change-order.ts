// The order in which the changes of a draft are committed. People make them in any order; the server takes them one after the
// other, and must find what each names.

import { NAME_MOST, placeOf } from '../record/wref.ts';
import type { Change } from './change.ts';

/**
 * Shapes come first, and names change last, so that all else can use those of now; otherwise they are as they were made. What a
 * change needs comes before it, wherever that stands. Where two need each other, they are as they were.
 */
export function inOrder(changes: readonly Change[]): readonly Change[] {
  const needsOf = findNeeds(changes);
  const ordered = new Set<Change>();
  const begun = new Set<Change>();
  const place = (change: Change) => {
    if (begun.has(change)) return;
    begun.add(change);
    needsOf(change).forEach(place);
    ordered.add(change);
  };
  changes.toSorted((one, other) => rankOf(one) - rankOf(other)).forEach(place);
  return [...ordered];
}

function rankOf(change: Change): number {
  if (change.step === 'rename') return 2;
  const kind = change.step === 'add' ? change.kind : change.base.kind;
  return kind === 'shape' && change.step !== 'retract' ? 0 : 1;
}

function findNeeds(changes: readonly Change[]): (change: Change) => readonly Change[] {
  const makers = new Map(changes.flatMap((change) => pairWith(madeBy(change), change)));
  const takers = new Map(changes.flatMap((change) => pairWith(takenBy(change), change)));
  /** Of names that are not there any more afterwards: who uses them. */
  const users = new Map([...takers.keys()].map((name): [string, Change[]] => [name, []]));
  const used = new Map(changes.map((change) => [change, namesUsed(change)]));
  for (const [change, names] of used) for (const name of names) users.get(name)?.push(change);
  return (change) => {
    const [made, taken] = [madeBy(change), takenBy(change)];
    const before = [...(used.get(change) ?? [])].map((name) => makers.get(name));
    const freed = made === undefined ? undefined : takers.get(made);
    // A name that one gives up and another takes means the other.
    const last = taken === undefined || makers.has(taken) ? [] : (users.get(taken) ?? []);
    return [...before, freed, ...last].filter((one) => one !== undefined && one !== change) as Change[];
  };
}

const pairWith = (name: string | undefined, change: Change): [string, Change][] =>
  name === undefined || name === '' ? [] : [[name, change]];

/** What can be referred to afterwards, and could not be before. */
function madeBy(change: Change): string | undefined {
  if (change.step === 'rename') return change.newName;
  return change.step === 'add' || (change.step === 'revise' && !change.base.isActive) ? change.name : undefined;
}

/** What cannot be referred to any more. */
const takenBy = ({ step, name }: Change): string | undefined =>
  step === 'rename' || step === 'retract' ? name : undefined;

/** Every text of the data that could be one: which are references, the shape knows, and the names of the draft tell enough. */
function namesUsed(change: Change): ReadonlySet<string> {
  const names = new Set<string>();
  const [shapeName, ...own] = change.name.split('/');
  if (own.length > 0 && shapeName !== undefined) names.add(shapeName);
  if (change.step === 'revise' || change.step === 'retract') names.add(change.name);
  if (change.step === 'add' && change.about !== undefined) names.add(placeOf(change.about).name);
  if (change.step === 'add' || change.step === 'revise') addTexts(change.data, names);
  return names;
}

function addTexts(data: unknown, names: Set<string>): void {
  if (typeof data === 'string' && data.length <= NAME_MOST) names.add(placeOf(data).name);
  if (typeof data === 'object' && data !== null) for (const part of Object.values(data)) addTexts(part, names);
}
