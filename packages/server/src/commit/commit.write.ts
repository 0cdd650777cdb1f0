// Group commit: waiting commits to one repository share one lock, one round of reads and one of writes. Each commit
// takes its own sequence, applies all its operations or none (or each by itself), and is refused before it writes.

import { pointerTokens } from '@cairn/model/json-pointer';
import { type Operation, parseOperation } from '@cairn/model/operation';
import { attempt } from '@cairn/model/problem';
import { parseIdentity, parseReferences, type Reference } from '@cairn/model/wref';
import type { CommitResult, OperationResult } from '@cairn/protocol/commit';
import { CairnError } from '@cairn/protocol/errors';
import type { Grant } from '../access/grant.rule.ts';
import { fireSubscriptions } from '../action/firing.sql.ts';
import { accessChanged, READ_EPOCH } from '../engine/access-epoch.ts';
import type { BulkStatement, Transaction, Value } from '../engine/database.ts';
import { repositoryNotFound } from '../repository/repository.sql.ts';
import { requireWritable } from '../repository/repository-change.write.ts';
import { indexRows } from '../shape/field-index.sql.ts';
import { Draft, OPERATION_PLACES, resultOf } from './draft.sql.ts';
import { applyAll, draftOperations, loadDraft, type Sequence, type WriteOrder } from './drafting.sql.ts';
import { commitIdOf, entriesOf, type HeadColumns, isRename } from './integrity.rule.ts';
import { LineUnpacker, operationOf, type PackedLines, sentIn } from './packed-lines.rule.ts';
import { keepReceipt, replayReceipt, type Submission } from './receipt.sql.ts';
import type { Head, Made, MadeVersion, RecordSet, WriterMemory } from './record-set.sql.ts';
import { idKey, nameKey } from './reference/target-lookup.sql.ts';
import {
  CLOSE_FIELD_INDEX,
  CLOSE_NAMES,
  CLOSE_REFS,
  CLOSE_SHAPE_FIELDS,
  CLOSE_VERSIONS,
  INSERT_COMMITS,
  INSERT_COPIED_VERSIONS,
  INSERT_FIELD_INDEX,
  INSERT_NAMES,
  INSERT_RECORDS,
  INSERT_REFS,
  INSERT_RENAMES,
  INSERT_SHAPE_FIELDS,
  INSERT_VERSIONS,
  insertedRecord,
  insertedVersion,
  LOCKED_SEQUENCE,
  SEQUENCE,
  UPDATE_RECORDS,
  UPDATE_SEQUENCE,
  updatedRecord,
  WRITABLE,
} from './statement.sql.ts';

export interface CommitInput extends WriteOrder {
  readonly operations: readonly unknown[] | PackedLines;
  readonly submission?: Submission | undefined;
  /** The epoch at which the caller was authorized. The commit is refused at any other. */
  readonly accessEpoch?: number | undefined;
}

export async function commit(tx: Transaction, input: CommitInput, memory: WriterMemory): Promise<CommitResult> {
  const [outcome] = await commitTogether(tx, [input], memory);
  if (outcome instanceof CairnError) throw outcome;
  return outcome as CommitResult;
}

type Outcome = CommitResult | CairnError;

interface Member {
  readonly input: CommitInput;
  isAlone: boolean;
  settle(outcome: Outcome): void;
}

export async function commitTogether(
  tx: Transaction,
  inputs: readonly CommitInput[],
  memory: WriterMemory,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  let waiting: readonly Member[] = inputs.map((input, at) => ({
    input,
    isAlone: false,
    settle: (outcome) => {
      outcomes[at] = outcome;
    },
  }));
  let sequence: Lock | undefined;
  let room = waiting.length;
  while (waiting.length > 0) {
    const { now, later } = nextRound(waiting, room);
    const round = await makeRound(tx, now, { memory, present: sequence });
    sequence = round.sequence;
    waiting = [...round.deferred, ...later];
    // A deferred commit is loaded again. If all of them change the same record, rounds must stay small.
    room = 2 * Math.max(1, now.length - round.deferred.length);
  }
  return outcomes;
}

