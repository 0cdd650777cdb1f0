// A commit: all operations or none (or each by itself), one sequence, one transaction. The number of statements on
// PostgreSQL does not depend on the number of operations.
import type { CommitResult, OperationResult } from '@cairn/protocol/commit';
import { CairnError, fail } from '@cairn/protocol/errors';
import { isPartial } from '@cairn/protocol/partial';
import { attempt } from '../model/attempt.ts';
import { compileNarrowing, type IsShown } from '../model/narrowing.ts';
import { type Operation, parseOperation } from '../model/operation.ts';
import { formatIdentity } from '../model/reference.ts';
import { type CommitAuthor, commitIdOf, entriesOf } from './commit/chain.ts';
import type { DataLimits } from './commit/content.ts';
import { CommitDraft } from './commit/draft.ts';
import { ERRORS_SHOWN_MAX, Failures, refuseFailed } from './commit/failure.ts';
import { indexHeads } from './commit/field-index.ts';
import { loadCommit } from './commit/load.ts';
import { type RecordAddress, RecordSet } from './commit/record-set.ts';
import { isRename, writeRecords } from './commit/record-write.ts';
import { indexReferences } from './commit/reference-index.ts';
import { ShapeSet } from './commit/shape-set.ts';
import { type ReadableRepository, TargetSet } from './commit/target-set.ts';
import { TokenSet } from './commit/token-set.ts';
import type { Reader, Transaction } from './database.ts';
import type { Grant } from './grant.ts';
import { keepReceipt, replayReceipt, type Submission } from './receipt.ts';
import { repositoryNotFound } from './repository.ts';
import { requireWritable } from './repository-change.ts';
import type { WriterMemory } from './writer-memory.ts';

export interface CommitInput {
  readonly grant: Grant;
  readonly createdBy: string;
  /** A wref such as `Agent/bot`, on whose behalf it is written. */
  readonly committer?: string | undefined;
  /** Other repositories that the writer may read. */
  readonly readable: readonly ReadableRepository[];
  readonly message: string;
  readonly operations: readonly unknown[];
  /** Whether the writer has `repo:configure`, which some records need. */
  readonly mayConfigure: boolean;
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
  readonly committer: CommitAuthor['committer'];
}

/** A collection without a name may mean one that could not be foreseen, when its members were renamed on the way. */
const DRAFTS_MAX = 3;

async function draftCommit(reader: Reader, request: DraftRequest): Promise<DraftedCommit> {
  const { input } = request;
  const operations = input.operations.map((raw) => attempt(() => parseOperation(raw, input.skipExisting)));
  const addresses: RecordAddress[] = [];
  for (let drafts = 1; drafts <= DRAFTS_MAX; drafts++) {
    const { unknown, ...drafted } = await draftOnce(reader, request, { operations, addresses });
    if (unknown.length === 0) return drafted;
    addresses.push(...unknown);
  }
  throw fail('PAYLOAD_TOO_LARGE', {
    message:
      'Collections without a name depend on each other and on renames of this commit. Rename in a commit before.',
  });
}

interface Attempt {
  readonly operations: readonly (Operation | CairnError)[];
  /** To be loaded besides what the operations name. */
  readonly addresses: readonly RecordAddress[];
}

async function draftOnce(
  reader: Reader,
  { input, sequence, memory }: DraftRequest,
  { operations, addresses }: Attempt,
): Promise<DraftedCommit & { unknown: readonly RecordAddress[] }> {
  const { repoId, repository } = input.grant;
  const repoSeq = sequence.repoSeq + 1;
  const records = new RecordSet({ repoId, repoSeq, lastRecordId: sequence.lastRecordId });
  const shapes = new ShapeSet({ repoId, repoSeq, records, memory });
  const tokens = new TokenSet();
  const own = { repoId, orgName: repository.orgName, repoName: repository.name };
  const mayReferTo = referableBy(input.grant);
  const targets = new TargetSet({ repository: own, others: input.readable, records, tokens, mayReferTo });
  const { committer, limits } = input;
  await loadCommit(reader, { operations, committer, limits, records, shapes, targets, addresses });
  const { mayConfigure } = input;
  const { writes } = input.grant;
  const draft = new CommitDraft({ records, shapes, targets, tokens, limits, mayConfigure, writes });
  const results = applyAll(draft, { input, operations, tokens });
  draft.bindShapes();
  // What is wrong with the operations comes first: the committer may be one of the records that they fail to make.
  if (input.atomic && draft.unknown.length === 0) refuseFailed(results, operations.length);
  // After the operations: it may be one of the records that they make.
  const resolved = committer === undefined ? undefined : resolveCommitter(targets, committer);
  return { records, shapes, results, committer: resolved, unknown: draft.unknown };
}

