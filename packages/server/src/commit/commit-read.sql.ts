import { parseIdentity } from '@cairn/model/wref';
import type { CommitRecord, OperationResult } from '@cairn/protocol/commit';
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { Grant } from '../access/grant.rule.ts';
import { compileNarrowing, type IsShown } from '../access/narrowing.rule.ts';
import type { BulkStatement, Reader } from '../engine/database.ts';
import { giveTurn } from '../engine/read-bounds.ts';
import { readImportCommit } from '../import/import-row.sql.ts';
import {
  type FollowElsewhere,
  findHiddenTargets,
  type NamedRow,
  NOW_COLUMNS,
  type Pointer,
  toNamed,
} from '../read/hidden-target.sql.ts';
import { type Rendering, renderWref } from '../read/record-item.sql.ts';
import { fullName, TargetNames } from '../read/target-name.sql.ts';
import type { CommitEntry } from './integrity.rule.ts';

interface CommitAddress {
  readonly repoId: number;
  readonly repoSeq: number;
}

export interface StoredCommit {
  readonly repo_seq: number;
  readonly commit_id: Uint8Array;
  readonly created_at: number;
  readonly created_by: string;
  readonly committer: string | null;
  readonly committer_identity: string | null;
  readonly message: string;
  readonly operation_count: number;
}

