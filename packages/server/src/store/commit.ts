// A commit: all operations or none (or each by itself), one sequence, one transaction. The number of statements on
// PostgreSQL does not depend on the number of operations.
import type { CommitResult, OperationResult } from '@cairn/protocol/commit';
import { CairnError, fail } from '@cairn/protocol/errors';
import { type Operation, parseOperation } from '../model/operation.ts';
import { type CommitAuthor, commitIdOf, entriesOf } from './commit-chain.ts';
import { CommitDraft, type DataLimits } from './commit-draft.ts';
import type { Reader, Transaction } from './database.ts';
import { indexHeads } from './field-index.ts';
import type { Grant } from './grant.ts';
import { keepReceipt, replayReceipt, type Submission } from './receipt.ts';
import { RecordSet } from './record-set.ts';
import { ShapeSet } from './shape-set.ts';
import type { WriterMemory } from './writer-memory.ts';

const ERRORS_SHOWN_MAX = 100;

export interface CommitInput {
  readonly grant: Grant;
  readonly author: CommitAuthor;
  readonly message: string;
  readonly operations: readonly unknown[];
  /** All operations or none; else each stands alone. */
  readonly atomic: boolean;
  readonly skipExisting: boolean;
  readonly submission?: Submission | undefined;
  readonly limits: DataLimits;
}

export async function commit(tx: Transaction, input: CommitInput, memory: WriterMemory): Promise<CommitResult> {
  const { repoId } = input.grant;
  const sequence = await readSequence(tx, repoId, tx.forUpdate);
  // After the lock: of submissions with one id that arrive together, the second finds what the first has kept.
  const replayed = input.submission && (await replayReceipt(tx, repoId, input.submission));
  if (replayed !== undefined) return replayed;
  const draft = await draftCommit(tx, { input, sequence, memory });
  const result = await writeDraft(tx, { input, sequence, draft });
  if (input.submission !== undefined) await keepReceipt(tx, { repoId, submission: input.submission, result });
  return result;
}

/** What the same commit would answer, without writing or reserving anything. */
export async function dryRunCommit(tx: Transaction, input: CommitInput, memory: WriterMemory): Promise<CommitResult> {
  const sequence = await readSequence(tx, input.grant.repoId, '');
  const { results } = await draftCommit(tx, { input, sequence, memory });
  return { repoSeq: sequence.repoSeq, commitId: null, partial: isPartial(results), operations: results };
}

export interface Sequence {
  readonly repoSeq: number;
  readonly lastRecordId: number;
  readonly commitId: Uint8Array | null;
}

async function readSequence(reader: Reader, repoId: number, forUpdate: string): Promise<Sequence> {
  const [row] = await reader.query<{ repo_seq: number; last_record_id: number; commit_id: Uint8Array | null }>(
    `select repo_seq, last_record_id, commit_id from repo_sequence where repo_id = $1 ${forUpdate}`,
    [repoId],
  );
  // It was there when the caller was authorized: someone has deleted it since.
  if (row === undefined) throw fail('NOT_FOUND', { message: 'There is no such repository, or you may not see it.' });
  return { repoSeq: row.repo_seq, lastRecordId: row.last_record_id, commitId: row.commit_id };
}

interface DraftRequest {
  readonly input: CommitInput;
  readonly sequence: Sequence;
  readonly memory: WriterMemory;
}

interface DraftedCommit {
  readonly records: RecordSet;
  readonly shapes: ShapeSet;
  readonly results: OperationResult[];
}

async function draftCommit(reader: Reader, { input, sequence, memory }: DraftRequest): Promise<DraftedCommit> {
  const { repoId } = input.grant;
  const repoSeq = sequence.repoSeq + 1;
  const records = new RecordSet({ repoId, repoSeq, lastRecordId: sequence.lastRecordId });
  const shapes = new ShapeSet({ repoId, repoSeq, records, memory });
  const parsed = input.operations.map((raw) => attempt(() => parseOperation(raw, input.skipExisting)));
  await loadHeads(reader, { parsed, records, shapes });
  const draft = new CommitDraft({ records, shapes, limits: input.limits });
  const results = parsed.map((operation, opIndex) => {
    const outcome = operation instanceof CairnError ? operation : attempt(() => draft.apply(operation, opIndex));
    return outcome instanceof CairnError ? failed(input.operations[opIndex], opIndex, outcome) : outcome;
  });
  if (input.atomic) refuseFailed(results);
  return { records, shapes, results };
}

