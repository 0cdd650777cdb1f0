// Bulk statements of imports, beyond those in commit/statement.sql.ts. `$1` is always the repository.
import type { StoredCommit } from '../commit/commit-read.sql.ts';
import type { HeadColumns } from '../commit/integrity.rule.ts';
import { insertStatement } from '../commit/statement.sql.ts';
import type { BulkStatement, Reader, Transaction, Value } from '../engine/database.ts';
import { findByKey } from '../engine/lookup.ts';
import type { ImportRow } from './import-row.sql.ts';
import { badLine } from './line.rule.ts';
import type { MappedRow } from './record-plan.sql.ts';

export interface HeldRow extends HeadColumns {
  readonly crc: number;
  readonly from_seq: number;
  readonly data: string;
  readonly data_hash: Uint8Array;
  readonly refs: string | null;
}

const HELD = 'r.*, v.from_seq, v.data, v.data_hash, v.refs';

export const FIND_HELD: BulkStatement = {
  each: `select ${HELD} from record r
    join version v on v.repo_id = $1 and v.record_id = r.record_id and v.version = r.version
    where r.repo_id = $1 and r.record_id = $2`,
  set: `select k.ord::int as ord, ${HELD} from unnest($2::bigint[]) with ordinality as k (record_id, ord)
    cross join lateral (select * from record where repo_id = $1 and record_id = k.record_id limit 1) as r
    cross join lateral (select from_seq, data, data_hash, refs from version
      where repo_id = $1 and record_id = r.record_id and version = r.version limit 1) as v`,
};

export const FIND_NAMES = findByKey('record', 'record_id, shape_id, name', ['record_id']);
export const FIND_HASHES = findByKey('version', 'data_hash', ['record_id', 'version']);
export const FIND_REFERENCES = findByKey('version', 'refs', ['record_id'], 'and refs is not null');
export const FIND_LAST_VERSIONS = findByKey('record', 'version', ['record_id']);

const bearer = (shape: string, name: string) => `select record_id, to_seq from name
  where repo_id = $1 and shape_id = ${shape} and name = ${name} order by from_seq desc limit 1`;

export const FIND_BEARERS: BulkStatement = {
  each: `select record_id from (${bearer('$2', '$3')}) as n where to_seq is null`,
  set: `select k.ord::int as ord, n.record_id
    from unnest($2::bigint[], $3::text[]) with ordinality as k (shape_id, name, ord)
    cross join lateral (${bearer('k.shape_id', 'k.name collate "C"')}) as n where n.to_seq is null`,
};

export type CommitRow = Omit<StoredCommit, 'commit_id' | 'message'>;

const COMMIT = 'repo_seq, created_at, created_by, committer, committer_identity, operation_count';
const FIND_COMMITS = findByKey('"commit"', COMMIT, ['repo_seq']);

/** `$2` is the empty id of commits from before the import. */
const INSERT_COMMITS: BulkStatement = {
  each: `insert into "commit" (repo_id, repo_seq, commit_id, created_at, created_by, committer, committer_identity, message,
      operation_count, entries)
    values ($1, $3, $2, $4, $5, $6, $7, '', 0, '[]')`,
  set: `insert into "commit" (repo_id, repo_seq, commit_id, created_at, created_by, committer, committer_identity, message,
      operation_count, entries)
    select $1::bigint, x.repo_seq, $2::bytea, x.created_at, x.created_by, x.committer, x.committer_identity, '', 0, '[]'
    from unnest($3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[])
      as x (repo_seq, created_at, created_by, committer, committer_identity)`,
};

const NAME_AUTHORS: BulkStatement = {
  each: `update "commit" set created_by = $3, committer = $4, committer_identity = $5 where repo_id = $1 and repo_seq = $2`,
  set: `update "commit" c set created_by = x.created_by, committer = x.committer, committer_identity = x.committer_identity
    from unnest($2::bigint[], $3::text[], $4::text[], $5::text[])
      as x (repo_seq, created_by, committer, committer_identity)
    where c.repo_id = $1 and c.repo_seq = x.repo_seq`,
};

export const ADD_ENTRIES: BulkStatement = {
  each: `update "commit" set operation_count = operation_count + $3, entries = case when entries = '[]' then '[' || $4 || ']'
      else substr(entries, 1, length(entries) - 1) || ',' || $4 || ']' end
    where repo_id = $1 and repo_seq = $2`,
  set: `update "commit" c set operation_count = c.operation_count + x.count, entries = case when c.entries = '[]'
      then '[' || x.entries || ']' else substr(c.entries, 1, length(c.entries) - 1) || ',' || x.entries || ']' end
    from unnest($2::bigint[], $3::bigint[], $4::text[]) as x (repo_seq, count, entries)
    where c.repo_id = $1 and c.repo_seq = x.repo_seq`,
};

export const INSERT_ENTRIES = insertStatement('import_entry', {
  repo_seq: 'bigint',
  record_id: 'bigint',
  version: 'bigint',
  renamed: 'bigint',
});

