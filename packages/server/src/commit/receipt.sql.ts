// Receipts make submissions idempotent: a repeated submission id returns the first result.
import { type CommitResult, isPartial, type OperationResult } from '@cairn/protocol/commit';
import { fail } from '@cairn/protocol/errors';
import type { Grant } from '../access/grant.rule.ts';
import type { Reader, Transaction } from '../engine/database.ts';
import { appliedOperations, findCommitId } from './commit-read.sql.ts';
import { FIND_RECEIPT, INSERT_RECEIPT } from './statement.sql.ts';

export interface Submission {
  readonly id: string;
  readonly owner: string;
  readonly contentHash: Uint8Array;
}

interface ReceiptRow {
  readonly content_hash: Uint8Array;
  readonly repo_seq: number;
  readonly applied: number;
  readonly outcome: string;
}

export async function replayReceipt(
  reader: Reader,
  repoId: number,
  { id, owner, contentHash }: Submission,
): Promise<CommitResult | undefined> {
  const row = await findReceipt(reader, repoId, { id, owner });
  if (row === undefined) return undefined;
  if (Buffer.compare(row.content_hash, contentHash) !== 0) {
    throw fail('CONFLICT', {
      message: 'This submissionId was used for other content. Use a new one for a new commit.',
      details: { reason: 'submission_mismatch' },
    });
  }
  return await rebuild(reader, repoId, row);
}

export async function readReceipt(
  reader: Reader,
  { repoId }: Grant,
  submission: Pick<Submission, 'id' | 'owner'>,
): Promise<CommitResult | undefined> {
  const row = await findReceipt(reader, repoId, submission);
  return row && (await rebuild(reader, repoId, row));
}

async function findReceipt(
  reader: Reader,
  repoId: number,
  { id, owner }: Pick<Submission, 'id' | 'owner'>,
): Promise<ReceiptRow | undefined> {
  const [row] = await reader.query<ReceiptRow>(FIND_RECEIPT, [repoId, owner, id]);
  return row;
}

interface Outcome {
  readonly others: OperationResult[];
  readonly warnings: [opIndex: number, warnings: NonNullable<OperationResult['warnings']>][];
  /** Missing in receipts of earlier versions. */
  readonly submittedNames?: [opIndex: number, submittedName: string][];
}

export async function keepReceipt(
  tx: Transaction,
  { repoId, submission, result }: { repoId: number; submission: Submission; result: CommitResult },
): Promise<void> {
  const outcome: Outcome = {
    others: result.operations.filter(({ status }) => status !== 'applied'),
    warnings: result.operations.flatMap(({ opIndex, status, warnings }) =>
      status === 'applied' && warnings !== undefined ? [[opIndex, warnings]] : [],
    ),
    submittedNames: result.operations.flatMap(({ opIndex, status, submittedName }) =>
      status === 'applied' && submittedName !== undefined ? [[opIndex, submittedName]] : [],
    ),
  };
  const { owner, id, contentHash } = submission;
  const applied = result.commitId === null ? 0 : 1;
  const values = [repoId, owner, id, contentHash, result.repoSeq, applied, JSON.stringify(outcome), Date.now()];
  await tx.query(INSERT_RECEIPT, values);
}

async function rebuild(reader: Reader, repoId: number, row: ReceiptRow): Promise<CommitResult> {
  const { others, warnings, submittedNames = [] } = JSON.parse(row.outcome) as Outcome;
  const repoSeq = row.repo_seq;
  const applied = row.applied === 1 ? await appliedOperations(reader, { repoId, repoSeq }) : [];
  const warningsOf = new Map(warnings);
  const submittedNameOf = new Map(submittedNames);
  const completed = applied.map((result): OperationResult => {
    const found = { warnings: warningsOf.get(result.opIndex), submittedName: submittedNameOf.get(result.opIndex) };
    return {
      ...result,
      ...(found.warnings !== undefined && { warnings: found.warnings }),
      ...(found.submittedName !== undefined && { submittedName: found.submittedName }),
    };
  });
  const operations = [...completed, ...others].sort((a, b) => a.opIndex - b.opIndex);
  const commitId = row.applied === 1 ? await findCommitId(reader, { repoId, repoSeq }) : null;
  return { repoSeq, commitId, partial: isPartial(operations), operations };
}