function attempt<Result>(work: () => Result): Result | CairnError {
  try {
    return work();
  } catch (error) {
    if (error instanceof CairnError) return error;
    throw error;
  }
}

interface HeadsRequest {
  readonly parsed: readonly (Operation | CairnError)[];
  readonly records: RecordSet;
  readonly shapes: ShapeSet;
}

/** Everything that the operations could meet, in a constant number of reads. */
async function loadHeads(reader: Reader, { parsed, records, shapes }: HeadsRequest): Promise<void> {
  const names = parsed.flatMap((operation) => (operation instanceof CairnError ? [] : [operation.name]));
  await shapes.load(
    reader,
    names.map(({ shapeName }) => shapeName),
  );
  const addresses = names.flatMap(({ shapeName, local }) => {
    const shape = local === '' ? undefined : shapes.find(shapeName);
    return shape === undefined ? [] : [{ shapeId: shape.recordId, local }];
  });
  await records.load(reader, addresses, 'thing');
}

function failed(raw: unknown, opIndex: number, error: CairnError): OperationResult {
  const { operation, name } = (typeof raw === 'object' && raw !== null ? raw : {}) as Record<string, unknown>;
  const { code, message, details } = error.fields;
  return {
    opIndex,
    operation: operation === 'revise' || operation === 'retract' ? operation : 'add',
    kind: typeof name === 'string' && !name.includes('/') ? 'shape' : 'thing',
    name: typeof name === 'string' ? name : '',
    status: 'error',
    error: { code, message, ...(details !== undefined && { details }) },
  };
}

function refuseFailed(results: readonly OperationResult[]): void {
  const wrong = results.filter(({ status }) => status === 'error');
  const [first] = wrong;
  if (first?.error === undefined) return;
  const operations = wrong
    .slice(0, ERRORS_SHOWN_MAX)
    .map(({ opIndex, name, error }) => ({ index: opIndex, name, ...error }));
  throw fail(first.error.code, {
    message: `Nothing was committed. Operation ${first.opIndex}: ${first.error.message}`,
    details: { failed: wrong.length, operations },
    hint: 'Mend the operations that are named, or send atomic: false to apply the others.',
  });
}

function isPartial(results: readonly OperationResult[]): boolean {
  return results.some(({ status }) => status === 'error');
}

interface WriteRequest {
  readonly input: CommitInput;
  readonly sequence: Sequence;
  readonly draft: DraftedCommit;
}

async function writeDraft(tx: Transaction, { input, sequence, draft }: WriteRequest): Promise<CommitResult> {
  const { records, shapes, results } = draft;
  const outcome = { partial: isPartial(results), operations: results };
  // A commit that applies nothing takes no sequence.
  if (records.made.length === 0) return { repoSeq: sequence.repoSeq, commitId: null, ...outcome };
  const { repoId } = input.grant;
  const repoSeq = sequence.repoSeq + 1;
  await records.write(tx);
  await shapes.write(tx);
  await indexHeads(tx, { repoId, repoSeq, heads: records.touched(), shapes });
  const { author, message } = input;
  const made = { previous: sequence.commitId, repoSeq, author, message, time: Date.now() };
  const commitId = commitIdOf({ ...made, repoId, versions: records.made });
  await tx.query(
    `insert into "commit" (repo_id, repo_seq, commit_id, created_at, created_by, committer, message, entries)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      repoId,
      repoSeq,
      commitId,
      made.time,
      author.createdBy,
      author.committer ?? null,
      message,
      entriesOf(records.made),
    ],
  );
  await tx.query('update repo_sequence set repo_seq = $2, last_record_id = $3, commit_id = $4 where repo_id = $1', [
    repoId,
    repoSeq,
    records.lastRecordId,
    commitId,
  ]);
  return { repoSeq, commitId: Buffer.from(commitId).toString('hex'), ...outcome };
}
