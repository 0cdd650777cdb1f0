// How an export goes about it: through all records, or, for an increment of few commits, through those that they changed.
import type { CommitEntry } from './commit/chain.ts';
import type { Reader } from './database.ts';
import type { ExportRange } from './export-page.ts';
import { findLastRecord } from './record-list/last-record.ts';

export interface ExportPlan {
  /** The last record that was there. */
  readonly lastRecordId: number;
  /** Of an increment of few commits: what they changed, in order. */
  readonly ids: readonly number[] | undefined;
}

/** Beyond this, going through all records costs less memory and hardly more time. */
const COMMITS_FEW = 20_000;
const OPERATIONS_FEW = 100_000;
const COMMITS_A_STEP = 500;

export async function planExport(reader: Reader, range: ExportRange): Promise<ExportPlan> {
  const lastRecordId = await findLastRecord(reader, range);
  const ids = (await isOfFew(reader, range)) ? await changedRecords(reader, range) : undefined;
  return { lastRecordId, ids };
}

async function isOfFew(reader: Reader, { repoId, sinceRepoSeq, atRepoSeq }: ExportRange): Promise<boolean> {
  if (sinceRepoSeq === 0 || atRepoSeq - sinceRepoSeq > COMMITS_FEW) return false;
  const [sum] = await reader.query<{ operations: number }>(
    `select cast(coalesce(sum(operation_count), 0) as bigint) as operations from "commit"
     where repo_id = $1 and repo_seq > $2 and repo_seq <= $3`,
    [repoId, sinceRepoSeq, atRepoSeq],
  );
  return sum !== undefined && sum.operations <= OPERATIONS_FEW;
}

async function changedRecords(reader: Reader, { repoId, sinceRepoSeq, atRepoSeq }: ExportRange): Promise<number[]> {
  const ids = new Set<number>();
  for (let since = sinceRepoSeq; since < atRepoSeq; since += COMMITS_A_STEP) {
    const commits = await reader.query<{ entries: string }>(
      'select entries from "commit" where repo_id = $1 and repo_seq > $2 and repo_seq <= $3',
      [repoId, since, Math.min(since + COMMITS_A_STEP, atRepoSeq)],
    );
    for (const { entries } of commits) {
      for (const [, recordId] of JSON.parse(entries) as CommitEntry[]) ids.add(recordId);
    }
  }
  return [...ids].sort((a, b) => a - b);
}