/** A round also ends before the second submission with the same id, which must find the receipt of the first. */
function nextRound(waiting: readonly Member[], room: number): { now: readonly Member[]; later: readonly Member[] } {
  const ids = new Set<string>();
  let end = 0;
  for (const { input, isAlone } of waiting.slice(0, room)) {
    const { submission } = input;
    const id = submission && `${submission.owner} ${submission.id}`;
    if (end > 0 && (isAlone || waiting[0]?.isAlone || (id !== undefined && ids.has(id)))) break;
    if (id !== undefined) ids.add(id);
    end++;
  }
  return { now: waiting.slice(0, end), later: waiting.slice(end) };
}

interface Round {
  readonly sequence: Lock;
  /** The first commit that reads what an earlier one changes, and all after it in order of arrival. */
  readonly deferred: readonly Member[];
}

async function makeRound(
  tx: Transaction,
  members: readonly Member[],
  { memory, present }: { memory: WriterMemory; present: Lock | undefined },
): Promise<Round> {
  const locked = await replayOrRefuse(tx, members, present);
  const { repoId } = locked.grant;
  let { sequence } = locked;
  const deferred: Member[] = [];
  const rows = new CommitRows(repoId);
  const made: { readonly draft: Draft; readonly time: number }[] = [];
  const receipts: { readonly submission: Submission; readonly result: CommitResult }[] = [];
  const touched = new Touched();
  const accept = (member: Member, draft: Draft, isLast: boolean) => {
    const commit = rows.add(draft, tx.now());
    sequence = { ...sequence, ...commit.next };
    if (commit.commitId !== null) made.push({ draft, time: commit.time });
    if (!isLast) touched.add(draft);
    const result = { ...toResult(commit), ...reported(draft) };
    member.settle(result);
    const { submission } = member.input;
    if (submission !== undefined) receipts.push({ submission, result });
  };
  const drafts = await loadDrafts(tx, locked.members, { sequence, memory });
  for (const [at, member] of locked.members.entries()) {
    const loaded = drafts[at] as Draft | CairnError;
    if (deferred.length > 0 || (!(loaded instanceof CairnError) && touched.isMetBy(loaded))) {
      deferred.push(member);
      continue;
    }
    const draft = loaded instanceof CairnError || loaded.isApplied ? loaded : applyAt(loaded, sequence);
    if (draft instanceof CairnError) member.settle(draft);
    else if (draft.unknown.length === 0) accept(member, draft, at === locked.members.length - 1);
    else deferred.push(Object.assign(member, { isAlone: true }));
  }
  await Promise.all([rows.send(tx), ...receipts.map((receipt) => keepReceipt(tx, { repoId, ...receipt }))]);
  await fireAll(tx, sequence, made);
  return { sequence, deferred };
}

async function replayOrRefuse(tx: Transaction, members: readonly Member[], present: Lock | undefined) {
  const { grant } = (members[0] as Member).input;
  const proves = members.some(({ input: { accessEpoch } }) => accessEpoch !== undefined);
  // The lock comes first: another node may have held it and written one of the receipts.
  const [sequence, [access], ...replayed] = await Promise.all([
    present ?? readSequence(tx, grant, tx.forUpdate),
    proves ? tx.query<{ epoch: number }>(READ_EPOCH) : [],
    ...members.map(({ input: { submission } }) => submission && orRefusal(replayReceipt(tx, grant.repoId, submission))),
  ]);
  const refused = sequence.isWritable ? undefined : await orRefusal(requireWritable(tx, grant));
  const fresh = members.filter(({ input: { accessEpoch }, settle }, at) => {
    const isProven = accessEpoch === undefined || accessEpoch === access?.epoch;
    const outcome = isProven
      ? (replayed[at] ?? (refused instanceof CairnError ? refused : undefined))
      : accessChanged();
    if (outcome !== undefined) settle(outcome);
    return outcome === undefined;
  });
  return { grant, sequence, members: fresh };
}

async function loadDrafts(
  tx: Transaction,
  members: readonly Member[],
  { sequence, memory }: { sequence: Lock; memory: WriterMemory },
): Promise<(Draft | CairnError)[]> {
  const requests = members.map(({ input }) => ({ ...parsed(input), sequence, memory }));
  const [first] = requests;
  if (requests.length === 1 && first !== undefined) return [await orRefusal(draftOperations(tx, first))];
  return await Promise.all(
    requests.map(async (request) => {
      const draft = new Draft(request);
      return (await orRefusal(loadDraft(tx, draft, []))) ?? draft;
    }),
  );
}

