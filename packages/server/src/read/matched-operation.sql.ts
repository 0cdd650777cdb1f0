// The operations of a commit for a delivery, with names and data as of that commit.

import type { OperationResult } from '@cairn/protocol/commit';
import type { Grant, SystemGrant } from '../access/grant.rule.ts';
import { appliedEntries, entriesIn, findEntries, ownEntries, toOperation } from '../commit/commit-read.sql.ts';
import { requireIntact } from '../commit/integrity.rule.ts';
import type { BulkStatement, Database, Reader } from '../engine/database.ts';

export interface MatchedOperation {
  readonly operation: string;
  readonly kind: string;
  readonly wref: string;
  readonly from?: string;
  readonly version: number;
  readonly data?: string;
}

const FROM_VERSION = 'from version v where v.repo_id = $1 and v.record_id = $2 and v.version = $3';
const FROM_VERSIONS = `from unnest($2::bigint[], $3::bigint[]) with ordinality as k (record_id, version, ord)
  cross join lateral (select record_id, version, data, data_hash from version where repo_id = $1 and record_id = k.record_id
    and version = k.version limit 1) as v`;

const FIND_LENGTHS: BulkStatement = {
  each: `select length(v.data) as characters ${FROM_VERSION}`,
  set: `select k.ord::int as ord, length(v.data) as characters ${FROM_VERSIONS}`,
};
const FIND_DATA: BulkStatement = {
  each: `select v.record_id, v.version, v.data, v.data_hash ${FROM_VERSION}`,
  set: `select k.ord::int as ord, v.record_id, v.version, v.data, v.data_hash ${FROM_VERSIONS}`,
};

const GIVING: readonly string[] = ['add', 'revise'];

export async function readMatched(
  { beside }: Database,
  { repoId }: SystemGrant,
  { repoSeq, opIndexes, dataBytesMax }: { repoSeq: number; opIndexes: readonly number[]; dataBytesMax: number },
): Promise<MatchedOperation[]> {
  const entries = await appliedEntries(beside, { repoId, repoSeq }, opIndexes);
  const giving = entries.flatMap(({ operation, recordId }, index) =>
    GIVING.includes(operation.operation) ? [{ index, row: [recordId, operation.version ?? 0] }] : [],
  );
  const wanted = { common: [repoId], rows: giving.map(({ row }) => row) };
  const lengths = await beside.bulk<{ characters: number }>(FIND_LENGTHS, wanted);
  const total = lengths.reduce((sum, { characters }) => sum + characters, 0);
  const data = new Map<number, string>();
  if (total <= dataBytesMax) {
    for (const row of await beside.bulk<{ record_id: number; version: number; data: string; data_hash: Uint8Array }>(
      FIND_DATA,
      wanted,
    )) {
      const { ord, record_id: recordId, version, data: text } = row;
      const dataHash = Buffer.from(row.data_hash).toString('hex');
      const state = requireIntact({ recordId, version, data: text, dataHash });
      if (state === 'intact') data.set(giving[ord]?.index ?? -1, text);
    }
  }
  return entries.map(({ operation: { operation, kind, name, submittedName, version } }, index) => {
    const text = data.get(index);
    return {
      operation,
      kind: kind ?? '',
      wref: name ?? '',
      ...(submittedName !== undefined && { from: submittedName }),
      version: version ?? 0,
      ...(text !== undefined && { data: text }),
    };
  });
}

export interface LatestOperation {
  readonly repoSeq: number;
  /** 0 if the record is a shape. */
  readonly shapeId: number;
  readonly operation: OperationResult;
}

/** Newest first. Excludes imported operations of a copy. */
export async function latestOperations(
  reader: Reader,
  { repoId, repository: { importedRepoSeq = 0 } }: Grant,
  most: number,
): Promise<LatestOperation[]> {
  const counts = await reader.query<{ repo_seq: number; operation_count: number }>(
    `select repo_seq, operation_count from "commit" where repo_id = $1 and repo_seq > $2 order by repo_seq desc limit $3`,
    [repoId, importedRepoSeq, most],
  );
  const [newest] = counts;
  if (newest === undefined) return [];
  // Reads no more commits than needed, because a commit may have thousands of operations.
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

function oldestOf(counts: readonly { repo_seq: number; operation_count: number }[], most: number): number {
  let sum = 0;
  for (const { repo_seq, operation_count } of counts) {
    sum += operation_count;
    if (sum >= most) return repo_seq;
  }
  return counts.at(-1)?.repo_seq ?? 0;
}