interface WholeCommitRow extends StoredCommit {
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

export async function findCommitId(reader: Reader, { repoId, repoSeq }: CommitAddress): Promise<string | null> {
  const [row] = await reader.query<{ commit_id: Uint8Array }>(
    'select commit_id from "commit" where repo_id = $1 and repo_seq = $2',
    [repoId, repoSeq],
  );
  return row === undefined ? null : hex(row.commit_id);
}

type CommitWithOperations = CommitRecord & { operations: OperationResult[] };

/** A commit whose operations are all hidden counts as missing. */
export async function readCommit(
  reader: Reader,
  grant: Grant,
  repoSeq: number,
  follow?: FollowElsewhere | undefined,
): Promise<CommitWithOperations | undefined> {
  if (repoSeq === grant.repository.importedRepoSeq) {
    const imported = await readImportCommit(reader, grant);
    return imported && { ...imported, operations: [] };
  }
  const row = await findCommit(reader, { repoId: grant.repoId, repoSeq });
  if (row === undefined) return undefined;
  const [seen] = await seeCommits(reader, grant, { rows: [row], follow });
  if (seen === undefined) return undefined;
  const [commit] = await toCommitRecords(reader, grant, [seen], follow);
  return commit && { ...commit, operations: seen.operations };
}

export async function listCommits(
  reader: Reader,
  grant: Grant,
  { before, limit, follow }: { before: number | undefined; limit: number; follow?: FollowElsewhere | undefined },
): Promise<CommitRecord[]> {
  const page = { before: before ?? Number.MAX_SAFE_INTEGER, limit };
  const seen =
    grant.narrowing === undefined
      ? (await listRows<StoredCommit>(reader, grant, page)).map((row) => ({ row, whole: true, operations: [] }))
      : await listSeen(reader, grant, page);
  const commits = await toCommitRecords(reader, grant, seen, follow);
  const { importedRepoSeq = 0 } = grant.repository;
  if (commits.length === limit || importedRepoSeq === 0 || page.before <= importedRepoSeq) return commits;
  const imported = await readImportCommit(reader, grant);
  return imported === undefined ? commits : [...commits, imported];
}

/** In a copy, the import stands for all commits before it. */
async function listRows<Row extends StoredCommit>(
  reader: Reader,
  { repoId, repository: { importedRepoSeq = 0 } }: Grant,
  { before, limit, columns = COMMIT_COLUMNS }: { before: number; limit: number; columns?: string },
): Promise<Row[]> {
  return await reader.query<Row>(
    `select ${columns} from "commit" where repo_id = $1 and repo_seq < $2 and repo_seq > $3
     order by repo_seq desc limit $4`,
    [repoId, before, importedRepoSeq, limit],
  );
}

interface SeenCommit {
  readonly row: StoredCommit;
  readonly whole: boolean;
  readonly operations: OperationResult[];
}

const COMMITS_A_STEP = 50;
const LOOK_WITHIN_MS = 5_000;
const ENTRIES_A_TURN = 200;

async function listSeen(
  reader: Reader,
  grant: Grant,
  { before, limit }: { before: number; limit: number },
): Promise<SeenCommit[]> {
  const seen: SeenCommit[] = [];
  const until = performance.now() + LOOK_WITHIN_MS;
  let step = Math.min(limit, COMMITS_A_STEP);
  for (let next = before; seen.length < limit; step = COMMITS_A_STEP) {
    const columns = `${COMMIT_COLUMNS}, entries`;
    const rows = await listRows<WholeCommitRow>(reader, grant, { before: next, limit: step, columns });
    seen.push(...(await seeCommits(reader, grant, { rows, follow: undefined, until })));
    const last = rows.at(-1);
    if (last === undefined || rows.length < step) break;
    next = last.repo_seq;
    await giveTurn();
  }
  return seen.slice(0, limit);
}

function tooManyHidden(): CairnError {
  return fail('UNAVAILABLE', {
    message:
      'The read took too long, because this token may see only few of many commits. Ask for fewer commits, or use a wider token.',
  });
}

async function seeCommits(
  reader: Reader,
  grant: Grant,
  {
    rows,
    follow,
    until = Number.POSITIVE_INFINITY,
  }: { rows: readonly WholeCommitRow[]; follow: FollowElsewhere | undefined; until?: number },
): Promise<SeenCommit[]> {
  const isShown = compileNarrowing(grant.narrowing);
  const hashed = grant.narrowing === undefined && follow === undefined;
  const seen: SeenCommit[] = [];
  for (const row of rows) {
    const all = await findEntries(reader, grant.repoId, [{ repoSeq: row.repo_seq, entries: entriesIn(row.entries) }]);
    const shown = all.filter(({ row: entry }) => isShown(toNamed(entry)));
    if (all.length > ENTRIES_A_TURN) await giveTurn();
    if (performance.now() > until) throw tooManyHidden();
    if (shown.length === 0 && grant.narrowing !== undefined) continue;
    const before = shown.map((found) => showsNameBefore(isShown, found));
    const operations = shown.map((found, index) => toSeenOperation(found, { hashed, named: before[index] === true }));
    // The original indexes would reveal how many operations are hidden.
    if (grant.narrowing !== undefined)
      for (const [opIndex, operation] of operations.entries()) operation.opIndex = opIndex;
    seen.push({ row, whole: shown.length === all.length && !before.includes(false), operations });
  }
  return seen;
}

function showsNameBefore(isShown: IsShown, { row }: FoundEntry): boolean | undefined {
  if (row.old_name === null) return undefined;
  return isShown(toNamed({ ...row, name: row.old_name }));
}

/** Omits the hash, because it would confirm a guess of hidden references, and the old name if it is hidden. */
function toSeenOperation(found: FoundEntry, { hashed, named }: { hashed: boolean; named: boolean }): OperationResult {
  const { dataHash, submittedName, ...rest } = toOperation(found);
  return {
    ...rest,
    ...(named && submittedName !== undefined && { submittedName }),
    ...(hashed && dataHash !== undefined && { dataHash }),
  };
}

async function toCommitRecords(
  reader: Reader,
  grant: Grant,
  seen: readonly SeenCommit[],
  follow?: FollowElsewhere | undefined,
): Promise<CommitRecord[]> {
  const names = new TargetNames(grant);
  const targets: Pointer[] = [];
  for (const { row } of seen) {
    if (row.committer === null || row.committer_identity === null) continue;
    const identity = parseIdentity(row.committer_identity);
    targets.push({ ...identity, wref: row.committer });
    if (names.mayDiffer(row.repo_seq)) names.want(identity);
  }
  const atRepoSeq = grant.repository.repoSeq;
  await names.load(reader, atRepoSeq);
  const hidden = await findHiddenTargets(reader, grant, { targets, atRepoSeq, follow });
  return seen.map((commit) => toCommitRecord(grant, commit, { names, hidden, hides: true }));
}

/** The message may describe hidden operations, and the id is a hash over them. */
function toCommitRecord(
  { narrowing }: Grant,
  { row, whole, operations }: SeenCommit,
  rendering: Rendering,
): CommitRecord {
  const { committer, committer_identity } = row;
  return {
    repoSeq: row.repo_seq,
    commitId: narrowing === undefined ? hex(row.commit_id) : null,
    createdBy: row.created_by,
    createdAt: row.created_at,
    message: whole ? row.message : null,
    ...(committer !== null && {
      committerWref: renderWref(rendering, { wref: committer, identity: committer_identity }),
    }),
    operationCount: narrowing === undefined ? row.operation_count : operations.length,
  };
}

export async function appliedOperations(reader: Reader, address: CommitAddress): Promise<OperationResult[]> {
  const commit = await findCommit(reader, address);
  const entries = entriesIn(commit?.entries);
  return (await findEntries(reader, address.repoId, [{ repoSeq: address.repoSeq, entries }])).map(toOperation);
}

export async function appliedEntries(
  reader: Reader,
  address: CommitAddress,
  opIndexes: readonly number[],
): Promise<{ operation: OperationResult; recordId: number }[]> {
  const commit = await findCommit(reader, address);
  const wanted = new Set(opIndexes);
  const entries = entriesIn(commit?.entries).filter(([opIndex]) => wanted.has(opIndex));
  const found = await findEntries(reader, address.repoId, [{ repoSeq: address.repoSeq, entries }]);
  return found.map((entry) => ({ operation: toOperation(entry), recordId: entry.row.record_id }));
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

interface EntryRow extends NamedRow {
  readonly kind: OperationResult['kind'];
  readonly operation: string;
  readonly data_hash: Uint8Array;
  readonly old_name: string | null;
}

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

export function entriesIn(text = '[]'): CommitEntry[] {
  return JSON.parse(text) as CommitEntry[];
}

interface FoundEntry {
  readonly repoSeq: number;
  readonly entry: CommitEntry;
  readonly row: EntryRow;
}

export async function findEntries(
  reader: Reader,
  repoId: number,
  commits: readonly { repoSeq: number; entries: readonly CommitEntry[] }[],
): Promise<FoundEntry[]> {
  const wanted = commits.flatMap(({ repoSeq, entries }) => ownEntries(entries).map((entry) => ({ repoSeq, entry })));
  const rows = await reader.bulk<EntryRow>(FIND_ENTRIES, {
    common: [repoId],
    rows: wanted.map(({ repoSeq, entry: [opIndex, recordId, version] }) => [repoSeq, opIndex, recordId, version]),
  });
  const found = new Map(rows.map(({ ord, ...row }) => [ord, row]));
  return wanted.flatMap((one, ord) => {
    const row = found.get(ord);
    return row === undefined ? [] : [{ ...one, row }];
  });
}

/** An operation that also created a built-in shape has two entries; the last one is its own. */
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
