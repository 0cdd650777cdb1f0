// A commit is one transaction with one sequence, and applies all operations or none (or each by itself). On PostgreSQL,
// the number of statements does not depend on the number of operations.

import { pointerTokens } from '@cairn/model/json-pointer';
import { type Operation, parseOperation } from '@cairn/model/operation';
import { attempt } from '@cairn/model/problem';
import { parseIdentity, parseReferences, type Reference } from '@cairn/model/wref';
import { type CommitResult, isPartial, type OperationResult } from '@cairn/protocol/commit';
import { fireSubscriptions } from '../action/firing.sql.ts';
import type { Reader, Transaction, Value } from '../engine/database.ts';
import { repositoryNotFound } from '../repository/repository.sql.ts';
import { requireWritable } from '../repository/repository-change.write.ts';
import { indexHeads } from '../shape/field-index.sql.ts';
import { commitIdOf, entriesOf, isRename } from './chain.rule.ts';
import type { Draft } from './draft.sql.ts';
import { draftOperations, type Sequence, type WriteOrder } from './drafting.sql.ts';
import { OPERATION_PLACES, resultOf } from './outcome.rule.ts';
import { keepReceipt, replayReceipt, type Submission } from './receipt.sql.ts';
import type { Head, Made, MadeRename, MadeVersion, RecordSet } from './record-set.sql.ts';
import type { HeadColumns } from './row-checksum.rule.ts';
import {
  CLOSE_NAMES,
  CLOSE_REFS,
  CLOSE_VERSIONS,
  INSERT_COPIED_VERSIONS,
  INSERT_NAMES,
  INSERT_RECORDS,
  INSERT_REFS,
  INSERT_RENAMES,
  INSERT_VERSIONS,
  insertedRecord,
  insertedVersion,
  UPDATE_RECORDS,
  updatedRecord,
} from './statement.sql.ts';
import type { WriterMemory } from './writer-memory.rule.ts';

export interface CommitInput extends WriteOrder {
  readonly operations: readonly unknown[];
  readonly submission?: Submission | undefined;
}

export async function commit(tx: Transaction, input: CommitInput, memory: WriterMemory): Promise<CommitResult> {
  const { grant, submission } = input;
  const { repoId } = grant;
  const sequence = await readSequence(tx, repoId, tx.forUpdate);
  // The lock comes first: of concurrent submissions with the same id, the second must find the receipt of the first.
  const replayed = submission && (await replayReceipt(tx, repoId, submission));
  if (replayed !== undefined) return replayed;
  // Archiving and deleting take the same lock, so the state cannot change afterwards.
  await requireWritable(tx, grant);
  const result = await write(tx, await draftOperations(tx, { ...parsed(input), sequence, memory }));
  if (submission !== undefined) await keepReceipt(tx, { repoId, submission, result });
  return result;
}

/** Writes operations of the server itself. They were not parsed, so they may touch records that requests may not. */
export async function commitOwn(
  tx: Transaction,
  order: WriteOrder,
  operations: readonly Operation[],
  memory: WriterMemory,
): Promise<CommitResult> {
  const sequence = await readSequence(tx, order.grant.repoId, tx.forUpdate);
  await requireWritable(tx, order.grant);
  const given = { order, operations, sentAt: (opIndex: number) => operations[opIndex], places: OPERATION_PLACES };
  return await write(tx, await draftOperations(tx, { ...given, sequence, memory }));
}

async function write(tx: Transaction, draft: Draft): Promise<CommitResult> {
  const { repoSeq, commitId } = await writeDraft(tx, draft);
  const id = commitId === null ? null : Buffer.from(commitId).toString('hex');
  return { repoSeq, commitId: id, ...reported(draft) };
}

export async function dryRunCommit(tx: Transaction, input: CommitInput, memory: WriterMemory): Promise<CommitResult> {
  const sequence = await readSequence(tx, input.grant.repoId, '');
  await requireWritable(tx, input.grant);
  const draft = await draftOperations(tx, { ...parsed(input), sequence, memory });
  return { repoSeq: sequence.repoSeq, commitId: null, ...reported(draft) };
}

function parsed(input: CommitInput) {
  const { operations, skipExisting } = input;
  return {
    order: input,
    operations: operations.map((sent) => attempt(() => parseOperation(sent, skipExisting))),
    sentAt: (opIndex: number) => operations[opIndex],
    places: OPERATION_PLACES,
  };
}

