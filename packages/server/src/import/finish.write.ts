// Finishes an import: checks it as a whole, in steps, and then shows it in one small transaction.
import { fail } from '@cairn/protocol/errors';
import type { ImportFinished } from '@cairn/protocol/import';
import type { WriterMemory } from '../commit/writer-memory.rule.ts';
import type { Transaction } from '../engine/database.ts';
import { checkReferences, indexShapes, writeEntries } from './check.sql.ts';
import { holdCommit } from './commit-write.sql.ts';
import {
  hex,
  type ImportAddress,
  type ImportRow,
  type ImportStep,
  importCommitId,
  isRestore,
  lockSequence,
  refuseState,
  requireImport,
  type SequenceRow,
  updateImport,
} from './import-row.sql.ts';
import { applyIncrement } from './increment.write.ts';

export interface ImportFinishing extends ImportAddress {
  /** What the end mark says. */
  readonly recordCount: number;
}

/** One step. Whoever calls again goes on, and is told again that it is complete. */
export async function finishImport(
  tx: Transaction,
  finishing: ImportFinishing,
  memory: WriterMemory,
): Promise<ImportFinished> {
  const sequence = await lockSequence(tx, finishing.grant);
  const row = await requireImport(tx, finishing);
  if (row.state === 'clearing') throw refuseState(row, 'The import cannot be finished');
  if (finishing.recordCount !== row.row_count) throw incomplete(row, finishing.recordCount);
  if (row.state === 'complete') return complete(row);
  if (isRestore(row)) return await takeStep(tx, row, memory);
  refuseCommitted(row, sequence);
  // One that holds nothing leaves the copy, and its commit, as they are.
  if (row.at_seq === row.since_seq) return await close(tx, row, sequence.commit_id ?? new Uint8Array(0));
  const added = await applyIncrement(tx, row, memory);
  return await show(tx, row, sequence.export_rows + added);
}

function incomplete({ row_count, state }: ImportRow, recordCount: number) {
  const advice = state === 'receiving' && row_count < recordCount ? 'Send the others first.' : 'Abort the import.';
  return fail('CONFLICT', {
    message: `end.recordCount: The last line of the export counts ${recordCount} rows, and the import has ${row_count}. ${advice}`,
    details: { reason: 'import_incomplete', offset: row_count },
  });
}

function refuseCommitted({ since_seq }: ImportRow, { repo_seq }: SequenceRow): void {
  if (repo_seq === since_seq) return;
  throw fail('CONFLICT', {
    message: `Something was committed to this copy since the import began: it stands at ${repo_seq} and follows no more. Abort the import, and import into a new repository.`,
    details: { reason: 'import_out_of_step', repoSeq: repo_seq },
  });
}

const NEXT: Readonly<Record<ImportStep, ImportStep>> = {
  commits: 'references',
  references: 'shapes',
  shapes: 'show',
  show: 'show',
};

async function takeStep(tx: Transaction, row: ImportRow, memory: WriterMemory): Promise<ImportFinished> {
  if (row.step === 'show') return await show(tx, row, row.row_count);
  const { done, place = null, count = 0 } = await check(tx, row, memory);
  const checked = row.checked + count;
  const step = done ? NEXT[row.step] : row.step;
  await updateImport(tx, row, { state: 'checking', step, place: done ? null : place, checked });
  return { state: 'checking', checked };
}

interface Checked {
  readonly done: boolean;
  readonly place?: string | null;
  /** Of rows. */
  readonly count?: number;
}

async function check(tx: Transaction, row: ImportRow, memory: WriterMemory): Promise<Checked> {
  if (row.step === 'commits') {
    const count = await writeEntries(tx, row);
    return { done: count === 0, count };
  }
  const place = await (row.step === 'references' ? checkReferences(tx, row) : indexShapes(tx, row, memory));
  return { done: place === null, place };
}

/** From here on it is to be seen. Subscriptions would be told here; an import tells none. */
async function show(tx: Transaction, row: ImportRow, exportRows: number): Promise<ImportFinished> {
  const { repo_id, at_seq } = row;
  const now = Date.now();
  const commitId = importCommitId(row, now);
  // A repository that was empty when it was exported stays one that was never committed to.
  if (at_seq > 0) await holdCommit(tx, row, { commitId, exportRows });
  await tx.query(
    `update repo_sequence set repo_seq = $2, imported_seq = $2, renamed_seq = $2, commit_id = $3, export_rows = $4,
       last_record_id = (select coalesce(max(record_id), 0) from record where repo_id = $1), importing = null
     where repo_id = $1`,
    [repo_id, at_seq, at_seq > 0 ? commitId : null, exportRows],
  );
  return await close(tx, row, commitId, now);
}

async function close(
  tx: Transaction,
  row: ImportRow,
  commitId: Uint8Array,
  now: number = Date.now(),
): Promise<ImportFinished> {
  const changes = { state: 'complete', completed_at: now, commit_id: commitId } as const;
  await updateImport(tx, row, changes);
  return complete({ ...row, ...changes });
}

function complete({ at_seq, commit_id, row_count }: ImportRow): ImportFinished {
  const commitId = hex(commit_id ?? new Uint8Array(0));
  return { state: 'complete', repoSeq: at_seq, commitId, recordCount: row_count };
}
