// Writes imported rows with one statement per kind of row.

import { parseIdentity, parseReferences } from '@cairn/model/wref';
import { missingIn, openedRow, roleOf } from '../commit/commit.write.ts';
import type { HeadColumns } from '../commit/integrity.rule.ts';
import {
  CLOSE_REFS,
  CLOSE_VERSIONS,
  INSERT_NAMES,
  INSERT_RECORDS,
  INSERT_RENAMES,
  INSERT_VERSIONS,
  insertedRecord,
  insertedVersion,
  UPDATE_RECORDS,
  updatedRecord,
} from '../commit/statement.sql.ts';
import type { Transaction, Value } from '../engine/database.ts';
import type { ImportRow } from './import-row.sql.ts';
import { badLine } from './line.rule.ts';
import {
  type KnownRecords,
  localOf,
  type MappedRow,
  nameOf,
  type PlannedRecord,
  planRecord,
} from './record-plan.sql.ts';
import {
  FIND_BEARERS,
  FIND_HASHES,
  FIND_LAST_VERSIONS,
  type HeldRow,
  INSERT_ENTRIES,
  OPEN_REFS,
  writeCommits,
} from './statement.sql.ts';

export async function writeRows(
  tx: Transaction,
  row: ImportRow,
  { rows, held }: { rows: readonly MappedRow[]; held: ReadonlyMap<number, HeldRow> },
): Promise<PlannedRecord[]> {
  const known = { held, shapes: await findShapes(tx, row.repo_id, rows) };
  const planned = groupsOf(rows).map((group) => planRecord(group, row, known));
  await checkAgain(tx, row, planned);
  await checkNames(tx, row, planned);
  await writeRecords(tx, row, planned);
  await writeReferences(tx, row, planned);
  await writeCommits(tx, row.repo_id, rows);
  const renamed = planned.filter(({ held, named }) => held !== undefined && named);
  await keepEntries(
    tx,
    row.repo_id,
    renamed.map(({ last }) => [row.at_seq, last.recordId, last.version, 1]),
  );
  return planned;
}

function groupsOf(rows: readonly MappedRow[]): [MappedRow, ...MappedRow[]][] {
  const groups: [MappedRow, ...MappedRow[]][] = [];
  for (const row of rows) {
    const group = groups.at(-1);
    if (group?.[0].recordId === row.recordId) group.push(row);
    else groups.push([row]);
  }
  return groups;
}

async function findShapes(
  tx: Transaction,
  repoId: number,
  rows: readonly MappedRow[],
): Promise<KnownRecords['shapes']> {
  const names = [...new Set(rows.filter(({ kind }) => kind !== 'shape').map(({ name }) => name.shapeName))];
  const bearers = await tx.bulk<{ record_id: number }>(FIND_BEARERS, {
    common: [repoId],
    rows: names.map((name) => [0, name]),
  });
  const versions = await tx.bulk<{ version: number }>(FIND_LAST_VERSIONS, {
    common: [repoId],
    rows: bearers.map(({ record_id }) => [record_id]),
  });
  const shapes: KnownRecords['shapes'] = new Map();
  for (const { ord, version } of versions) {
    const bearer = bearers[ord];
    const name = names[bearer?.ord ?? -1];
    if (bearer !== undefined && name !== undefined) shapes.set(name, { recordId: bearer.record_id, version });
  }
  return shapes;
}

async function checkAgain(tx: Transaction, { repo_id }: ImportRow, planned: readonly PlannedRecord[]): Promise<void> {
  const again = planned.flatMap((record) => record.again);
  const found = await tx.bulk<{ data_hash: Uint8Array }>(FIND_HASHES, {
    common: [repo_id],
    rows: again.map(({ recordId, version }) => [recordId, version]),
  });
  const hashes = new Map(found.map(({ ord, data_hash }) => [ord, data_hash]));
  for (const [index, row] of again.entries()) {
    const here = hashes.get(index);
    if (here === undefined || Buffer.compare(here, row.dataHash) !== 0) {
      throw badLine(
        row.line,
        `version ${row.version} of ${nameOf(row)} differs from the version that is already here.`,
      );
    }
  }
}

async function checkNames(tx: Transaction, { repo_id }: ImportRow, planned: readonly PlannedRecord[]): Promise<void> {
  const named = planned.filter((record) => record.named);
  const taken = new Set<string>();
  for (const { shapeId, last } of named) {
    const key = `${shapeId}/${localOf(last)}`;
    if (taken.has(key)) throw badLine(last.line, `name: ${nameOf(last)} names two records.`);
    taken.add(key);
  }
  const bearers = await tx.bulk<{ record_id: number }>(FIND_BEARERS, {
    common: [repo_id],
    rows: named.map(({ shapeId, last }) => [shapeId, localOf(last)]),
  });
  const [bearer] = bearers;
  const second = bearer && named[bearer.ord]?.last;
  if (second !== undefined) throw badLine(second.line, `name: ${nameOf(second)} already names another record.`);
}

