// Begins an import or finds one to resume, and aborts imports.
import { randomUUID } from 'node:crypto';
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { ExportHeader } from '@cairn/protocol/export';
import type { Grant } from '../access/grant.rule.ts';
import type { Transaction } from '../engine/database.ts';
import { REPOSITORY_TABLES, type RepositoryTable, removeRows } from '../repository/repository-removal.sql.ts';
import {
  findCompleteImport,
  findImport,
  findOpenImport,
  hex,
  type ImportRow,
  isRestore,
  lockSequence,
  refuseState,
  type SequenceRow,
  updateImport,
} from './import-row.sql.ts';

interface ImportBeginning {
  readonly grant: Grant;
  readonly header: ExportHeader;
  readonly createdBy: string;
}

export interface ImportProgress {
  readonly importId: string;
  readonly offset: number;
}

export async function beginImport(tx: Transaction, beginning: ImportBeginning): Promise<ImportProgress> {
  const { grant, header } = beginning;
  const sequence = await lockSequence(tx, grant);
  const found = (await findOpenImport(tx, grant.repoId)) ?? (await findDone(tx, beginning, sequence));
  if (found !== undefined) return resume(found, header);
  if (header.sinceRepoSeq === 0) refuseUnlessEmpty(grant, sequence);
  else await refuseUnlessInStep(tx, beginning, sequence);
  const importId = await insertImport(tx, beginning);
  if (header.sinceRepoSeq === 0) {
    await tx.query('update repo_sequence set importing = $2 where repo_id = $1', [grant.repoId, importId]);
  }
  return { importId, offset: 0 };
}

/** A client that missed the completion begins again and learns of it by finishing. */
async function findDone(
  tx: Transaction,
  { grant, header }: ImportBeginning,
  { repo_seq, imported_seq }: SequenceRow,
): Promise<ImportRow | undefined> {
  if (imported_seq === 0 || repo_seq !== imported_seq || header.atRepoSeq !== imported_seq) return undefined;
  const done = await findCompleteImport(tx, { repoId: grant.repoId, atSeq: imported_seq });
  return done !== undefined && isOf(done, header) ? done : undefined;
}

/** The export time does not matter, because rows of the same sequences are always equal. */
function isOf(row: ImportRow, { repo, server, sinceRepoSeq, atRepoSeq, commitId }: ExportHeader): boolean {
  const had = row.source_commit === null ? null : hex(row.source_commit);
  const [is, was] = [
    [repo, server, sinceRepoSeq, atRepoSeq, commitId],
    [row.source, row.server, row.since_seq, row.at_seq, had],
  ];
  return is.every((part, index) => part === was[index]);
}

function resume(row: ImportRow, header: ExportHeader): ImportProgress {
  if (row.state === 'clearing') throw refuseState(row, 'Another import cannot start yet');
  if (isOf(row, header)) return { importId: row.import_id, offset: row.row_count };
  throw fail('CONFLICT', {
    message: `The import of another export is in progress: of ${row.source} from sequence ${row.since_seq} to ${row.at_seq}. Finish it, or abort it with import.abort.`,
    details: { reason: 'import_under_way', importId: row.import_id },
  });
}

function refuseUnlessEmpty({ repository }: Grant, { repo_seq }: SequenceRow): void {
  if (repo_seq === 0) return;
  throw outOfStep(
    repo_seq,
    `A full export needs an empty repository, but ${repository.orgName}/${repository.name} is at sequence ${repo_seq}. Create another repository for it. If this repository is a copy, import only the changes after sequence ${repo_seq} (sinceRepoSeq=${repo_seq}).`,
  );
}

