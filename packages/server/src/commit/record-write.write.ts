// The rows that follow from what a commit made of its records: records, versions, names and renames.

import type { Transaction, Value } from '../engine/database.ts';
import type { Head, Made, MadeRename, MadeVersion, RecordSet } from './record-set.sql.ts';
import type { HeadColumns } from './row-checksum.rule.ts';
import {
  CLOSE_NAMES,
  CLOSE_VERSIONS,
  INSERT_COPIED_VERSIONS,
  INSERT_NAMES,
  INSERT_RECORDS,
  INSERT_RENAMES,
  INSERT_VERSIONS,
  insertedRecord,
  insertedVersion,
  UPDATE_RECORDS,
  updatedRecord,
} from './statement.sql.ts';

export async function writeRecords(tx: Transaction, records: RecordSet): Promise<void> {
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
  await tx.bulk(INSERT_VERSIONS, { common, rows: versions.filter(isWhole).map(rowOf) });
  // What these copy from is there by now.
  const copied = versions.filter((made) => !isWhole(made));
  await tx.bulk(INSERT_COPIED_VERSIONS, { common, rows: copied.map((made) => rowOf(made).slice(0, -2)) });
}

/** A name that was taken and given up within the commit was never anyone's: it leaves no row. */
async function writeNames(
  tx: Transaction,
  records: RecordSet,
  { fresh, relabelled }: { readonly fresh: readonly Head[]; readonly relabelled: readonly Head[] },
): Promise<void> {
  const { repoId, repoSeq } = records.start;
  const common = [repoId];
  // Before others take the names that these give up.
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

export function isRename(made: Made): made is MadeRename {
  return made.operation === 'rename';
}

export function isVersion(made: Made): made is MadeVersion {
  return made.operation !== 'rename';
}

/** Whether what it holds is at hand; else it holds what the version before it does. */
function isWhole({ head }: MadeVersion): boolean {
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

// A version that a later operation of the same commit replaced was never visible: it ends where it begins.
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