export const INSERT_LINES = insertStatement('import_line', { line: 'bigint', content: 'text' });

const REF = 'target_repo_id, target_id, role, repo_id, record_id, path, from_seq, target_version';
const REOPEN = `on conflict (target_repo_id, target_id, role, repo_id, record_id, path, from_seq)
  do update set to_seq = null, target_version = excluded.target_version`;

/** One commit may remove and restore a reference; the row is then reopened. */
export const OPEN_REFS: BulkStatement = {
  each: `insert into ref (${REF}) values ($2, $3, $4, $1, $5, $6, $7, $8) ${REOPEN}`,
  set: `insert into ref (${REF})
    select x.target_repo_id, x.target_id, x.role, $1::bigint, x.record_id, x.path, x.from_seq, x.target_version
    from unnest($2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::text[], $7::bigint[], $8::bigint[])
      as x (target_repo_id, target_id, role, record_id, path, from_seq, target_version) ${REOPEN}`,
};

interface Attribution {
  readonly line: number;
  readonly createdAt: number;
  author?: { createdBy: string; committer: string | null; identity: string | null } | undefined;
}

const UNKNOWN = '';
/** Earlier commits have no id here, because it cannot be recomputed. */
const NO_ID = new Uint8Array(0);

export async function writeCommits(tx: Transaction, repoId: number, rows: readonly MappedRow[]): Promise<void> {
  const said = attributionsOf(rows);
  const known = await findCommits(tx, repoId, [...said.keys()]);
  const [added, named]: [Value[][], Value[][]] = [[], []];
  for (const [seq, attribution] of said) {
    const row = known.get(seq);
    if (row !== undefined) agree(seq, attribution, toAttribution(row));
    const { createdBy = UNKNOWN, committer = null, identity = null } = attribution.author ?? {};
    if (row === undefined) added.push([seq, attribution.createdAt, createdBy, committer, identity]);
    else if (row.created_by === UNKNOWN && attribution.author !== undefined)
      named.push([seq, createdBy, committer, identity]);
  }
  await tx.bulk(INSERT_COMMITS, { common: [repoId, NO_ID], rows: added });
  await tx.bulk(NAME_AUTHORS, { common: [repoId], rows: named });
}

/** The exported sequence needs a commit of its own, even if none of its rows are left. */
export async function holdCommit(
  tx: Transaction,
  row: ImportRow,
  { commitId, exportRows }: { commitId: Uint8Array; exportRows: number | null } = { commitId: NO_ID, exportRows: null },
): Promise<void> {
  await tx.query(
    `insert into "commit" (repo_id, repo_seq, commit_id, created_at, created_by, message, operation_count, entries,
       export_rows)
     values ($1, $2, $3, $4, $5, '', 0, '[]', $6)
     on conflict (repo_id, repo_seq) do update set commit_id = excluded.commit_id, export_rows = excluded.export_rows`,
    [row.repo_id, row.at_seq, commitId, row.created_at, row.created_by, exportRows],
  );
}

export async function findCommits(
  reader: Reader,
  repoId: number,
  seqs: readonly number[],
): Promise<Map<number, CommitRow>> {
  const found = await reader.bulk<CommitRow>(FIND_COMMITS, { common: [repoId], rows: seqs.map((seq) => [seq]) });
  return new Map(found.map((commit) => [commit.repo_seq, commit]));
}

function attributionsOf(rows: readonly MappedRow[]): Map<number, Attribution> {
  const said = new Map<number, Attribution>();
  const add = (seq: number, attribution: Attribution) => {
    const before = said.get(seq);
    if (before === undefined) said.set(seq, attribution);
    else {
      agree(seq, attribution, before);
      before.author ??= attribution.author;
    }
  };
  for (const { line, fromSeq, createdSeq, createdAt, recordCreatedAt, createdBy, committer } of rows) {
    const author = { createdBy, committer: committer?.wref ?? null, identity: committer?.identity ?? null };
    add(fromSeq, { line, createdAt, author });
    add(createdSeq, { line, createdAt: recordCreatedAt });
  }
  return said;
}

function toAttribution({ created_at, created_by, committer, committer_identity }: CommitRow): Attribution {
  const author = { createdBy: created_by, committer, identity: committer_identity };
  return { line: 0, createdAt: created_at, author: created_by === UNKNOWN ? undefined : author };
}

function agree(seq: number, { line, createdAt, author }: Attribution, other: Attribution): void {
  if (createdAt !== other.createdAt) {
    throw badLine(line, `it dates sequence ${seq} at ${createdAt}, but other lines date it at ${other.createdAt}.`);
  }
  if (author === undefined || other.author === undefined) return;
  for (const field of ['createdBy', 'committer', 'identity'] as const) {
    const [is, was] = [author[field], other.author[field]];
    // The committer's record may have become unreadable since, so a missing identity matches any.
    if (is === was || (field === 'identity' && (is === null || was === null))) continue;
    throw badLine(
      line,
      `it gives ${is ?? 'nobody'} as author of sequence ${seq}, but other lines give ${was ?? 'nobody'}.`,
    );
  }
}