function applyAt(draft: Draft, sequence: Sequence): Draft | CairnError {
  draft.begin(sequence);
  return attempt(() => applyAll(draft)) ?? draft;
}

class Touched {
  readonly #keys = new Set<string>();
  #hasShape = false;

  add({ records }: Draft): void {
    const { repoId } = records.start;
    for (const made of records.made) {
      const { head } = made;
      const { shapeId, local } = head;
      // Every draft depends on shapes, so a changed shape conflicts with all of them.
      this.#hasShape ||= shapeId === 0;
      this.#keys.add(idKey(repoId, head.recordId)).add(nameKey(repoId, { shapeId, local }));
      if (isRename(made)) this.#keys.add(nameKey(repoId, { shapeId, local: made.oldLocal }));
    }
  }

  isMetBy(draft: Draft): boolean {
    if (this.#hasShape) return true;
    if (this.#keys.size === 0) return false;
    for (const key of draft.asked()) if (this.#keys.has(key)) return true;
    return false;
  }
}

async function orRefusal<Result>(work: Promise<Result>): Promise<Result | CairnError> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof CairnError) return error;
    throw error;
  }
}

async function fireAll(
  tx: Transaction,
  { watched }: Sequence,
  made: readonly { readonly draft: Draft; readonly time: number }[],
): Promise<void> {
  if (watched === 0) return;
  for (const { draft, time } of made) await fireSubscriptions(tx, draft, time);
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
  const { written, ...commit } = writeDraft(tx, draft);
  await written;
  return { ...toResult(commit), ...reported(draft) };
}

export function writeDraft(tx: Transaction, draft: Draft): MadeCommit & { readonly written: Promise<void> } {
  const { sequence, records } = draft;
  const rows = new CommitRows(records.start.repoId);
  const commit = rows.add(draft, tx.now());
  const made = commit.commitId === null ? [] : [{ draft, time: commit.time }];
  return { ...commit, written: rows.send(tx).then(() => fireAll(tx, sequence, made)) };
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
  const given = { order: input, places: OPERATION_PLACES };
  if ('lineCount' in operations) {
    const packed = new LineUnpacker(operations).unpack();
    const taken = packed.map((one) => operationOf(one, skipExisting));
    return { ...given, operations: taken, sentAt: (opIndex: number) => sentIn(packed[opIndex]) };
  }
  return {
    ...given,
    operations: operations.map((sent) => parseOperation(sent, skipExisting)),
    sentAt: (opIndex: number) => operations[opIndex],
  };
}

function reported({ outcomes }: Draft): { partial: boolean; operations: OperationResult[] } {
  const operations = outcomes.map((outcome) => (outcome.status === 'error' ? outcome : resultOf(outcome)));
  const hasFailed = outcomes.some(({ status }) => status === 'error');
  return { partial: hasFailed && outcomes.some(({ status }) => status === 'applied'), operations };
}

interface Lock extends Sequence {
  readonly isWritable: boolean;
}

/** Archiving and deleting take the same lock, so the state cannot change afterwards. */
export async function lockSequence(tx: Transaction, grant: Grant): Promise<Lock> {
  const sequence = await readSequence(tx, grant, tx.forUpdate);
  if (!sequence.isWritable) await requireWritable(tx, grant);
  return sequence;
}

export async function readSequence(tx: Transaction, { repoId }: Grant, forUpdate: string): Promise<Lock> {
  const [[sequence], [writable]] = await Promise.all([
    tx.query<Sequence & { importing: string | null }>(forUpdate === '' ? SEQUENCE : LOCKED_SEQUENCE, [repoId]),
    // A separate statement, because its snapshot must be taken after the lock.
    tx.query(WRITABLE, [repoId]),
  ]);
  // The repository existed when the caller was authorized, so it was purged since.
  if (sequence === undefined) throw repositoryNotFound();
  return { ...sequence, isWritable: writable !== undefined && sequence.importing === null };
}

