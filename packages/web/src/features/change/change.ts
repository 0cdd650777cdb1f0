// Changes that are not committed yet.
import type { CollectionType } from '@cairn/model/collection';
import { splitWref } from '@cairn/model/wref';
import type { Operation, RecordItem } from '@cairn/sdk';
import { membersOf, NAME_MOST } from '../record/wref.ts';
import { calledOf } from '../repository/repository-text.ts';

type Kind = RecordItem['kind'];

export interface Base {
  readonly kind: Kind;
  readonly version: number;
  readonly isActive: boolean;
  readonly reason?: string | undefined;
  readonly data: unknown;
}

export interface Added {
  readonly step: 'add';
  readonly kind: Kind;
  readonly name: string;
  readonly data: unknown;
  readonly about?: string | undefined;
  readonly from?: string | undefined;
  readonly collection?: CollectionType | undefined;
}

export interface TakenBack {
  readonly repoSeq: number;
  readonly version: number;
  readonly since?: { readonly version: number; readonly createdBy: string; readonly createdAt: number };
  readonly nameWritten?: string;
}

export interface Revised {
  readonly step: 'revise';
  readonly name: string;
  readonly base: Base;
  readonly data: unknown;
  readonly takenBack?: TakenBack;
}

interface Retracted {
  readonly step: 'retract';
  readonly name: string;
  readonly base: Base;
  readonly reason: string;
  readonly takenBack?: TakenBack;
}

interface Renamed {
  readonly step: 'rename';
  readonly name: string;
  readonly base: Base;
  readonly newName: string;
  readonly takenBack?: TakenBack;
}

export type Change = Added | Revised | Retracted | Renamed;

/** A record has at most one data change and one name change. */
export const changeKey = ({ step, name }: Pick<Change, 'step' | 'name'>): string =>
  `${step === 'rename' ? 'name' : 'data'} ${name}`;

export function withChange(changes: readonly Change[], change: Change): readonly Change[] {
  const key = changeKey(change);
  const before = changes.find((one) => changeKey(one) === key);
  if (before === undefined) return [...changes, change];
  return changes.map((one) => (one === before ? change : one));
}

export const withoutChanges = (changes: readonly Change[], dropped: readonly Change[]): readonly Change[] => {
  const keys = new Set(dropped.map(changeKey));
  return changes.filter((one) => !keys.has(changeKey(one)));
};

export function withRestored(
  changes: readonly Change[],
  dropped: readonly Change[],
  before: readonly Change[],
): readonly Change[] {
  const now = new Map(changes.map((one) => [changeKey(one), one]));
  const known = before.flatMap((one) => now.get(changeKey(one)) ?? (dropped.includes(one) ? [one] : []));
  return [...known, ...withoutChanges(changes, known)];
}

/** Concurrent edits are detected by the expected version. */
export function operationOf(change: Change, others: readonly Change[] = []): Operation | object {
  const { step, name } = change;
  if (step === 'add') return addOf(change);
  const { kind, version } = change.base;
  const expected = { kind, expectedVersion: version };
  if (step === 'retract') {
    return { operation: step, name, ...expected, ...(change.reason !== '' && { reason: change.reason }) };
  }
  if (step === 'revise') return { operation: step, name, ...expected, data: change.data };
  const isChangedToo = others.some((one) => one.name === name && one.step !== 'rename');
  return { operation: step, name, newName: change.newName, ...(isChangedToo ? { kind } : expected) };
}

function addOf({ kind, name, data, about, collection }: Added): object {
  if (collection === undefined) return { operation: 'add', kind, name, ...(about !== undefined && { about }), data };
  const named = isNamed({ name }) && { name };
  return { operation: 'add', kind, type: collection, ...named, members: membersOf(collection, data) };
}

export const operationsOf = (changes: readonly Change[]): readonly object[] =>
  inOrder(changes).map((change) => operationOf(change, changes));

export const baseOf = ({ kind, version, active, reason, data }: RecordItem): Base => ({
  kind,
  version,
  isActive: active,
  ...(reason !== undefined && { reason }),
  data,
});

/** Turns an addition into a revision of the record that exists now, if that is of the same kind and subject. */
export function revisionOf({ kind, name, data, about, collection }: Added, head: RecordItem): Revised | undefined {
  const isSame = kind === head.kind && collection === undefined;
  const isAboutSame = about === undefined || splitWref(about).name === splitWref(head.aboutWref ?? '').name;
  return isSame && isAboutSame && !head.purged ? { step: 'revise', name, base: baseOf(head), data } : undefined;
}

const STEPS = { add: 'Add', revise: 'Revise', retract: 'Retract' } as const;

