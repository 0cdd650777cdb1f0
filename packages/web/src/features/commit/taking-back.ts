// Reverts an older commit as drafted changes. Later edits stay; overlapping ones become conflicts.
import { pinWref } from '@cairn/model/wref';
import type { OperationResult, RecordItem } from '@cairn/sdk';
import { baseOf, type Change, type TakenBack } from '../change/change.ts';
import { contestedOf, merged, sidesAtFirst } from '../change/followed.ts';
import { partsOf, wholeOf } from '../shape/shape-limit.ts';
import { namesAfter } from './commit.ts';

export interface TakingBack {
  readonly changes: readonly Change[];
  readonly gone: readonly string[];
}

export type Get = (wref: string, atRepoSeq?: number) => Promise<RecordItem | undefined>;

/** References go before their targets. */
export async function takingBackOf(
  get: Get,
  repoSeq: number,
  operations: readonly OperationResult[],
): Promise<TakingBack> {
  const done = operations.filter(({ status }) => status === 'applied');
  const names = namesAfter(done);
  const namesOf = (step: string) => new Set(names.filter((_, index) => done[index]?.operation === step));
  const [added, renamed] = [namesOf('add'), namesOf('rename')];
  const found = await Promise.all(
    [...new Set(names.toReversed())].map(async (name) => {
      const sides = await findSides(get, repoSeq, name);
      // Without the state before, only additions can be undone.
      const isKnown = sides !== undefined && (sides.before !== undefined || added.has(name));
      return !isKnown ? { gone: [name] } : { changes: changesOf(sides, repoSeq, renamed.has(name)) };
    }),
  );
  return {
    changes: found.flatMap(({ changes = [] }) => changes),
    gone: found.flatMap(({ gone = [] }) => gone),
  };
}

/** A record before the commit (unless that made it), after it, and now. */
export interface Sides {
  readonly before: RecordItem | undefined;
  readonly written: RecordItem;
  readonly head: RecordItem;
  readonly nameBefore: string | undefined;
  readonly nameWritten: string;
}

/** Reads by durable ID and version, so that references have their present names. */
async function findSides(get: Get, repoSeq: number, name: string): Promise<Sides | undefined> {
  const then = await get(name, repoSeq);
  if (then === undefined) return undefined;
  const { durableId } = then;
  const [head, earlier] = await Promise.all([get(durableId), repoSeq === 1 ? undefined : get(durableId, repoSeq - 1)]);
  if (head === undefined) return undefined;
  const versionOf = (version: number) => (version === head.version ? head : get(pinWref(durableId, version)));
  const [written, before] = await Promise.all([
    versionOf(then.version),
    earlier === undefined ? undefined : versionOf(earlier.version),
  ]);
  if (written === undefined) return undefined;
  return { before, written, head, nameBefore: earlier?.name, nameWritten: then.name };
}

export function changesOf(sides: Sides, repoSeq: number, isRenamed: boolean): readonly Change[] {
  const { written, head } = sides;
  const isChangedSince = head.version !== written.version;
  const takenBack: TakenBack = {
    repoSeq,
    version: written.version,
    ...(isChangedSince && {
      since: { version: head.version, createdBy: head.createdBy, createdAt: head.versionCreatedAt },
    }),
  };
  return [dataChange(sides, takenBack), isRenamed ? nameChange(sides, takenBack) : undefined].filter(
    (change) => change !== undefined,
  );
}

function dataChange({ before, written, head }: Sides, takenBack: TakenBack): Change | undefined {
  const { name } = head;
  if (before?.version === written.version) return undefined;
  if (before === undefined || !before.active) {
    if (!head.active) return undefined;
    return {
      step: 'retract',
      name,
      base: baseOf(head),
      reason: before?.reason ?? `Reverts commit ${takenBack.repoSeq}`,
      takenBack,
    };
  }
  const { data } = before;
  if (takenBack.since === undefined) return { step: 'revise', name, base: baseOf(head), data, takenBack };
  const parts = (whole: unknown) => partsOf(head.kind, whole);
  const contested = contestedOf(parts(written.active ? written.data : data), parts(data), parts(head.data));
  if (!head.active || contested.some(({ changedBy }) => changedBy === 'both')) {
    // At the commit's version this shows as a conflict with later edits.
    return { step: 'revise', name, base: baseOf(written), data, takenBack };
  }
  if (contested.every(({ changedBy }) => changedBy === 'them')) return undefined;
  return {
    step: 'revise',
    name,
    base: baseOf(head),
    data: wholeOf(head.kind, merged(parts(data), parts(head.data), sidesAtFirst(contested))),
    takenBack,
  };
}

function nameChange({ head, nameBefore, nameWritten }: Sides, takenBack: TakenBack): Change | undefined {
  if (nameBefore === undefined || nameBefore === nameWritten) return undefined;
  const newName = head.name.includes('/') ? `${shapeOf(head.name)}/${ownOf(nameBefore)}` : nameBefore;
  if (newName === head.name) return undefined;
  const isRenamedSince = ownOf(head.name) !== ownOf(nameWritten);
  return {
    step: 'rename',
    name: head.name,
    base: baseOf(head),
    newName,
    takenBack: { ...takenBack, ...(isRenamedSince && { nameWritten }) },
  };
}

const shapeOf = (name: string): string => name.slice(0, name.indexOf('/'));
const ownOf = (name: string): string => name.slice(name.indexOf('/') + 1);
