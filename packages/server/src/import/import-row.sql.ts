// The state of an import, and the commit that a complete import stands for.
import { hash } from 'node:crypto';
import { canonicalJson } from '@cairn/model/json';
import type { CommitRecord } from '@cairn/protocol/commit';
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { Grant } from '../access/grant.rule.ts';
import type { Reader, Transaction, Value } from '../engine/database.ts';
import { repositoryNotFound } from '../repository/repository.sql.ts';
import { requirePresent } from '../repository/repository-change.write.ts';

export type ImportStep = 'commits' | 'references' | 'shapes' | 'show';

export interface ImportRow {
  readonly repo_id: number;
  readonly import_id: string;
  readonly state: 'receiving' | 'checking' | 'clearing' | 'complete';
  readonly source: string;
  readonly server: string;
  readonly since_seq: number;
  readonly at_seq: number;
  readonly source_commit: Uint8Array | null;
  readonly source_repo_id: number | null;
  readonly row_count: number;
  readonly row_hash: Uint8Array;
  readonly record_id: number;
  readonly version: number;
  readonly created_seq: number;
  readonly step: ImportStep;
  readonly place: string | null;
  readonly checked: number;
  readonly created_by: string;
  readonly created_at: number;
  readonly message: string;
  readonly completed_at: number | null;
  readonly commit_id: Uint8Array | null;
}

export interface SequenceRow {
  readonly repo_seq: number;
  readonly imported_seq: number;
  readonly commit_id: Uint8Array | null;
  readonly export_rows: number;
}

const IMPORT_COLUMNS = `repo_id, import_id, state, source, server, since_seq, at_seq, source_commit, source_repo_id, row_count,
  row_hash, record_id, version, created_seq, step, place, checked, created_by, created_at, message, completed_at, commit_id`;

/** A restore fills a new repository. An increment changes an existing copy and is staged until complete. */
export function isRestore({ since_seq }: Pick<ImportRow, 'since_seq'>): boolean {
  return since_seq === 0;
}

export async function lockSequence(tx: Transaction, grant: Grant): Promise<SequenceRow> {
  const [row] = await tx.query<SequenceRow>(
    `select repo_seq, imported_seq, commit_id, export_rows from repo_sequence where repo_id = $1 ${tx.forUpdate}`,
    [grant.repoId],
  );
  if (row === undefined) throw repositoryNotFound();
  await requirePresent(tx, grant);
  return row;
}

async function findWhere(reader: Reader, condition: string, values: readonly Value[]): Promise<ImportRow | undefined> {
  const sql = `select ${IMPORT_COLUMNS} from import where repo_id = $1 and ${condition}`;
  const [row] = await reader.query<ImportRow>(sql, values);
  return row;
}

export async function findOpenImport(reader: Reader, repoId: number): Promise<ImportRow | undefined> {
  return await findWhere(reader, `state <> 'complete'`, [repoId]);
}

export async function findCompleteImport(
  reader: Reader,
  { repoId, atSeq }: { repoId: number; atSeq: number },
): Promise<ImportRow | undefined> {
  // Empty increments leave the copy where it was, so they do not count.
  const condition = `at_seq = $2 and state = 'complete' and (since_seq < at_seq or since_seq = 0)`;
  return await findWhere(reader, condition, [repoId, atSeq]);
}

export interface ImportAddress {
  readonly grant: Grant;
  readonly importId: string;
}

const IMPORT_ID = /^[0-9a-f-]{36}$/;

export async function findImport(reader: Reader, repoId: number, importId: string): Promise<ImportRow | undefined> {
  // PostgreSQL would raise an internal error for invalid text.
  if (!IMPORT_ID.test(importId)) return undefined;
  return await findWhere(reader, 'import_id = $2', [repoId, importId]);
}

export async function requireImport(reader: Reader, { grant, importId }: ImportAddress): Promise<ImportRow> {
  const row = await findImport(reader, grant.repoId, importId);
  if (row !== undefined) return row;
  throw fail('NOT_FOUND', {
    message: `The repository has no import ${importId}. It was aborted, or belongs to another repository. Start with import.begin.`,
  });
}

export function refuseState({ state }: ImportRow, wanted: string): CairnError {
  const advice = {
    receiving: 'It is still receiving rows.',
    checking: 'It has all its rows. Call import.finish until it is complete, or import.abort.',
    clearing: 'It is being removed. Call import.abort until that is done.',
    complete: 'It is complete.',
  };
  return fail('CONFLICT', { message: `${wanted}: ${advice[state]}`, details: { reason: `import_${state}` } });
}

/** Column names come from code, never from input. */
export async function updateImport(
  tx: Transaction,
  { repo_id, import_id }: ImportRow,
  changes: Partial<Omit<ImportRow, 'repo_id' | 'import_id'>>,
): Promise<void> {
  const entries = Object.entries(changes);
  const assignments = entries.map(([column], index) => `${column} = $${index + 3}`).join(', ');
  await tx.query(`update import set ${assignments} where repo_id = $1 and import_id = $2`, [
    repo_id,
    import_id,
    ...entries.map(([, value]) => value ?? null),
  ]);
}

export function importCommitId(row: ImportRow, time: number): Uint8Array {
  const { source_commit, at_seq, created_by, message, since_seq, row_count, row_hash } = row;
  const rows = [since_seq, row_count, hex(row_hash)];
  const before = source_commit === null ? null : hex(source_commit);
  return hash('sha256', canonicalJson([before, at_seq, created_by, null, null, time, message, rows]), 'buffer');
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

/** Only callers who see the whole repository learn the commit's content and source. */
export async function readImportCommit(reader: Reader, grant: Grant): Promise<CommitRecord | undefined> {
  const { repoId, repository, narrowing } = grant;
  const repoSeq = repository.importedRepoSeq ?? 0;
  const row = await findCompleteImport(reader, { repoId, atSeq: repoSeq });
  if (row?.commit_id == null) return undefined;
  const isWhole = narrowing === undefined;
  return {
    repoSeq,
    commitId: isWhole ? hex(row.commit_id) : null,
    createdBy: row.created_by,
    createdAt: row.completed_at ?? row.created_at,
    message: isWhole ? row.message : null,
    operationCount: isWhole ? row.row_count : 0,
    imported: true,
  };
}
