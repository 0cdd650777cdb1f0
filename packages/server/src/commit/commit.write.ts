// A commit: all operations or none (or each by itself), one sequence, one transaction. The number of statements on
// PostgreSQL does not depend on the number of operations.
import type { CommitResult, OperationResult } from '@cairn/protocol/commit';
import { isPartial } from '@cairn/protocol/partial';
import type { Transaction } from '../engine/database.ts';
import { attempt } from '../model/attempt.ts';
import { type Operation, parseOperation } from '../model/operation.ts';
import { requireWritable } from '../repository/repository-change.write.ts';
import { readSequence, writeDraft } from './commit-write.sql.ts';
import { type Drafted, type DraftRequest, draftOperations, type WriteOrder } from './drafting.sql.ts';
import { resultOf } from './outcome.rule.ts';
import { keepReceipt, replayReceipt, type Submission } from './receipt.sql.ts';
import type { WriterMemory } from './writer-memory.rule.ts';

export interface CommitInput extends WriteOrder {
  readonly operations: readonly unknown[];
  readonly submission?: Submission | undefined;
}

export async function commit(tx: Transaction, input: CommitInput, memory: WriterMemory): Promise<CommitResult> {
  const { operations: _, submission, ...order } = input;
  const { repoId } = order.grant;
  const sequence = await readSequence(tx, repoId, tx.forUpdate);
  // After the lock: of submissions with one id that arrive together, the second finds what the first has kept.
  const replayed = submission && (await replayReceipt(tx, repoId, submission));
  if (replayed !== undefined) return replayed;
  // Archiving and deleting take the same lock: after it, nobody can come in between.
  await requireWritable(tx, order.grant);
  const result = await write(tx, { order, ...parsed(input), sequence, memory });
  if (submission !== undefined) await keepReceipt(tx, { repoId, submission, result });
  return result;
}

/** What the server itself writes: records that no request may among it, since nothing of it was parsed. */
export async function commitOwn(
  tx: Transaction,
  { operations, ...order }: WriteOrder & { operations: readonly Operation[] },
  memory: WriterMemory,
): Promise<CommitResult> {
  const sequence = await readSequence(tx, order.grant.repoId, tx.forUpdate);
  await requireWritable(tx, order.grant);
  return await write(tx, { order, operations, sentAt: (opIndex) => operations[opIndex], sequence, memory });
}

async function write(tx: Transaction, request: DraftRequest): Promise<CommitResult> {
  const drafted = await draftOperations(tx, request);
  const { repoSeq, commitId } = await writeDraft(tx, { ...request, drafted });
  const id = commitId === null ? null : Buffer.from(commitId).toString('hex');
  return { repoSeq, commitId: id, ...reported(drafted) };
}

/** What the same commit would answer, without writing or reserving anything. */
export async function dryRunCommit(tx: Transaction, input: CommitInput, memory: WriterMemory): Promise<CommitResult> {
  const { operations: _, submission: __, ...order } = input;
  const sequence = await readSequence(tx, order.grant.repoId, '');
  await requireWritable(tx, order.grant);
  const drafted = await draftOperations(tx, { order, ...parsed(input), sequence, memory });
  return { repoSeq: sequence.repoSeq, commitId: null, ...reported(drafted) };
}

function parsed({ operations, skipExisting }: CommitInput) {
  return {
    operations: operations.map((sent) => attempt(() => parseOperation(sent, skipExisting))),
    sentAt: (opIndex: number) => operations[opIndex],
  };
}

function reported({ outcomes }: Drafted): { partial: boolean; operations: OperationResult[] } {
  const operations = outcomes.map((outcome) => (outcome.status === 'error' ? outcome : resultOf(outcome)));
  return { partial: isPartial(operations), operations };
}