// Rows of a round by statement. The statements are pipelined, so a round takes one round trip.

const ORDER: readonly BulkStatement[] = [
  INSERT_RECORDS,
  // Old names are closed before other records take them.
  CLOSE_NAMES,
  INSERT_NAMES,
  INSERT_RENAMES,
  CLOSE_VERSIONS,
  UPDATE_RECORDS,
  INSERT_VERSIONS,
  // Copies from versions that the statement before inserted.
  INSERT_COPIED_VERSIONS,
  INSERT_SHAPE_FIELDS,
  CLOSE_SHAPE_FIELDS,
  CLOSE_FIELD_INDEX,
  INSERT_FIELD_INDEX,
  INSERT_COMMITS,
];

export interface MadeCommit {
  readonly repoSeq: number;
  /** `null` for a commit that applies nothing and takes no sequence. */
  readonly commitId: Uint8Array | null;
  readonly time: number;
  readonly next: Pick<Sequence, 'repoSeq' | 'lastRecordId' | 'commitId' | 'exportRows'>;
}

export class CommitRows {
  readonly #repoId: number;
  readonly #rows = new Map<BulkStatement, Value[][]>();
  #sequence: Value[] | undefined;
  #renamedSeq: number | null = null;

  constructor(repoId: number) {
    this.#repoId = repoId;
  }