/** Who may write everything learns by that what there is. A component may refer to what it may read or write. */
function referableBy({ narrowing, writes }: Grant): IsShown | undefined {
  if (writes === undefined) return undefined;
  const [reads, written] = [compileNarrowing(narrowing), compileNarrowing(writes)];
  return (record) => reads(record) || written(record);
}

interface Application {
  readonly input: CommitInput;
  readonly operations: readonly (Operation | CairnError)[];
  readonly tokens: TokenSet;
}

/** One after the other. Of a commit that is all or none, no more than what is to be told is tried. */
function applyAll(draft: CommitDraft, { input, operations, tokens }: Application): OperationResult[] {
  const failures = new Failures();
  const results: OperationResult[] = [];
  for (const [opIndex, operation] of operations.entries()) {
    const outcome = operation instanceof CairnError ? operation : attempt(() => draft.apply(operation, opIndex));
    if (!(outcome instanceof CairnError)) {
      results.push(outcome);
      continue;
    }
    const raw = input.operations[opIndex];
    tokens.noteFailure(raw, { opIndex, code: outcome.code });
    const described = operation instanceof CairnError ? undefined : draft.describe(operation);
    results.push(failures.add(raw, { opIndex, error: outcome, described }));
    if (input.atomic && failures.count >= ERRORS_SHOWN_MAX) break;
  }
  return results;
}

function resolveCommitter(targets: TargetSet, text: string): CommitAuthor['committer'] {
  const resolved = attempt(() => targets.resolve(text));
  if (resolved instanceof CairnError) {
    const message = `committer: ${resolved.message}`;
    throw fail(resolved.code, { message, details: [{ path: 'committer', message: resolved.message }] });
  }
  return { identity: formatIdentity(resolved.identity), wref: resolved.wref };
}

interface WriteRequest {
  readonly input: CommitInput;
  readonly sequence: Sequence;
  readonly draft: DraftedCommit;
}

async function writeDraft(tx: Transaction, { input, sequence, draft }: WriteRequest): Promise<CommitResult> {
  const { records, shapes, results, committer } = draft;
  const outcome = { partial: isPartial(results), operations: results };
  // A commit that applies nothing takes no sequence.
  if (records.made.length === 0) return { repoSeq: sequence.repoSeq, commitId: null, ...outcome };
  const { repoId } = input.grant;
  const repoSeq = sequence.repoSeq + 1;
  await writeRecords(tx, records);
  await shapes.write(tx);
  await indexReferences(tx, records);
  await indexHeads(tx, { repoId, repoSeq, heads: records.touched(), shapes });
  const { createdBy, message } = input;
  const author = { createdBy, committer };
  const made = { previous: sequence.commitId, repoSeq, author, message, time: Date.now() };
  const commitId = commitIdOf({ ...made, repoId, made: records.made });
  await tx.query(
    `insert into "commit" (repo_id, repo_seq, commit_id, created_at, created_by, committer, committer_identity, message,
       operation_count, entries)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      repoId,
      repoSeq,
      commitId,
      made.time,
      createdBy,
      committer?.wref ?? null,
      committer?.identity ?? null,
      message,
      results.filter(({ status }) => status === 'applied').length,
      entriesOf(records.made),
    ],
  );
  await tx.query(
    `update repo_sequence set repo_seq = $2, last_record_id = $3, commit_id = $4, renamed_seq = coalesce($5, renamed_seq)
     where repo_id = $1`,
    [repoId, repoSeq, records.lastRecordId, commitId, records.made.some(isRename) ? repoSeq : null],
  );
  return { repoSeq, commitId: Buffer.from(commitId).toString('hex'), ...outcome };
}
