// A draft becomes rows: records, versions, names, indexes, and the commit that holds them together.

import { fireSubscriptions } from '../action/firing.sql.ts';
import type { Reader, Transaction } from '../engine/database.ts';
import { repositoryNotFound } from '../repository/repository.sql.ts';
import { indexHeads } from '../shape/field-index.write.ts';
import { commitIdOf, entriesOf } from './chain.sql.ts';
import type { Drafted, Sequence, WriteOrder } from './drafting.sql.ts';
import type { Made } from './record-set.sql.ts';
import { isRename, writeRecords } from './record-write.write.ts';
import { indexReferences } from './reference/reference-index.write.ts';
import type { WriterMemory } from './writer-memory.rule.ts';

interface SequenceRow {
  readonly repo_seq: number;
  readonly last_record_id: number;
  readonly commit_id: Uint8Array | null;
  readonly export_rows: number;
  readonly watched: number;
}

export async function readSequence(reader: Reader, repoId: number, forUpdate: string): Promise<Sequence> {
  const [row] = await reader.query<SequenceRow>(
    `select repo_seq, last_record_id, commit_id, export_rows, watched from repo_sequence where repo_id = $1 ${forUpdate}`,
    [repoId],
  );
  // It was there when the caller was authorized: it has been removed for good since.
  if (row === undefined) throw repositoryNotFound();
  const {
    repo_seq: repoSeq,
    last_record_id: lastRecordId,
    commit_id: commitId,
    export_rows: exportRows,
    watched,
  } = row;
  return { repoSeq, lastRecordId, commitId, exportRows, watched };
}

interface DraftWrite {
  readonly order: WriteOrder;
  readonly sequence: Sequence;
  readonly drafted: Drafted;
  readonly memory: WriterMemory;
}

interface Written {
  readonly repoSeq: number;
  readonly commitId: Uint8Array | null;
}

export async function writeDraft(tx: Transaction, { order, sequence, drafted, memory }: DraftWrite): Promise<Written> {
  const { records, shapes, outcomes, committer } = drafted;
  // A commit that applies nothing takes no sequence.
  if (records.made.length === 0) return { repoSeq: sequence.repoSeq, commitId: null };
  const { repoId } = order.grant;
  const repoSeq = sequence.repoSeq + 1;
  await writeRecords(tx, records);
  await shapes.write(tx);
  await indexReferences(tx, records);
  await indexHeads(tx, { repoId, repoSeq, heads: records.touched(), shapes });
  const { createdBy, message } = order;
  const author = { createdBy, committer };
  const made = { previous: sequence.commitId, repoSeq, author, message, time: tx.now() };
  const commitId = commitIdOf({ ...made, repoId, made: records.made });
  const exportRows = sequence.exportRows + records.made.filter(addsExportRow).length;
  await tx.query(
    `insert into "commit" (repo_id, repo_seq, commit_id, created_at, created_by, committer, committer_identity, message,
       operation_count, entries, export_rows)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      repoId,
      repoSeq,
      commitId,
      made.time,
      createdBy,
      committer?.wref ?? null,
      committer?.identity ?? null,
      message,
      outcomes.filter(({ status }) => status === 'applied').length,
      entriesOf(records.made),
      exportRows,
    ],
  );
  await tx.query(
    `update repo_sequence set repo_seq = $2, last_record_id = $3, commit_id = $4, renamed_seq = coalesce($5, renamed_seq),
       export_rows = $6 where repo_id = $1`,
    [repoId, repoSeq, records.lastRecordId, commitId, records.made.some(isRename) ? repoSeq : null, exportRows],
  );
  // Where nobody listens, which is nearly everywhere, that costs nothing.
  if (sequence.watched > 0) await fireSubscriptions(tx, { order, repoSeq, made: records.made, memory, now: made.time });
  return { repoSeq, commitId };
}

/** An export has each version of a shape, and each other record once. */
function addsExportRow(made: Made): boolean {
  return !isRename(made) && (made.head.kind === 'shape' || made.version === 1);
}