export function titleOf(change: Change): string {
  if (change.step === 'rename') return `Rename ${calledOf(change.name)} to ${change.newName}`;
  if (change.step === 'revise' && !change.base.isActive) return `Restore ${calledOf(change.name)}`;
  return `${STEPS[change.step]} ${isNamed(change) ? calledOf(change.name) : unnamed(change)}`;
}

export const amountOf = ({ length }: readonly Change[]): string =>
  length === 1 ? '1 change is' : `${length} changes are`;

export function restoredText(restored: readonly Change[], taken: readonly Change[]): string {
  const back = restored.length === 0 ? [] : [`${amountOf(restored)} back in your draft.`];
  const others = taken.map((change) => `Not restored: ${titleOf(change)}. Your draft now has another change to it.`);
  return [...back, ...others].join(' ');
}

/** `$1` asks the server for a name. */
export const isNamed = ({ name }: Pick<Change, 'name'>): boolean => !/\$\d+$/.test(name);

export function unusedPlaceholder(changes: readonly Change[]): string {
  const used = new Set(changes.map(({ name }) => name.split('/').at(-1)));
  let number = 1;
  while (used.has(`$${number}`)) number += 1;
  return `$${number}`;
}

function unnamed(change: Change): string {
  const what = change.step === 'add' && change.collection !== undefined ? change.collection : change.name.split('/')[0];
  return `${/^[aeiou]/i.test(what ?? '') ? 'an' : 'a'} ${what}`;
}

/** Shapes first and renames last, each change after those that it needs. Cycles keep their order. */
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
  const users = new Map([...takers.keys()].map((name): [string, Change[]] => [name, []]));
  const used = new Map(changes.map((change) => [change, namesUsed(change)]));
  for (const [change, names] of used) for (const name of names) users.get(name)?.push(change);
  return (change) => {
    const [made, taken] = [madeBy(change), takenBy(change)];
    const before = [...(used.get(change) ?? [])].map((name) => makers.get(name));
    const freed = made === undefined ? undefined : takers.get(made);
    // A name that one change frees and another takes means the new record.
    const last = taken === undefined || makers.has(taken) ? [] : (users.get(taken) ?? []);
    return [...before, freed, ...last].filter((one) => one !== undefined && one !== change) as Change[];
  };
}

const pairWith = (name: string | undefined, change: Change): [string, Change][] =>
  name === undefined || name === '' ? [] : [[name, change]];

function madeBy(change: Change): string | undefined {
  if (change.step === 'rename') return change.newName;
  return change.step === 'add' || (change.step === 'revise' && !change.base.isActive) ? change.name : undefined;
}

const takenBy = ({ step, name }: Change): string | undefined =>
  step === 'rename' || step === 'retract' ? name : undefined;

/** Any text may be a reference; only names of the draft matter here. */
function namesUsed(change: Change): ReadonlySet<string> {
  const names = new Set<string>();
  const [shapeName, ...own] = change.name.split('/');
  if (own.length > 0 && shapeName !== undefined) names.add(shapeName);
  if (change.step === 'revise' || change.step === 'retract') names.add(change.name);
  if (change.step === 'add' && change.about !== undefined) names.add(splitWref(change.about).name);
  if (change.step === 'add' || change.step === 'revise') addTexts(change.data, names);
  return names;
}

function addTexts(data: unknown, names: Set<string>): void {
  if (typeof data === 'string' && data.length <= NAME_MOST) names.add(splitWref(data).name);
  if (typeof data === 'object' && data !== null) for (const part of Object.values(data)) addTexts(part, names);
}

export function messageOf(changes: readonly Change[]): string {
  const others = changes.filter((change) => takenBackBy(change) === undefined);
  const back = [...new Set(changes.flatMap((change) => takenBackBy(change) ?? []))].sort((one, other) => one - other);
  if (back.length === 0) return toldOf(others);
  return others.length === 0 ? takeBackMessage(back) : `${toldOf(others)}; reverts ${commitsOf(back)}`;
}

export const takeBackMessage = (repoSeqs: readonly number[]): string => `Revert ${commitsOf(repoSeqs)}`;

const commitsOf = (repoSeqs: readonly number[]): string =>
  `${repoSeqs.length === 1 ? 'commit' : 'commits'} ${repoSeqs.join(', ')}`;

const takenBackBy = (change: Change): number | undefined =>
  change.step === 'add' ? undefined : change.takenBack?.repoSeq;

function toldOf([first, ...others]: readonly Change[]): string {
  if (first === undefined) return '';
  return others.length === 0 ? whyOf(first) : `${titleOf(first)}, and ${others.length} more`;
}

function whyOf(change: Change): string {
  const [reason = ''] = change.step === 'retract' ? change.reason.trim().split('\n') : [];
  return reason === '' ? titleOf(change) : `${titleOf(change)}: ${reason}`;
}
