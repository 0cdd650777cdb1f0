// A commit takes one sequence, and applies all operations or none (or each by itself). On PostgreSQL, the number of
// statements does not depend on the number of operations.

import { pointerTokens } from '@cairn/model/json-pointer';
import { type Operation, parseOperation } from '@cairn/model/operation';
import { attempt } from '@cairn/model/problem';
import { parseIdentity, parseReferences, type Reference } from '@cairn/model/wref';
import { type CommitResult, isPartial, type OperationResult } from '@cairn/protocol/commit';
import type { Grant } from '../access/grant.rule.ts';
import { fireSubscriptions } from '../action/firing.sql.ts';
import type { BulkStatement, Transaction, Value } from '../engine/database.ts';
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
  INSERT_COMMIT,
  INSERT_COPIED_VERSIONS,
  INSERT_NAMES,
  INSERT_RECORDS,
  INSERT_REFS,
  INSERT_RENAMES,
  INSERT_VERSIONS,
  insertedRecord,
  insertedVersion,
  UPDATE_RECORDS,
  UPDATE_SEQUENCE,
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
  // The lock comes first: of concurrent submissions with the same id, the second must find the receipt of the first.
  const [sequence, replayed] = await Promise.all([
    readSequence(tx, grant, tx.forUpdate),
    submission && replayReceipt(tx, repoId, submission),
  ]);
  if (replayed !== undefined) return replayed;
  if (!sequence.isWritable) await requireWritable(tx, grant);
  const draft = await draftOperations(tx, { ...parsed(input), sequence, memory });
  const { written, ...made } = writeDraft(tx, draft);
  const result = { ...toResult(made), ...reported(draft) };
  await Promise.all([written, submission && keepReceipt(tx, { repoId, submission, result })]);
  return result;
}

/** Writes operations of the server itself. They were not parsed, so they may touch records that requests may not. */
export async function commitOwn(
  tx: Transaction,
  order: WriteOrder,
  operations: readonly Operation[],
  memory: WriterMemory,
): Promise<CommitResult> {
  const sequence = await lockSequence(tx, order.grant);
  const given = { order, operations, sentAt: (opIndex: number) => operations[opIndex], places: OPERATION_PLACES };
  const draft = await draftOperations(tx, { ...given, sequence, memory });
  const { written, ...made } = writeDraft(tx, draft);
  await written;
  return { ...toResult(made), ...reported(draft) };
}

export async function dryRunCommit(tx: Transaction, input: CommitInput, memory: WriterMemory): Promise<CommitResult> {
  const sequence = await readSequence(tx, input.grant, '');
  if (!sequence.isWritable) await requireWritable(tx, input.grant);
  const draft = await draftOperations(tx, { ...parsed(input), sequence, memory });
  return { repoSeq: sequence.repoSeq, commitId: null, ...reported(draft) };
}

