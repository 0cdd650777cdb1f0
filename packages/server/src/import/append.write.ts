// Takes in exported rows, each append in one transaction. A restore writes rows in place, invisible while importing; an
// increment stages them.
import { hash } from 'node:crypto';
import { formatDurableId } from '@cairn/model/wref';
import { fail } from '@cairn/protocol/errors';
import type { ReadableRepository } from '../commit/reference/target-set.sql.ts';
import type { Transaction } from '../engine/database.ts';
import { type ImportProgress, otherSource } from './begin.write.ts';
import {
  findCompleteImport,
  hex,
  type ImportAddress,
  type ImportRow,
  isRestore,
  lockSequence,
  refuseState,
  requireImport,
  updateImport,
} from './import-row.sql.ts';
import { badLine, type CheckedRow, type LineLimits, lineReader } from './line.rule.ts';
import { findHeld, type MappedRow, mapRows, nameOf } from './record-plan.sql.ts';
import { keepEntries, writeRows } from './record-write.write.ts';
import { INSERT_LINES } from './statement.sql.ts';

interface ImportAppending extends ImportAddress {
  readonly offset: number;
  readonly lines: string;
  readonly readable: readonly ReadableRepository[];
  readonly limits: LineLimits & { readonly importIncrementRows: number };
}

export async function appendImport(tx: Transaction, appending: ImportAppending): Promise<ImportProgress> {
  const { grant, importId, offset, readable, limits } = appending;
  await lockSequence(tx, grant);
  const row = await requireImport(tx, appending);
  if (row.state !== 'receiving') throw refuseState(row, 'The import takes no more rows');
  if (offset !== row.row_count) throw wrongOffset(row.row_count);
  const texts = linesIn(appending.lines);
  if (!isRestore(row)) refuseBeyond(limits.importIncrementRows, row.row_count + texts.length);
  const readLine = await lineReader(limits);
  const checked = texts.map((text, index) => readLine(text, offset + index + 2));
  const sourceRepoId = await checkSource(tx, row, checked);
  checkOrder(row, checked);
  const rows = await mapRows(tx, checked, { sourceRepoId, repoId: grant.repoId, readable });
  if (isRestore(row)) await writeRows(tx, row, { rows, held: await findHeld(tx, grant.repoId, [row.record_id]) });
  else await keepRows(tx, row, rows);
  const fresh = rows.filter(({ fromSeq }) => fromSeq > row.since_seq);
  await keepEntries(
    tx,
    grant.repoId,
    fresh.map(({ fromSeq, recordId, version }) => [fromSeq, recordId, version, 0]),
  );
  await noteRows(tx, row, { rows, sourceRepoId });
  return { importId, offset: offset + rows.length };
}

function wrongOffset(offset: number) {
  return fail('CONFLICT', {
    message: `offset: The import has ${offset} rows. Continue with the next row.`,
    details: { reason: 'import_offset', offset },
  });
}

function linesIn(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function refuseBeyond(max: number, rows: number): void {
  if (rows <= max) return;
  throw fail('PAYLOAD_TOO_LARGE', {
    message: `An increment can have at most ${max} rows, because it is applied at once. Abort this import, then import increments of fewer commits, or a full export into a new repository.`,
    details: { maxRows: max },
  });
}

/** All rows must come from one repository, the same one for all increments. */
async function checkSource(tx: Transaction, row: ImportRow, rows: readonly CheckedRow[]): Promise<number> {
  const isNext = row.source_repo_id === null && !isRestore(row);
  const before = isNext ? await findCompleteImport(tx, { repoId: row.repo_id, atSeq: row.since_seq }) : undefined;
  const known = row.source_repo_id ?? before?.source_repo_id;
  const repoId = known ?? rows[0]?.repoId ?? 0;
  const stray = rows.find((one) => one.repoId !== repoId);
  if (stray === undefined) return repoId;
  if (before?.source_repo_id === repoId) throw otherSource(before);
  throw badLine(stray.line, 'durableId: it belongs to another repository than the lines before it.');
}

function checkOrder(row: ImportRow, rows: readonly CheckedRow[]): void {
  let [recordId, version, createdSeq] = [row.record_id, row.version, row.created_seq];
  for (const next of rows) {
    const { line, fromSeq } = next;
    const isNext = next.recordId > recordId || (next.recordId === recordId && next.version > version);
    if (!isNext)
      throw badLine(
        line,
        'durableId: rows must be sorted by record and version, but this row does not come after the previous one.',
      );
    if (next.createdSeq < createdSeq)
      throw badLine(line, `recordRepoSeq: an earlier record was added at sequence ${createdSeq}.`);
    if (fromSeq > row.at_seq)
      throw badLine(line, `repoSeq: ${fromSeq} is after ${row.at_seq}, the sequence of the export.`);
    ({ recordId, version, createdSeq } = next);
  }
}

export type KeptRow = Omit<MappedRow, 'dataHash'> & { readonly dataHash: string };

async function keepRows(tx: Transaction, { repo_id }: ImportRow, rows: readonly MappedRow[]): Promise<void> {
  const kept = rows.map((row) => [row.line, JSON.stringify({ ...row, dataHash: hex(row.dataHash) } satisfies KeptRow)]);
  await tx.bulk(INSERT_LINES, { common: [repo_id], rows: kept });
}

async function noteRows(
  tx: Transaction,
  row: ImportRow,
  { rows, sourceRepoId }: { rows: readonly MappedRow[]; sourceRepoId: number },
): Promise<void> {
  const last = rows.at(-1);
  if (last === undefined) return;
  await updateImport(tx, row, {
    source_repo_id: sourceRepoId,
    row_count: row.row_count + rows.length,
    row_hash: rows.reduce((before, one) => chainedHash(row.repo_id, before, one), row.row_hash),
    record_id: last.recordId,
    version: last.version,
    created_seq: last.createdSeq,
  });
}

/** Hashes row by row, so that the result does not depend on how rows were batched. */
function chainedHash(repoId: number, before: Uint8Array, row: MappedRow): Uint8Array {
  const { recordId, kind, operation, version, active, shapeVersion, about, dataHash, reason, refs } = row;
  const identity = formatDurableId({ repoId, recordId });
  const start = [hex(before), identity, kind, operation, version, nameOf(row), active, shapeVersion];
  const entry = [...start, about?.identity ?? null, hex(dataHash), reason, row.fromSeq, refs];
  return hash('sha256', JSON.stringify(entry), 'buffer');
}