  add(draft: Draft, time: number): MadeCommit {
    const { request, records, shapes, outcomes, committer, sequence } = draft;
    const { made, start } = records;
    if (made.length === 0) return { repoSeq: sequence.repoSeq, commitId: null, time, next: sequence };
    const { repoId, repoSeq } = start;
    const { createdBy, message } = request.order;
    this.#addRecords(records);
    for (const { shapeId, fieldId, path, builtTo } of shapes.added) {
      this.#put(INSERT_SHAPE_FIELDS, [shapeId, fieldId, path, repoSeq, builtTo]);
    }
    for (const { shapeId, fieldId } of shapes.closed) this.#put(CLOSE_SHAPE_FIELDS, [shapeId, fieldId, repoSeq]);
    const heads = records.touched().filter(({ shapeId }) => shapes.fieldsOf(shapeId).length > 0);
    if (heads.length > 0) {
      const indexed = indexRows({ repoSeq, heads, shapes });
      for (const row of indexed.closed) this.#put(CLOSE_FIELD_INDEX, row);
      for (const row of indexed.opened) this.#put(INSERT_FIELD_INDEX, row);
    }
    const author = { createdBy, committer };
    const commitId = commitIdOf({ previous: sequence.commitId, repoSeq, author, message, time, repoId, made });
    const exportRows = sequence.exportRows + made.filter(addsExportRow).length;
    const applied = outcomes.filter(({ status }) => status === 'applied').length;
    this.#put(INSERT_COMMITS, [
      ...[repoSeq, commitId, time, createdBy, committer?.wref ?? null, committer?.identity ?? null, message],
      ...[applied, entriesOf(made), exportRows],
    ]);
    if (made.some(isRename)) this.#renamedSeq = repoSeq;
    const { lastRecordId } = records;
    this.#sequence = [repoId, repoSeq, lastRecordId, commitId, this.#renamedSeq, exportRows];
    const changesShapes = made.some(({ head }) => head.shapeId === 0);
    if (!changesShapes) request.memory.advanceShapes({ repoId, repoSeq: sequence.repoSeq });
    return { repoSeq, commitId, time, next: { repoSeq, lastRecordId, commitId, exportRows } };
  }

  #put(statement: BulkStatement, row: Value[]): void {
    const rows = this.#rows.get(statement);
    if (rows === undefined) this.#rows.set(statement, [row]);
    else rows.push(row);
  }

  async send(tx: Transaction): Promise<void> {
    if (this.#sequence === undefined) return;
    await Promise.all([
      ...ORDER.flatMap((statement) => this.#sendRows(tx, statement)),
      this.#sendReferences(tx),
      tx.query(UPDATE_SEQUENCE, this.#sequence),
    ]);
  }

  #sendRows(tx: Transaction, statement: BulkStatement): Promise<unknown>[] {
    const rows = this.#rows.get(statement);
    if (rows === undefined) return [];
    const common = [this.#repoId];
    // Such a statement takes one sequence, the last value, for all its rows.
    const parts = statement.sameEnd ? [...Map.groupBy(rows, (row) => row.at(-1)).values()] : [rows];
    return parts.map((part) => tx.bulk(statement, { common, rows: part }));
  }

  /** Closes come first: a reference to another version of the same record closes one row and opens an equal one. */
  async #sendReferences(tx: Transaction): Promise<void> {
    await Promise.all(this.#sendRows(tx, CLOSE_REFS));
    await Promise.all(this.#sendRows(tx, INSERT_REFS));
  }

  #addRecords(records: RecordSet): void {
    const { repoId, repoSeq } = records.start;
    const [touched, relabelled] = [records.touched(), records.relabelled()];
    for (const head of touched) {
      if (head.before === undefined) {
        this.#put(INSERT_RECORDS, insertedRecord(repoId, headColumns(head)));
        // A name that was taken and given up within the commit leaves no row.
        this.#put(INSERT_NAMES, [head.shapeId, head.local, repoSeq, head.recordId]);
      } else {
        this.#put(CLOSE_VERSIONS, [head.recordId, head.before.version, repoSeq]);
        this.#put(UPDATE_RECORDS, updatedRecord(repoId, headColumns(head)));
      }
      this.#addReferences(head, repoSeq);
    }
    for (const head of relabelled) {
      this.#put(CLOSE_NAMES, [head.shapeId, head.before?.local ?? '', repoSeq]);
      this.#put(INSERT_NAMES, [head.shapeId, head.local, repoSeq, head.recordId]);
      if (!touched.includes(head)) this.#put(UPDATE_RECORDS, updatedRecord(repoId, headColumns(head)));
    }
    for (const made of records.made) {
      if (isRename(made))
        this.#put(INSERT_RENAMES, [made.head.recordId, repoSeq, made.opIndex, made.oldLocal, made.newLocal]);
      else if (made.head.loaded) this.#put(INSERT_VERSIONS, versionRow(made, { repoId, repoSeq }));
      else this.#put(INSERT_COPIED_VERSIONS, versionRow(made, { repoId, repoSeq }).slice(0, -2));
    }
  }

  /** A row of the reference index lasts as long as its reference, across all versions that keep it. */
  #addReferences(head: Head, repoSeq: number): void {
    const { about, before, recordId, kind, refs, references } = head;
    if (before === undefined && about !== null) {
      this.#put(INSERT_REFS, openedRow(recordId, 'about', { path: '', ...parseIdentity(about.identity) }, repoSeq));
    }
    if (before?.refs === refs || (before === undefined && refs === null)) return;
    const [were, are] = [before === undefined ? [] : parseReferences(before.refs), references ?? parseReferences(refs)];
    for (const { repoId, recordId: targetId, path } of missingIn(were, are)) {
      this.#put(CLOSE_REFS, [repoId, targetId, roleOf(kind, path), recordId, path, repoSeq]);
    }
    for (const reference of missingIn(are, were)) {
      this.#put(INSERT_REFS, openedRow(recordId, roleOf(kind, reference.path), reference, repoSeq));
    }
  }
}

/** An export has every version of a shape, but each other record once. */
function addsExportRow(made: Made): boolean {
  return !isRename(made) && (made.head.kind === 'shape' || made.version === 1);
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

// A version that was replaced within its own commit was never visible, so it ends where it begins.
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

export function openedRow(recordId: Head['recordId'], role: string, target: Reference, repoSeq: number): Value[] {
  return [target.repoId, target.recordId, role, recordId, target.path, repoSeq, target.version];
}

export function roleOf(kind: string, path: string): string {
  return kind === 'collection' ? (pointerTokens(path)[0] ?? '') : 'field';
}

export function missingIn(references: readonly Reference[], others: readonly Reference[]): readonly Reference[] {
  if (others.length === 0) return references;
  const held = new Set(others.map(referenceKey));
  return references.filter((reference) => !held.has(referenceKey(reference)));
}

const referenceKey = ({ path, repoId, recordId, version }: Reference) => `${repoId} ${recordId} ${version} ${path}`;
