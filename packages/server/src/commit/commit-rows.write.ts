// Collects the rows of a round of commits by statement. The statements are pipelined, so a round takes one round trip
// however many commits it has.

import { pointerTokens } from '@cairn/model/json-pointer';
import { parseIdentity, parseReferences, type Reference } from '@cairn/model/wref';
import type { BulkStatement, Transaction, Value } from '../engine/database.ts';
import { indexRows } from '../shape/field-index.sql.ts';
import { commitIdOf, entriesOf, isRename } from './chain.rule.ts';
import type { Draft } from './draft.sql.ts';
import type { Sequence } from './drafting.sql.ts';
import type { Head, Made, MadeRename, MadeVersion, RecordSet } from './record-set.sql.ts';
import type { HeadColumns } from './row-checksum.rule.ts';
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
  UPDATE_RECORDS,
  UPDATE_SEQUENCE,
  updatedRecord,
} from './statement.sql.ts';

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
  /** The state of the repository's sequence after this commit. */
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

  /** A reference to another version of the same record closes one row and opens an equal one. */
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
      if (isRename(made)) this.#put(INSERT_RENAMES, renameRow(made, repoSeq));
      else if (made.head.loaded) this.#put(INSERT_VERSIONS, versionRow(made, { repoId, repoSeq }));
      // A version without loaded content copies its predecessor.
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
