import { splitWref } from '@cairn/model/wref';
import { queryOptions } from '@tanstack/react-query';
import { repositoryKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import type { Sight } from '../../app/sight.ts';
import type { DraftedCommit } from '../commit/commit.ts';
import {
  type Base,
  type Change,
  inOrder,
  isNamed,
  messageOf,
  operationOf,
  operationsOf,
  takeBackMessage,
} from './change.ts';

export const draftCheck = (sight: Sight, changes: readonly Change[]) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'draft-check', 'now', changes],
    queryFn: ({ signal }) =>
      client.commit.validate(sight.orgName, sight.repoName, {
        signal,
        atomic: false,
        operations: operationsOf(changes),
      }),
    enabled: changes.length > 0,
    staleTime: 0,
  });

export interface Committed {
  readonly repoSeq: number;
  readonly changes: readonly Change[];
  readonly undo: readonly object[];
}

export async function commitDraft(sight: Sight, changes: readonly Change[], message: string): Promise<Committed> {
  const written = writtenOf(changes, message);
  const { repoSeq, operations } = await client.commit.submit(sight.orgName, sight.repoName, written);
  return { repoSeq, changes, undo: undoOf(changes, operations) };
}

export const writtenOf = (changes: readonly Change[], message: string): DraftedCommit => ({
  message: message.trim() || messageOf(changes),
  operations: operationsOf(changes),
});

export async function takeBack(sight: Sight, { repoSeq, undo }: Committed): Promise<number> {
  const answer = await client.commit.submit(sight.orgName, sight.repoName, {
    operations: undo,
    message: takeBackMessage([repoSeq]),
  });
  return answer.repoSeq;
}

// Undoing a commit right after it was made creates a new commit.

export interface ChangeOutcome {
  readonly name: string;
  readonly version?: number | undefined;
}

/** Reversed order, with shapes restored before their records. */
export function undoOf(changes: readonly Change[], outcomes: readonly ChangeOutcome[]): readonly object[] {
  const undone = inOrder(changes).map((change, index) => undoOne(change, outcomes[index] ?? change));
  return inOrder(undone.toReversed()).map((change) => {
    if (change.step !== 'rename') return operationOf(change);
    // The rename needs no version: the data may have changed since.
    return { operation: 'rename', name: change.name, kind: change.base.kind, newName: change.newName };
  });
}

function undoOne(change: Change, { name, version = 1 }: ChangeOutcome): Change {
  if (change.step === 'add') {
    const { kind, data } = change;
    return { step: 'retract', name, base: { kind, version, isActive: true, data }, reason: '' };
  }
  const { data, isActive, reason = '' } = change.base;
  const base: Base = { ...change.base, version, isActive: change.step !== 'retract' };
  if (change.step === 'rename') return { step: 'rename', name, base, newName: change.name };
  return isActive ? { step: 'revise', name, base, data } : { step: 'retract', name, base, reason };
}

/** The only record or shape that a draft is about. Shapes made for records do not count. */
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
