// What takes a commit back that was made some time ago, as changes to be looked at before they are committed.
import type { OperationResult, RecordItem } from '@cairn/sdk';
import { client } from '../app/session.ts';
import type { Sight } from '../app/sight.ts';
import { baseOf, type Change } from './change.ts';
import { pinned } from './wref.ts';

/** A larger one is no work for a page. */
export const TAKEN_BACK_MOST = 200;

/** From its last operation to its first: of a record that it changed twice, what was before both stays. */
export async function changesToTakeBack(sight: Sight, repoSeq: number): Promise<readonly Change[]> {
  const { operations } = await client.commit.get(sight.orgName, sight.repoName, repoSeq);
  const done = operations.filter(({ status }) => status === 'applied').reverse();
  const changes = await Promise.all(done.map((operation) => changeFor(sight, repoSeq, operation)));
  return changes.filter((change) => change !== undefined);
}

async function changeFor(sight: Sight, repoSeq: number, operation: OperationResult): Promise<Change | undefined> {
  const { name, submittedName, version = 1 } = operation;
  const head = await read(sight, name);
  const base = baseOf(head);
  const retract: Change = { step: 'retract', name: head.name, base, reason: `Commit ${repoSeq} is taken back` };
  if (operation.operation === 'add') return head.active ? retract : undefined;
  if (operation.operation === 'rename') {
    return submittedName === undefined ? undefined : { step: 'rename', name: head.name, base, newName: submittedName };
  }
  const before = await read(sight, pinned(name, version - 1));
  if (!before.active) return head.active ? retract : undefined;
  return { step: 'revise', name: head.name, base, data: before.data };
}

const read = ({ orgName, repoName }: Sight, wref: string): Promise<RecordItem> =>
  client.thing.get(orgName, repoName, wref, { includeRetracted: true });
