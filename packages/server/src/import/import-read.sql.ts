// The commit that an import stands for, as it is read: the first one of a copy that can be.
import type { CommitRecord } from '@cairn/protocol/commit';
import type { Grant } from '../access/grant.rule.ts';
import type { Reader } from '../engine/database.ts';
import { findCompleteImport, hex } from './import-row.sql.ts';

/** What it holds and where it is from is for who may read all of it. */
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
