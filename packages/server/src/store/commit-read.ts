// Commits as they are read: one with its operations, or a page of the log.
import type { CommitRecord, OperationResult } from '@cairn/protocol/commit';
import { parseIdentity } from '../model/reference.ts';
import type { CommitEntry } from './commit/chain.ts';
import type { BulkStatement, Reader } from './database.ts';
import type { Grant } from './grant.ts';
import { renderWref } from './record-item.ts';
import { fullName, TargetNames } from './target-name.ts';

interface CommitAddress {
  readonly repoId: number;
  readonly repoSeq: number;
}

interface CommitRow {
  readonly repo_seq: number;
  readonly commit_id: Uint8Array;
  readonly created_at: number;
  readonly created_by: string;
  readonly committer: string | null;
  readonly committer_identity: string | null;
  readonly message: string;
  readonly operation_count: number;
}

interface WholeCommitRow extends CommitRow {
  readonly entries: string;
}

const COMMIT_COLUMNS =
  'repo_seq, commit_id, created_at, created_by, committer, committer_identity, message, operation_count';

async function findCommit(reader: Reader, { repoId, repoSeq }: CommitAddress): Promise<WholeCommitRow | undefined> {
  const [row] = await reader.query<WholeCommitRow>(
    `select ${COMMIT_COLUMNS}, entries from "commit" where repo_id = $1 and repo_seq = $2`,
    [repoId, repoSeq],
  );
  return row;
}

export async function findCommitId(reader: Reader, address: CommitAddress): Promise<string | null> {
  const row = await findCommit(reader, address);
  return row === undefined ? null : hex(row.commit_id);
}

export async function readCommit(
  reader: Reader,
  grant: Grant,
  repoSeq: number,
): Promise<(CommitRecord & { operations: OperationResult[] }) | undefined> {
  const { repoId } = grant;
  const row = await findCommit(reader, { repoId, repoSeq });
  if (row === undefined) return undefined;
  const [commit] = await toCommitRecords(reader, grant, [row]);
  return commit && { ...commit, operations: await appliedOperations(reader, { repoId, repoSeq }) };
}

interface LogPage {
  /** Commits before this sequence, newest first. */
  readonly before: number | undefined;
  readonly limit: number;
}

export async function listCommits(reader: Reader, grant: Grant, { before, limit }: LogPage): Promise<CommitRecord[]> {
  const rows = await reader.query<CommitRow>(
    `select ${COMMIT_COLUMNS} from "commit" where repo_id = $1 and repo_seq < $2 order by repo_seq desc limit $3`,
    [grant.repoId, before ?? Number.MAX_SAFE_INTEGER, limit],
  );
  return await toCommitRecords(reader, grant, rows);
}

async function toCommitRecords(reader: Reader, grant: Grant, rows: readonly CommitRow[]): Promise<CommitRecord[]> {
  const names = new TargetNames(grant);
  for (const { committer_identity, repo_seq } of rows) {
    if (committer_identity !== null && names.mayDiffer(repo_seq)) names.want(parseIdentity(committer_identity));
  }
  await names.load(reader, grant.repository.repoSeq);
  return rows.map((row) => toCommitRecord(row, names));
}

function toCommitRecord(row: CommitRow, names: TargetNames): CommitRecord {
  const { committer, committer_identity } = row;
  return {
    repoSeq: row.repo_seq,
    commitId: hex(row.commit_id),
    createdBy: row.created_by,
    createdAt: row.created_at,
    message: row.message,
    ...(committer !== null && {
      committerWref: renderWref(names, { wref: committer, identity: committer_identity }),
    }),
    operationCount: row.operation_count,
  };
}

interface EntryRow {
  readonly kind: OperationResult['kind'];
  readonly name: string;
  readonly shape_name: string | null;
  readonly operation: string;
  readonly data_hash: Uint8Array;
  /** What the operation itself renamed it from. */
  readonly old_name: string | null;
}

// Names as they were right after the operation: `$2` is the commit, `$3` the operation.
const nameAfter = (record: string, { seq, op }: { seq: string; op: string }) => `coalesce((select old_name from rename
  where repo_id = $1 and record_id = ${record}.record_id and (repo_seq, op_index) > (${seq}, ${op})
  order by repo_seq, op_index limit 1), ${record}.name)`;
const entryColumns = (op: string) => `r.kind, ${nameAfter('r', { seq: '$2', op })} as name,
  ${nameAfter('s', { seq: '$2', op })} as shape_name, v.operation, v.data_hash,
  (select old_name from rename where repo_id = $1 and record_id = v.record_id and repo_seq = $2 and op_index = ${op})
    as old_name`;
const ENTRY_JOIN = `join record r on r.repo_id = $1 and r.record_id = v.record_id
  left join record s on s.repo_id = $1 and s.record_id = r.shape_id`;

const FIND_ENTRIES: BulkStatement = {
  each: `select ${entryColumns('$3')} from version v ${ENTRY_JOIN}
    where v.repo_id = $1 and v.record_id = $4 and v.version = $5`,
  set: `select k.ord::int as ord, ${entryColumns('k.op_index')}
    from unnest($3::bigint[], $4::bigint[], $5::bigint[]) with ordinality as k (op_index, record_id, version, ord)
    join version v on v.repo_id = $1 and v.record_id = k.record_id and v.version = k.version ${ENTRY_JOIN}`,
};

/** The operations that a commit applied, from its own rows. */
export async function appliedOperations(reader: Reader, address: CommitAddress): Promise<OperationResult[]> {
  const commit = await findCommit(reader, address);
  const entries = JSON.parse(commit?.entries ?? '[]') as CommitEntry[];
  // An operation that made a built-in shape on its way has two entries; the later one is its own.
  const byOperation = [...new Map(entries.map((entry) => [entry[0], entry])).values()];
  const rows = await reader.bulk<EntryRow>(FIND_ENTRIES, {
    common: [address.repoId, address.repoSeq],
    rows: byOperation.map(([opIndex, recordId, version]) => [opIndex, recordId, version]),
  });
  // Rows of a set come in any order.
  const found = new Map(rows.map(({ ord, ...row }) => [ord, row]));
  return byOperation.flatMap((entry, ord) => {
    const row = found.get(ord);
    return row === undefined ? [] : [toOperation(entry, row)];
  });
}

function toOperation([opIndex, , version, rename]: CommitEntry, row: EntryRow): OperationResult {
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