function reported({ outcomes }: Draft): { partial: boolean; operations: OperationResult[] } {
  const operations = outcomes.map((outcome) => (outcome.status === 'error' ? outcome : resultOf(outcome)));
  return { partial: isPartial(operations), operations };
}

export async function readSequence(reader: Reader, repoId: number, forUpdate: string): Promise<Sequence> {
  const [sequence] = await reader.query<Sequence>(
    `select repo_seq as "repoSeq", last_record_id as "lastRecordId", commit_id as "commitId", export_rows as "exportRows",
       watched from repo_sequence where repo_id = $1 ${forUpdate}`,
    [repoId],
  );
  // The repository existed when the caller was authorized, so it was purged since.
  if (sequence === undefined) throw repositoryNotFound();
  return sequence;
}

export async function writeDraft(
  tx: Transaction,
  draft: Draft,
): Promise<{ repoSeq: number; commitId: Uint8Array | null }> {
  const { request, records, shapes, outcomes, committer } = draft;
  const { order, sequence } = request;
  // A commit that applies nothing takes no sequence.
  if (records.made.length === 0) return { repoSeq: sequence.repoSeq, commitId: null };
  const { repoId, repoSeq } = records.start;
  await writeRecords(tx, records);
  await shapes.write(tx);
  await indexReferences(tx, records);
  await indexHeads(tx, { repoId, repoSeq, heads: records.touched(), shapes });
  const { createdBy, message } = order;
  const author = { createdBy, committer };
  const made = { previous: sequence.commitId, repoSeq, author, message, time: tx.now() };
  const commitId = commitIdOf({ ...made, repoId, made: records.made });
  const exportRows = sequence.exportRows + records.made.filter(addsExportRow).length;
  await tx.query(
    `insert into "commit" (repo_id, repo_seq, commit_id, created_at, created_by, committer, committer_identity, message,
       operation_count, entries, export_rows)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      repoId,
      repoSeq,
      commitId,
      made.time,
      createdBy,
      committer?.wref ?? null,
      committer?.identity ?? null,
      message,
      outcomes.filter(({ status }) => status === 'applied').length,
      entriesOf(records.made),
      exportRows,
    ],
  );
  await tx.query(
    `update repo_sequence set repo_seq = $2, last_record_id = $3, commit_id = $4, renamed_seq = coalesce($5, renamed_seq),
       export_rows = $6 where repo_id = $1`,
    [repoId, repoSeq, records.lastRecordId, commitId, records.made.some(isRename) ? repoSeq : null, exportRows],
  );
  // Most repositories have no subscriptions, and then commits skip the matching.
  if (sequence.watched > 0) await fireSubscriptions(tx, draft, made.time);
  return { repoSeq, commitId };
}

/** An export has every version of a shape, but each other record once. */
function addsExportRow(made: Made): boolean {
  return !isRename(made) && (made.head.kind === 'shape' || made.version === 1);
}

async function writeRecords(tx: Transaction, records: RecordSet): Promise<void> {
  const { repoId, repoSeq } = records.start;
  const common = [repoId];
  const fresh = records.touched().filter(({ before }) => before === undefined);
  const changed = records.touched().filter(({ before }) => before !== undefined);
  const relabelled = records.relabelled();
  await tx.bulk(INSERT_RECORDS, { common, rows: fresh.map((head) => insertedRecord(repoId, headColumns(head))) });
  await writeNames(tx, records, { fresh, relabelled });
  await tx.bulk(CLOSE_VERSIONS, {
    common,
    rows: changed.map(({ recordId, before }) => [recordId, before?.version ?? 0, repoSeq]),
  });
  const updated = [...new Set([...changed, ...relabelled])];
  await tx.bulk(UPDATE_RECORDS, { common, rows: updated.map((head) => updatedRecord(repoId, headColumns(head))) });
  const versions = records.made.filter(isVersion);
  const rowOf = (made: MadeVersion) => versionRow(made, { repoId, repoSeq });
  await tx.bulk(INSERT_VERSIONS, { common, rows: versions.filter(hasContent).map(rowOf) });
  // The versions that these copy from now exist.
  const copied = versions.filter((made) => !hasContent(made));
  await tx.bulk(INSERT_COPIED_VERSIONS, { common, rows: copied.map((made) => rowOf(made).slice(0, -2)) });
}

/** A name that was taken and given up within the commit leaves no row. */
async function writeNames(
  tx: Transaction,
  records: RecordSet,
  { fresh, relabelled }: { readonly fresh: readonly Head[]; readonly relabelled: readonly Head[] },
): Promise<void> {
  const { repoId, repoSeq } = records.start;
  const common = [repoId];
  // Closes old names first, because other records of the commit may take them.
  await tx.bulk(CLOSE_NAMES, {
    common,
    rows: relabelled.map(({ shapeId, before }) => [shapeId, before?.local ?? '', repoSeq]),
  });
  await tx.bulk(INSERT_NAMES, {
    common,
    rows: [...fresh, ...relabelled].map(({ shapeId, local, recordId }) => [shapeId, local, repoSeq, recordId]),
  });
  await tx.bulk(INSERT_RENAMES, {
    common,
    rows: records.made.filter(isRename).map((made) => renameRow(made, repoSeq)),
  });
}

function isVersion(made: Made): made is MadeVersion {
  return made.operation !== 'rename';
}

/** A version without loaded content copies its predecessor. */
function hasContent({ head }: MadeVersion): boolean {
  return head.loaded;
}

function headColumns(head: Head): HeadColumns {
  const { recordId, kind, shapeId, local, version, active, createdSeq, fromSeq, about } = head;
  return {
    record_id: recordId,
    kind,
    shape_id: shapeId,
    name: local,
    version,
    active: active ? 1 : 0,
    created_seq: createdSeq,
    updated_seq: fromSeq,
    about: about?.identity ?? null,
    about_wref: about?.wref ?? null,
  };
}

function renameRow({ head, opIndex, oldLocal, newLocal }: MadeRename, repoSeq: number): Value[] {
  return [head.recordId, repoSeq, opIndex, oldLocal, newLocal];
}

// A version that a later operation of the same commit replaced was never visible, so it ends where it begins.
function versionRow(made: MadeVersion, { repoId, repoSeq }: { repoId: number; repoSeq: number }): Value[] {
  const { head, version, superseded, opIndex, operation, shapeVersion = null, reason = null, data, refs } = made;
  return insertedVersion(repoId, {
    record_id: head.recordId,
    version,
    from_seq: repoSeq,
    to_seq: superseded ? repoSeq : null,
    op_index: opIndex,
    operation,
    active: made.active ? 1 : 0,
    shape_version: shapeVersion,
    reason,
    data_hash: made.dataHash,
    data,
    refs,
  });
}

/** A row of the reference index lasts as long as its reference, across all versions that keep it. */
async function indexReferences(tx: Transaction, records: RecordSet): Promise<void> {
  const { repoId, repoSeq } = records.start;
  const closed: Value[][] = [];
  const opened: Value[][] = [];
  for (const head of records.touched()) {
    const { about, before, recordId, kind } = head;
    if (before === undefined && about !== null) {
      opened.push(openedRow(recordId, 'about', { path: '', ...parseIdentity(about.identity) }, repoSeq));
    }
    if (before?.refs === head.refs || (before === undefined && head.refs === null)) continue;
    const [were, are] = [before === undefined ? [] : parseReferences(before.refs), referencesOf(head)];
    for (const reference of missingIn(were, are)) {
      const { repoId: targetRepoId, recordId: targetId, path } = reference;
      closed.push([targetRepoId, targetId, roleOf(kind, path), recordId, path, repoSeq]);
    }
    for (const reference of missingIn(are, were)) {
      opened.push(openedRow(recordId, roleOf(kind, reference.path), reference, repoSeq));
    }
  }
  await tx.bulk(CLOSE_REFS, { common: [repoId], rows: closed });
  await tx.bulk(INSERT_REFS, { common: [repoId], rows: opened });
}

export function openedRow(recordId: Head['recordId'], role: string, target: Reference, repoSeq: number): Value[] {
  return [target.repoId, target.recordId, role, recordId, target.path, repoSeq, target.version];
}

export function roleOf(kind: string, path: string): string {
  return kind === 'collection' ? (pointerTokens(path)[0] ?? '') : 'field';
}

function referencesOf({ refs, references }: Head): readonly Reference[] {
  return references ?? parseReferences(refs);
}

export function missingIn(references: readonly Reference[], others: readonly Reference[]): readonly Reference[] {
  if (others.length === 0) return references;
  const held = new Set(others.map(referenceKey));
  return references.filter((reference) => !held.has(referenceKey(reference)));
}

const referenceKey = ({ path, repoId, recordId, version }: Reference) => `${repoId} ${recordId} ${version} ${path}`;