async function refuseUnlessInStep(
  tx: Transaction,
  { grant, header }: ImportBeginning,
  { repo_seq, imported_seq }: SequenceRow,
): Promise<void> {
  const { sinceRepoSeq: since, server } = header;
  if (imported_seq === 0) {
    throw outOfStep(repo_seq, `This export contains only changes after sequence ${since}. Import a full export first.`);
  }
  if (repo_seq > imported_seq) {
    throw outOfStep(
      repo_seq,
      `This copy has commits of its own, so it cannot follow the original any more. Import into a new repository.`,
    );
  }
  if (imported_seq !== since) {
    throw outOfStep(
      repo_seq,
      `This copy is at sequence ${imported_seq}, but the export starts at ${since}. Export the changes after sequence ${imported_seq} (sinceRepoSeq=${imported_seq}).`,
    );
  }
  const last = await findCompleteImport(tx, { repoId: grant.repoId, atSeq: imported_seq });
  if (last?.server !== server) throw otherSource(last);
}

function outOfStep(repoSeq: number, message: string): CairnError {
  return fail('CONFLICT', { message, details: { reason: 'import_out_of_step', repoSeq } });
}

export function otherSource(last: ImportRow | undefined): CairnError {
  return fail('CONFLICT', {
    message: `This repository is a copy of ${last?.source ?? 'another repository'}, but the export is from a different one. Import it into a new repository.`,
    details: { reason: 'import_other_source' },
  });
}

async function insertImport(tx: Transaction, { grant, header, createdBy }: ImportBeginning): Promise<string> {
  const { repo, server, sinceRepoSeq, atRepoSeq, commitId } = header;
  const importId = randomUUID();
  const since = sinceRepoSeq === 0 ? '' : `, from ${sinceRepoSeq} on`;
  await tx.query(
    `insert into import (repo_id, import_id, state, source, server, since_seq, at_seq, source_commit, row_count, row_hash,
       record_id, version, created_seq, step, checked, created_by, created_at, message)
     values ($1, $2, 'receiving', $3, $4, $5, $6, $7, 0, $8, 0, 0, 0, 'commits', 0, $9, $10, $11)`,
    [
      grant.repoId,
      importId,
      repo,
      server,
      sinceRepoSeq,
      atRepoSeq,
      commitId === null ? null : Buffer.from(commitId, 'hex'),
      new Uint8Array(0),
      createdBy,
      Date.now(),
      `Imported from ${repo} at sequence ${atRepoSeq}${since}`,
    ],
  );
  return importId;
}

/** Tables filled by a restore. Fields come first, so that no job builds their index meanwhile. */
const RESTORED = ['shape_field', 'field_index', 'ref', 'name', 'version', 'record', '"commit"', 'import_entry'];
const STAGED = ['import_line', 'import_entry'];

/** Leaves the repository as it was before. Returns whether this was the last step. */
export async function abortImport(
  tx: Transaction,
  { grant, importId, rowsMax }: { grant: Grant; importId: string | undefined; rowsMax: number },
): Promise<boolean> {
  await lockSequence(tx, grant);
  const open = await findOpenImport(tx, grant.repoId);
  if (open === undefined || (importId !== undefined && open.import_id !== importId)) {
    await refuseComplete(tx, grant.repoId, importId);
    return true;
  }
  if (open.state !== 'clearing') await updateImport(tx, open, { state: 'clearing' });
  let rowsLeft = rowsMax;
  for (const table of tablesOf(open)) {
    rowsLeft -= await removeRows(tx, table, { repoId: grant.repoId, rowsMax: rowsLeft });
    if (rowsLeft <= 0) return false;
  }
  await tx.query('update repo_sequence set importing = null where repo_id = $1', [grant.repoId]);
  await tx.query('delete from import where repo_id = $1 and import_id = $2', [grant.repoId, open.import_id]);
  return true;
}

/** An aborted import is forgotten, so a repeated abort succeeds. */
async function refuseComplete(tx: Transaction, repoId: number, importId: string | undefined): Promise<void> {
  const row = importId === undefined ? undefined : await findImport(tx, repoId, importId);
  if (row !== undefined) throw refuseState(row, 'The import cannot be aborted');
}

function tablesOf(row: ImportRow): RepositoryTable[] {
  const names = isRestore(row) ? RESTORED : STAGED;
  return names.flatMap((name) => REPOSITORY_TABLES.filter((table) => table.name === name));
}