function toResult({ repoSeq, commitId }: { repoSeq: number; commitId: Uint8Array | null }) {
  return { repoSeq, commitId: commitId === null ? null : Buffer.from(commitId).toString('hex') };
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

/** Archiving and deleting take the same lock, so the state cannot change afterwards. */
export async function lockSequence(tx: Transaction, grant: Grant): Promise<Sequence> {
  const sequence = await readSequence(tx, grant, tx.forUpdate);
  if (!sequence.isWritable) await requireWritable(tx, grant);
  return sequence;
}

const SEQUENCE = `select repo_seq as "repoSeq", last_record_id as "lastRecordId", commit_id as "commitId",
  export_rows as "exportRows", watched, importing from repo_sequence where repo_id = $1`;
const LOCKED_SEQUENCE = `${SEQUENCE} for update`;
// A statement of its own, which looks after the lock is there.
const WRITABLE = `select 1 as one from repository r join organization o on o.id = r.organization_id
  where r.id = $1 and r.deleted_at is null and r.archived_at is null and o.archived_at is null`;

export async function readSequence(tx: Transaction, { repoId }: Grant, forUpdate: string) {
  const sql = forUpdate === '' ? SEQUENCE : LOCKED_SEQUENCE;
  const [[sequence], [writable]] = await Promise.all([
    tx.query<Sequence & { importing: string | null }>(sql, [repoId]),
    tx.query(WRITABLE, [repoId]),
  ]);
  // The repository existed when the caller was authorized, so it was purged since.
  if (sequence === undefined) throw repositoryNotFound();
  return { ...sequence, isWritable: writable !== undefined && sequence.importing === null };
}

interface Written {
  readonly repoSeq: number;
  /** `null` for a commit that applies nothing and takes no sequence. */
  readonly commitId: Uint8Array | null;
  readonly written: Promise<unknown>;
}

/** Every refusal comes before. The statements follow each other without a wait, so that they are one round trip. */
export function writeDraft(tx: Transaction, draft: Draft): Written {
  const { request, records, shapes, outcomes, committer } = draft;
  const { order, sequence, memory } = request;
  const { made, start } = records;
  if (made.length === 0) return { repoSeq: sequence.repoSeq, commitId: null, written: Promise.resolve() };
  const { repoId, repoSeq } = start;
  const { createdBy, message } = order;
  const author = { createdBy, committer };
  const time = tx.now();
  const commitId = commitIdOf({ previous: sequence.commitId, repoSeq, author, message, time, repoId, made });
  const exportRows = sequence.exportRows + made.filter(addsExportRow).length;
  const writes: Promise<unknown>[] = [
    ...writeRecords(tx, records),
    ...shapes.write(tx),
    indexReferences(tx, records),
    ...indexHeads(tx, { repoId, repoSeq, heads: records.touched(), shapes }),
    tx.query(INSERT_COMMIT, [
      ...[repoId, repoSeq, commitId, time, createdBy, committer?.wref ?? null, committer?.identity ?? null, message],
      ...[outcomes.filter(({ status }) => status === 'applied').length, entriesOf(made), exportRows],
    ]),
    tx.query(UPDATE_SEQUENCE, [
      ...[repoId, repoSeq, records.lastRecordId, commitId, made.some(isRename) ? repoSeq : null, exportRows],
    ]),
  ];
  if (!made.some(({ head }) => head.shapeId === 0)) memory.advanceShapes({ repoId, repoSeq: sequence.repoSeq });
  const written = Promise.all(writes);
  // Most repositories have no subscriptions, and then commits skip the matching.
  if (sequence.watched === 0) return { repoSeq, commitId, written };
  return { repoSeq, commitId, written: written.then(() => fireSubscriptions(tx, draft, time)) };
}

/** An export has every version of a shape, but each other record once. */
function addsExportRow(made: Made): boolean {
  return !isRename(made) && (made.head.kind === 'shape' || made.version === 1);
}

function writeRecords(tx: Transaction, records: RecordSet): Promise<unknown>[] {
  const { repoId, repoSeq } = records.start;
  const common = [repoId];
  const [touched, relabelled] = [records.touched(), records.relabelled()];
  const fresh = touched.filter(({ before }) => before === undefined);
  const changed = touched.filter(({ before }) => before !== undefined);
  const updated = [...new Set([...changed, ...relabelled])];
  const versions = records.made.filter(isVersion);
  const rowOf = (made: MadeVersion) => versionRow(made, { repoId, repoSeq });
  const put = (statement: BulkStatement, rows: readonly (readonly Value[])[]) =>
    rows.length === 0 ? [] : [tx.bulk(statement, { common, rows })];
  return [
    ...put(
      INSERT_RECORDS,
      fresh.map((head) => insertedRecord(repoId, headColumns(head))),
    ),
    // Old names are closed first, because other records of the commit may take them. A name that was taken and given up
    // within the commit leaves no row.
    ...put(
      CLOSE_NAMES,
      relabelled.map(({ shapeId, before }) => [shapeId, before?.local ?? '', repoSeq]),
    ),
    ...put(
      INSERT_NAMES,
      [...fresh, ...relabelled].map(({ shapeId, local, recordId }) => [shapeId, local, repoSeq, recordId]),
    ),
    ...put(
      INSERT_RENAMES,
      records.made.filter(isRename).map((made) => renameRow(made, repoSeq)),
    ),
    ...put(
      CLOSE_VERSIONS,
      changed.map(({ recordId, before }) => [recordId, before?.version ?? 0, repoSeq]),
    ),
    ...put(
      UPDATE_RECORDS,
      updated.map((head) => updatedRecord(repoId, headColumns(head))),
    ),
    ...put(INSERT_VERSIONS, versions.filter(hasContent).map(rowOf)),
    // The versions that these copy from now exist.
    ...put(
      INSERT_COPIED_VERSIONS,
      versions.filter((made) => !hasContent(made)).map((made) => rowOf(made).slice(0, -2)),
    ),
  ];
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
  // A reference to another version of the same record closes one row and opens an equal one.
  if (closed.length > 0) await tx.bulk(CLOSE_REFS, { common: [repoId], rows: closed });
  if (opened.length > 0) await tx.bulk(INSERT_REFS, { common: [repoId], rows: opened });
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
