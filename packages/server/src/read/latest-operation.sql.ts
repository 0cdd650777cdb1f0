// The newest operations of a repository, whichever commits they are of.
import type { OperationResult } from '@cairn/protocol/commit';
import type { Grant } from '../access/grant.rule.ts';
import { entriesIn, findEntries, ownEntries, toOperation } from '../commit/commit-entry.sql.ts';
import type { Reader } from '../engine/database.ts';

export interface LatestOperation {
  readonly repoSeq: number;
  /** 0 where it is about a shape itself. */
  readonly shapeId: number;
  readonly operation: OperationResult;
}

interface CountRow {
  readonly repo_seq: number;
  readonly operation_count: number;
}

/** Newest first. Of a copy, those that were made in it. */
export async function latestOperations(
  reader: Reader,
  { repoId, repository: { importedRepoSeq = 0 } }: Grant,
  most: number,
): Promise<LatestOperation[]> {
  const counts = await reader.query<CountRow>(
    `select repo_seq, operation_count from "commit" where repo_id = $1 and repo_seq > $2 order by repo_seq desc limit $3`,
    [repoId, importedRepoSeq, most],
  );
  const [newest] = counts;
  if (newest === undefined) return [];
  // A commit may have many thousand operations: no more commits are read than are needed.
  const rows = await reader.query<{ repo_seq: number; entries: string }>(
    `select repo_seq, entries from "commit" where repo_id = $1 and repo_seq >= $2 and repo_seq <= $3
     order by repo_seq desc`,
    [repoId, oldestOf(counts, most), newest.repo_seq],
  );
  const all = rows.flatMap(({ repo_seq: repoSeq, entries }) =>
    ownEntries(entriesIn(entries))
      .reverse()
      .map((entry) => ({ repoSeq, entries: [entry] })),
  );
  const found = await findEntries(reader, repoId, all.slice(0, most));
  return found.map((one) => ({ repoSeq: one.repoSeq, shapeId: one.row.shape_id, operation: toOperation(one) }));
}

/** The commit with which there are enough operations. */
function oldestOf(counts: readonly CountRow[], most: number): number {
  let sum = 0;
  for (const { repo_seq, operation_count } of counts) {
    sum += operation_count;
    if (sum >= most) return repo_seq;
  }
  return counts.at(-1)?.repo_seq ?? 0;
}
