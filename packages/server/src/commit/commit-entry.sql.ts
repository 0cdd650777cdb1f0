// What commits applied, from their own rows: each entry of a commit with the record that it is about, as it was called then.
import type { OperationResult } from '@cairn/protocol/commit';
import type { BulkStatement, Reader } from '../engine/database.ts';
import { type NamedRow, NOW_COLUMNS } from '../read/hidden-target.sql.ts';
import { fullName } from '../read/target-name.sql.ts';
import type { CommitEntry } from './chain.sql.ts';

interface EntryRow extends NamedRow {
  readonly kind: OperationResult['kind'];
  readonly operation: string;
  readonly data_hash: Uint8Array;
  /** What the operation itself renamed it from. */
  readonly old_name: string | null;
}

// Names as they were right after the operation.
const nameAfter = (record: string, { seq, op }: { seq: string; op: string }) => `coalesce((select old_name from rename
  where repo_id = $1 and record_id = ${record}.record_id and (repo_seq, op_index) > (${seq}, ${op})
  order by repo_seq, op_index limit 1), ${record}.name)`;
const entryColumns = (at: { seq: string; op: string }) => `r.record_id, r.kind, ${nameAfter('r', at)} as name,
  ${nameAfter('s', at)} as shape_name, ${NOW_COLUMNS}, v.operation, v.data_hash,
  (select old_name from rename where repo_id = $1 and record_id = v.record_id and repo_seq = ${at.seq}
    and op_index = ${at.op}) as old_name`;
const ENTRY_JOIN = `join record r on r.repo_id = $1 and r.record_id = v.record_id
  left join record s on s.repo_id = $1 and s.record_id = r.shape_id`;

const FIND_ENTRIES: BulkStatement = {
  each: `select ${entryColumns({ seq: '$2', op: '$3' })} from version v ${ENTRY_JOIN}
    where v.repo_id = $1 and v.record_id = $4 and v.version = $5`,
  set: `select k.ord::int as ord, ${entryColumns({ seq: 'k.repo_seq', op: 'k.op_index' })}
    from unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[]) with ordinality
      as k (repo_seq, op_index, record_id, version, ord)
    join version v on v.repo_id = $1 and v.record_id = k.record_id and v.version = k.version ${ENTRY_JOIN}`,
};

/** As a row of `commit` keeps them. */
export function entriesIn(text = '[]'): CommitEntry[] {
  return JSON.parse(text) as CommitEntry[];
}

export interface CommitEntries {
  readonly repoSeq: number;
  readonly entries: readonly CommitEntry[];
}

export interface FoundEntry {
  readonly repoSeq: number;
  readonly entry: CommitEntry;
  readonly row: EntryRow;
}

/** In the order given. */
export async function findEntries(
  reader: Reader,
  repoId: number,
  commits: readonly CommitEntries[],
): Promise<FoundEntry[]> {
  const wanted = commits.flatMap(({ repoSeq, entries }) => ownEntries(entries).map((entry) => ({ repoSeq, entry })));
  const rows = await reader.bulk<EntryRow>(FIND_ENTRIES, {
    common: [repoId],
    rows: wanted.map(({ repoSeq, entry: [opIndex, recordId, version] }) => [repoSeq, opIndex, recordId, version]),
  });
  // Rows of a set come in any order.
  const found = new Map(rows.map(({ ord, ...row }) => [ord, row]));
  return wanted.flatMap((one, ord) => {
    const row = found.get(ord);
    return row === undefined ? [] : [{ ...one, row }];
  });
}

/** An operation that made a built-in shape on its way has two entries; the later one is its own. */
export function ownEntries(entries: readonly CommitEntry[]): CommitEntry[] {
  return [...new Map(entries.map((entry) => [entry[0], entry])).values()];
}

export function toOperation({ entry: [opIndex, , version, rename], row }: FoundEntry): OperationResult {
  return {
    opIndex,
    operation: rename ?? row.operation,
    kind: row.kind,
    name: fullName(row),
    ...(row.old_name !== null && { submittedName: fullName({ ...row, name: row.old_name }) }),
    version,
    status: 'applied',
    ...(rename === undefined && { dataHash: hex(row.data_hash) }),
  };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
