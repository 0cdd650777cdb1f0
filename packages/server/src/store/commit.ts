// A commit: all operations or none (or each by itself), one sequence, one transaction. The number of statements on
// PostgreSQL does not depend on the number of operations.
import { type CommitResult, isPartial, type OperationResult } from '@cairn/protocol/commit';
import { CairnError, fail } from '@cairn/protocol/errors';
import { type Operation, parseOperation } from '../model/operation.ts';
import { type CommitAuthor, commitIdOf, entriesOf } from './commit-chain.ts';
import { CommitDraft, type DataLimits } from './commit-draft.ts';
import type { Reader, Transaction } from './database.ts';
import { indexHeads } from './field-index.ts';
import type { Grant } from './grant.ts';
import { keepReceipt, replayReceipt, type Submission } from './receipt.ts';
import { RecordSet } from './record-set.ts';
import { repositoryNotFound } from './repository.ts';
import { requireWritable } from './repository-change.ts';
import { ShapeSet } from './shape-set.ts';
import type { WriterMemory } from './writer-memory.ts';

const ERRORS_SHOWN_MAX = 100;
const TEXT_SHOWN_MAX = 600;
// Compiling the patterns of a shape takes milliseconds, and the writer is everyone's.
const SHAPES_MAX = 200;

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
  // Archiving and deleting take the same lock: after it, nobody can come in between.
  await requireWritable(tx, input.grant);
  const draft = await draftCommit(tx, { input, sequence, memory });
  const result = await writeDraft(tx, { input, sequence, draft });
  if (input.submission !== undefined) await keepReceipt(tx, { repoId, submission: input.submission, result });
  return result;
}

/** What the same commit would answer, without writing or reserving anything. */
export async function dryRunCommit(tx: Transaction, input: CommitInput, memory: WriterMemory): Promise<CommitResult> {
  const sequence = await readSequence(tx, input.grant.repoId, '');
  await requireWritable(tx, input.grant);
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
  // It was there when the caller was authorized: it has been removed for good since.
  if (row === undefined) throw repositoryNotFound();
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
  let failures = 0;
  const results = parsed.map((operation, opIndex) => {
    const outcome = operation instanceof CairnError ? operation : attempt(() => draft.apply(operation, opIndex));
    if (!(outcome instanceof CairnError)) return outcome;
    return failed(input.operations[opIndex], { opIndex, error: outcome, detailed: failures++ < ERRORS_SHOWN_MAX });
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
  const changed = names.filter(({ local }) => local === '').map(({ shapeName }) => shapeName);
  if (changed.length > SHAPES_MAX) {
    throw fail('PAYLOAD_TOO_LARGE', {
      message: `A commit changes at most ${SHAPES_MAX} shapes, and this one names ${changed.length}. Send several commits.`,
    });
  }
  await shapes.loadLastFields(reader, changed);
  const addresses = names.flatMap(({ shapeName, local }) => {
    const shape = local === '' ? undefined : shapes.find(shapeName);
    return shape === undefined ? [] : [{ shapeId: shape.recordId, local }];
  });
  await records.load(reader, addresses, 'thing');
}

interface Failure {
  readonly opIndex: number;
  readonly error: CairnError;
  /** Beyond the first hundred, code and message must do: ten thousand lists of problems would fill the memory. */
  readonly detailed: boolean;
}

function failed(raw: unknown, { opIndex, error, detailed }: Failure): OperationResult {
  const { operation, name } = (typeof raw === 'object' && raw !== null ? raw : {}) as Record<string, unknown>;
  const { code, message, details } = error.fields;
  return {
    opIndex,
    operation: typeof operation === 'string' ? clip(operation) : 'add',
    kind: typeof name === 'string' && !name.includes('/') ? 'shape' : 'thing',
    name: typeof name === 'string' ? clip(name) : '',
    status: 'error',
    error: { code, message: clip(message), ...(detailed && details !== undefined && { details }) },
  };
}

function clip(text: string): string {
  return text.length > TEXT_SHOWN_MAX ? `${text.slice(0, TEXT_SHOWN_MAX)}…` : text;
}

function refuseFailed(results: readonly OperationResult[]): void {
  const wrong = results.filter(({ status }) => status === 'error');
  const [first] = wrong;
  if (first?.error === undefined) return;
  const operations = wrong
    .slice(0, ERRORS_SHOWN_MAX)
    .map(({ opIndex, name, error }) => ({ index: opIndex, name, ...error }));
  const count = `${wrong.length} of ${results.length} operations failed; the first, operation ${first.opIndex}`;
  const which = results.length === 1 ? '' : `${count}: `;
  throw fail(first.error.code, {
    message: `Nothing was committed. ${which}${first.error.message}`,
    details: { failed: wrong.length, operations },
    ...(results.length > 1 && {
      hint: 'Mend the operations that are named, or send atomic: false to apply the others.',
    }),
  });
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
    `insert into "commit" (repo_id, repo_seq, commit_id, created_at, created_by, committer, message, operation_count, entries)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      repoId,
      repoSeq,
      commitId,
      made.time,
      author.createdBy,
      author.committer ?? null,
      message,
      results.filter(({ status }) => status === 'applied').length,
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
