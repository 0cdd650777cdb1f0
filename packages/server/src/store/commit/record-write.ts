// The rows that follow from what a commit made of its records: records, versions, names and renames.

import type { Transaction, Value } from '../database.ts';
import type { Head, Made, MadeRename, MadeVersion, RecordSet } from './record-set.ts';
import {
  CLOSE_NAMES,
  CLOSE_VERSIONS,
  INSERT_COPIED_VERSIONS,
  INSERT_NAMES,
  INSERT_RECORDS,
  INSERT_RENAMES,
  INSERT_VERSIONS,
  RENAME_RECORDS,
  UPDATE_RECORDS,
} from './statement.ts';

export async function writeRecords(tx: Transaction, records: RecordSet): Promise<void> {
  const { repoId, repoSeq } = records.start;
  const common = [repoId];
  const fresh = records.touched().filter(({ before }) => before === undefined);
  const changed = records.touched().filter(({ before }) => before !== undefined);
  await tx.bulk(INSERT_RECORDS, { common, rows: fresh.map((head) => recordRow(head, repoSeq)) });
  await writeNames(tx, records, fresh);
  await tx.bulk(CLOSE_VERSIONS, {
    common,
    rows: changed.map(({ recordId, before }) => [recordId, before?.version ?? 0, repoSeq]),
  });
  await tx.bulk(UPDATE_RECORDS, {
    common,
    rows: changed.map(({ recordId, version, active }) => [recordId, version, active ? 1 : 0, repoSeq]),
  });
  const versions = records.made.filter(isVersion);
  await tx.bulk(INSERT_VERSIONS, { common, rows: versions.filter(isWhole).map((made) => versionRow(made, repoSeq)) });
  // What these copy from is there by now.
  const copied = versions.filter((made) => !isWhole(made));
  await tx.bulk(INSERT_COPIED_VERSIONS, { common, rows: copied.map((made) => versionRow(made, repoSeq).slice(0, -2)) });
}

/** A name that was taken and given up within the commit was never anyone's: it leaves no row. */
async function writeNames(tx: Transaction, records: RecordSet, fresh: readonly Head[]): Promise<void> {
  const { repoId, repoSeq } = records.start;
  const common = [repoId];
  const relabelled = records.relabelled();
  // Before others take the names that these give up.
  await tx.bulk(CLOSE_NAMES, {
    common,
    rows: relabelled.map(({ shapeId, before }) => [shapeId, before?.local ?? '', repoSeq]),
  });
  await tx.bulk(INSERT_NAMES, {
    common,
    rows: [...fresh, ...relabelled].map(({ shapeId, local, recordId }) => [shapeId, local, repoSeq, recordId]),
  });
  await tx.bulk(RENAME_RECORDS, { common, rows: relabelled.map(({ recordId, local }) => [recordId, local]) });
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

const NO_TARGET = [null, null] as const;

function recordRow(head: Head, repoSeq: number): Value[] {
  const { recordId, kind, shapeId, local, version, active, about } = head;
  const [identity, wref] = about === null ? NO_TARGET : [about.identity, about.wref];
  return [recordId, kind, shapeId, local, version, active ? 1 : 0, repoSeq, repoSeq, identity, wref];
}

function renameRow({ head, opIndex, oldLocal, newLocal }: MadeRename, repoSeq: number): Value[] {
  return [head.recordId, repoSeq, opIndex, oldLocal, newLocal];
}

// A version that a later operation of the same commit replaced was never visible: it ends where it begins.
function versionRow(made: MadeVersion, repoSeq: number): Value[] {
  const { head, version, superseded, opIndex, operation, shapeVersion = null, reason = null } = made;
  const end = superseded ? repoSeq : null;
  const active = made.active ? 1 : 0;
  const { dataHash, data, refs } = made;
  return [head.recordId, version, repoSeq, end, opIndex, operation, active, shapeVersion, reason, dataHash, data, refs];
}