async function writeRecords(tx: Transaction, row: ImportRow, planned: readonly PlannedRecord[]): Promise<void> {
  const common = [row.repo_id];
  const made = planned.filter(({ held }) => held === undefined);
  const changed = planned.filter(({ held, fresh }) => held !== undefined && fresh.length > 0);
  const relabelled = planned.filter(({ held, named }) => held !== undefined && named);
  await tx.bulk(INSERT_RECORDS, { common, rows: made.map((plan) => insertedRecord(row.repo_id, headColumns(plan))) });
  await tx.bulk(INSERT_NAMES, {
    common,
    rows: [...made, ...relabelled].map(({ shapeId, last }) => [shapeId, localOf(last), row.at_seq, last.recordId]),
  });
  // Readers at the old sequence keep the old names.
  await tx.bulk(INSERT_RENAMES, {
    common,
    rows: relabelled.map(({ held, last }) => [last.recordId, row.at_seq, 0, held?.name ?? '', localOf(last)]),
  });
  await tx.bulk(CLOSE_VERSIONS, {
    common,
    rows: changed.map(({ held, fresh, last }) => [last.recordId, held?.version ?? 0, fresh[0]?.fromSeq ?? 0]),
  });
  const updated = [...new Set([...changed, ...relabelled])];
  await tx.bulk(UPDATE_RECORDS, { common, rows: updated.map((plan) => updatedRecord(row.repo_id, headColumns(plan))) });
  const versions = planned.flatMap(({ fresh }) =>
    fresh.map((version, at) => versionRow(row.repo_id, version, fresh[at + 1])),
  );
  await tx.bulk(INSERT_VERSIONS, { common, rows: versions });
}

function headColumns({ shapeId, held, fresh, last }: PlannedRecord): HeadColumns {
  const name = localOf(last);
  const state = { version: last.version, active: last.active ? 1 : 0, updated_seq: last.fromSeq };
  if (held !== undefined) return { ...held, name, ...(fresh.length > 0 && state) };
  const { recordId, kind, createdSeq, about } = last;
  const target = { about: about?.identity ?? null, about_wref: about?.wref ?? null };
  return { record_id: recordId, kind, shape_id: shapeId, name, created_seq: createdSeq, ...state, ...target };
}

function versionRow(repoId: number, row: MappedRow, next: MappedRow | undefined): Value[] {
  const { recordId, version, fromSeq, operation, active, shapeVersion, reason, dataHash, data, refs } = row;
  return insertedVersion(repoId, {
    record_id: recordId,
    version,
    from_seq: fromSeq,
    to_seq: next?.fromSeq ?? null,
    op_index: 0,
    operation,
    active: active ? 1 : 0,
    shape_version: shapeVersion,
    reason,
    data_hash: dataHash,
    data,
    refs,
  });
}

/** Only final references: a copy cannot be read at earlier versions of a shape. */
async function writeReferences(tx: Transaction, row: ImportRow, planned: readonly PlannedRecord[]): Promise<void> {
  const closed: Value[][] = [];
  const opened: Value[][] = [];
  for (const { held, fresh, last } of planned) {
    const { recordId, kind, fromSeq, about } = last;
    if (held === undefined && about?.identity !== undefined) {
      opened.push(openedRow(recordId, 'about', { path: '', ...parseIdentity(about.identity) }, last.createdSeq));
    }
    if (fresh.length === 0 || (held?.refs ?? null) === last.refs) continue;
    const were = held === undefined ? [] : parseReferences(held.refs);
    for (const { repoId, recordId: targetId, path } of missingIn(were, last.references)) {
      closed.push([repoId, targetId, roleOf(kind, path), recordId, path, row.at_seq]);
    }
    for (const reference of missingIn(last.references, were)) {
      opened.push(openedRow(recordId, roleOf(kind, reference.path), reference, fromSeq));
    }
  }
  await tx.bulk(CLOSE_REFS, { common: [row.repo_id], rows: closed });
  await tx.bulk(OPEN_REFS, { common: [row.repo_id], rows: opened });
}

export async function keepEntries(tx: Transaction, repoId: number, rows: readonly Value[][]): Promise<void> {
  await tx.bulk(INSERT_ENTRIES, { common: [repoId], rows });
}
