// The commits that the rows of an import name: who wrote, when, and on whose behalf, once for each sequence. What they made
// is gathered apart (import_entry), and written into them when all rows are here.
import type { Reader, Transaction, Value } from '../engine/database.ts';
import type { MappedRow } from './identity.sql.ts';
import type { ImportRow } from './import-row.sql.ts';
import { badLine } from './line.rule.ts';
import { type CommitRow, FIND_COMMITS, INSERT_COMMITS, NAME_AUTHORS } from './statement.sql.ts';

/** What rows say of a commit. Of one that only began records, no more than the time is known. */
interface Attribution {
  readonly line: number;
  readonly createdAt: number;
  author?: Author | undefined;
}

interface Author {
  readonly createdBy: string;
  readonly committer: string | null;
  readonly identity: string | null;
}

/** For an author who is not known: no name of one is empty. */
const UNKNOWN = '';
/** The commits before an import have no ids here: they could not be computed again. */
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

/** The commit that the export was taken at: what it made may be gone by the next one, or be names alone. */
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

/** One commit was made once, by one author. */
function agree(seq: number, { line, createdAt, author }: Attribution, other: Attribution): void {
  if (createdAt !== other.createdAt) {
    throw badLine(line, `it says that sequence ${seq} was at ${createdAt}, and others say at ${other.createdAt}.`);
  }
  if (author === undefined || other.author === undefined) return;
  for (const field of ['createdBy', 'committer', 'identity'] as const) {
    const [is, was] = [author[field], other.author[field]];
    // Whom a text elsewhere leads to may have become unreadable since.
    if (is === was || (field === 'identity' && (is === null || was === null))) continue;
    throw badLine(line, `it says that sequence ${seq} was of ${is ?? 'nobody'}, and others say of ${was ?? 'nobody'}.`);
  }
}
