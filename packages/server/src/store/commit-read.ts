// Commits as they are read: one with its operations, or a page of the log.
import type { CommitRecord, OperationResult } from '@cairn/protocol/commit';
import { formatRecordName } from '../model/record-name.ts';
import type { CommitEntry } from './commit-chain.ts';
import type { BulkStatement, Reader } from './database.ts';
import type { Grant } from './grant.ts';

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
  readonly message: string;
  readonly operation_count: number;
}

interface WholeCommitRow extends CommitRow {
  readonly entries: string;
}

const COMMIT_COLUMNS = 'repo_seq, commit_id, created_at, created_by, committer, message, operation_count';

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
  { repoId }: Grant,
  repoSeq: number,
): Promise<(CommitRecord & { operations: OperationResult[] }) | undefined> {
  const row = await findCommit(reader, { repoId, repoSeq });
  return row && { ...toCommitRecord(row), operations: await appliedOperations(reader, { repoId, repoSeq }) };
}

interface LogPage {
  /** Commits before this sequence, newest first. */
  readonly before: number | undefined;
  readonly limit: number;
}

export async function listCommits(
  reader: Reader,
  { repoId }: Grant,
  { before, limit }: LogPage,
): Promise<CommitRecord[]> {
  const rows = await reader.query<CommitRow>(
    `select ${COMMIT_COLUMNS} from "commit" where repo_id = $1 and repo_seq < $2 order by repo_seq desc limit $3`,
    [repoId, before ?? Number.MAX_SAFE_INTEGER, limit],
  );
  return rows.map(toCommitRecord);
}

function toCommitRecord(row: CommitRow): CommitRecord {
  return {
    repoSeq: row.repo_seq,
    commitId: hex(row.commit_id),
    createdBy: row.created_by,
    createdAt: row.created_at,
    message: row.message,
    ...(row.committer !== null && { committerWref: row.committer }),
    operationCount: row.operation_count,
  };
}

interface VersionRow {
  readonly kind: OperationResult['kind'];
  readonly name: string;
  readonly shape_name: string | null;
  readonly operation: OperationResult['operation'];
  readonly data_hash: Uint8Array;
}

const VERSION_COLUMNS = 'r.kind, r.name, s.name as shape_name, v.operation, v.data_hash';
const VERSION_JOIN = `join record r on r.repo_id = v.repo_id and r.record_id = v.record_id
  left join record s on s.repo_id = r.repo_id and s.record_id = r.shape_id`;

const FIND_VERSIONS: BulkStatement = {
  each: `select ${VERSION_COLUMNS} from version v ${VERSION_JOIN}
    where v.repo_id = $1 and v.record_id = $2 and v.version = $3`,
  set: `select k.ord::int as ord, ${VERSION_COLUMNS}
    from unnest($2::bigint[], $3::bigint[]) with ordinality as k (record_id, version, ord)
    join version v on v.repo_id = $1 and v.record_id = k.record_id and v.version = k.version ${VERSION_JOIN}`,
};

/** The operations that a commit applied, from its own rows. */
export async function appliedOperations(reader: Reader, address: CommitAddress): Promise<OperationResult[]> {
  const commit = await findCommit(reader, address);
  const entries = JSON.parse(commit?.entries ?? '[]') as CommitEntry[];
  // An operation that made a built-in shape on its way has two entries; the later one is its own.
  const byOperation = [...new Map(entries.map((entry) => [entry[0], entry])).values()];
  const rows = await reader.bulk<VersionRow>(FIND_VERSIONS, {
    common: [address.repoId],
    rows: byOperation.map(([, recordId, version]) => [recordId, version]),
  });
  return rows.flatMap(({ ord, kind, name, shape_name, operation, data_hash }) => {
    const entry = byOperation[ord];
    if (entry === undefined) return [];
    const [opIndex, , version] = entry;
    const fullName = shape_name === null ? name : formatRecordName({ shapeName: shape_name, local: name });
    return [
      { opIndex, operation, kind, name: fullName, version, status: 'applied' as const, dataHash: hex(data_hash) },
    ];
  });
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
