// How an export goes about it: through all records, or, for an increment of few commits, through those that they changed.
import type { CommitEntry } from '../commit/chain.sql.ts';
import type { Reader } from '../engine/database.ts';
import { findLastRecord } from '../read/list/last-record.sql.ts';
import { countExported, type ExportPlace, type ExportRange } from './export-page.sql.ts';

export interface ExportPlan {
  /** The last record that was there. */
  readonly lastRecordId: number;
  /** Of an increment of few commits: what they changed, in order. */
  readonly ids: readonly number[] | undefined;
  /** Of all records: how many rows there must be; `undefined` where no count was kept. */
  readonly rows: number | undefined;
}

/** Beyond this, going through all records costs less memory and hardly more time. */
const COMMITS_FEW = 20_000;
const OPERATIONS_FEW = 100_000;
const COMMITS_A_STEP = 500;

export interface PlanRequest extends ExportRange {
  /** The row to go on after. */
  readonly after?: ExportPlace | undefined;
}

export async function planExport(reader: Reader, { after, ...range }: PlanRequest): Promise<ExportPlan> {
  const lastRecordId = await findLastRecord(reader, range);
  const ids = (await isOfFew(reader, range)) ? await changedRecords(reader, range) : undefined;
  if (ids !== undefined) return { lastRecordId, ids, rows: undefined };
  const [commit] = await reader.query<{ export_rows: number | null }>(
    'select export_rows from "commit" where repo_id = $1 and repo_seq = $2',
    [range.repoId, range.atRepoSeq],
  );
  if (commit?.export_rows == null) return { lastRecordId, ids, rows: undefined };
  const before = after === undefined ? 0 : await countExported(reader, range, after);
  return { lastRecordId, ids, rows: commit.export_rows - before };
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
