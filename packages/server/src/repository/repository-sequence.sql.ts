// Reads repositories with their sequences. On a distributed database the sequence is on the repository's shard, which
// is unknown before its row is found.
import type { BulkRows, BulkStatement, Ordinal, Reader, Transaction, Value } from '../engine/database.ts';

export const SEQUENCE_COLUMNS =
  'repo_sequence.repo_seq, repo_sequence.renamed_seq, repo_sequence.imported_seq, repo_sequence.importing';
export const JOIN_SEQUENCE = 'join repo_sequence on repo_sequence.repo_id = repository.id';

interface IdentifiedRow {
  readonly id: number;
}

export async function queryRepositories<Result extends IdentifiedRow>(
  reader: Reader,
  sql: string,
  params: readonly Value[],
): Promise<Result[]> {
  if (!(await reader.isDistributed?.())) return await reader.query<Result>(sql, params);
  return await withSequences(reader, await reader.query<Result>(withoutSequence(sql), params));
}

export async function bulkRepositories<Result extends IdentifiedRow>(
  reader: Reader,
  statement: BulkStatement,
  rows: BulkRows,
): Promise<Ordinal<Result>[]> {
  if (!(await reader.isDistributed?.())) return await reader.bulk<Result>(statement, rows);
  const alone = { ...statement, set: withoutSequence(statement.set) };
  return await withSequences(reader, await reader.bulk<Result>(alone, rows));
}

const withoutSequence = (sql: string) => sql.replace(`, ${SEQUENCE_COLUMNS}`, '').replace(JOIN_SEQUENCE, '');

export interface SequenceRow {
  readonly repo_id: number;
  readonly repo_seq: number;
  readonly renamed_seq: number;
  readonly imported_seq: number;
  readonly importing: string | null;
}

const FIND_SEQUENCES: BulkStatement = {
  each: `select repo_id, ${SEQUENCE_COLUMNS} from repo_sequence where repo_id = $1`,
  set: `select 1 as ord, repo_id, ${SEQUENCE_COLUMNS} from repo_sequence where repo_id = any($1::bigint[])`,
};

export function isSameSequence(a: SequenceRow, b: SequenceRow): boolean {
  return (
    a.repo_seq === b.repo_seq &&
    a.renamed_seq === b.renamed_seq &&
    a.imported_seq === b.imported_seq &&
    a.importing === b.importing
  );
}

export async function readSequence(reader: Reader, repoId: number): Promise<SequenceRow | undefined> {
  const [row] = await reader.query<SequenceRow>(FIND_SEQUENCES.each, [repoId]);
  return row;
}

async function withSequences<Row extends IdentifiedRow>(reader: Reader, rows: readonly Row[]): Promise<Row[]> {
  const ids = [...new Set(rows.map(({ id }) => id))];
  const found = await reader.bulk<SequenceRow>(FIND_SEQUENCES, { common: [], rows: ids.map((id) => [id]) });
  const sequences = new Map(
    found.map(({ repo_id, repo_seq, renamed_seq, imported_seq, importing }) => [
      repo_id,
      { repo_seq, renamed_seq, imported_seq, importing },
    ]),
  );
  return rows.flatMap((row) => {
    const sequence = sequences.get(row.id);
    return sequence === undefined ? [] : [{ ...row, ...sequence }];
  });
}

export async function findSequences(reader: Reader, repoIds: readonly number[]): Promise<Map<number, number>> {
  const rows = repoIds.map((id) => [id]);
  const found = await reader.bulk<SequenceRow>(FIND_SEQUENCES, { common: [], rows });
  return new Map(found.map(({ repo_id, repo_seq }) => [repo_id, repo_seq]));
}

const LOCK_SEQUENCES: BulkStatement = {
  each: 'select repo_id from repo_sequence where repo_id = $1',
  set: `select 1 as ord, s.repo_id from unnest($1::bigint[]) as k (id)
    join repo_sequence s on s.repo_id = k.id order by s.repo_id for update of s`,
  shard: {
    column: 0,
    set: 'select 1 as ord, repo_id from repo_sequence where repo_id = $2 and repo_id = any($1::bigint[]) for update',
  },
};

/** Locks in a fixed order to avoid deadlocks. Commits take the same lock, so running commits finish first. */
export async function lockSequences(tx: Transaction, repoIds: readonly number[]): Promise<void> {
  await tx.bulk(LOCK_SEQUENCES, { common: [], rows: repoIds.map((id) => [id]) });
}

const timeSet = (repo: string) => `select k.ord::int as ord, c.created_at
  from unnest($1::bigint[], $2::bigint[]) with ordinality as k (repo_id, repo_seq, ord)
  cross join lateral (select created_at from "commit" where repo_id = ${repo} and repo_seq = k.repo_seq limit 1) as c`;

const FIND_TIMES: BulkStatement = {
  single: true,
  each: 'select created_at from "commit" where repo_id = $1 and repo_seq = $2',
  set: timeSet('k.repo_id'),
  shard: { column: 0, set: timeSet('$3') },
};

export async function findLastCommitTimes(
  reader: Reader,
  repositories: readonly { id: number; repo_seq: number }[],
): Promise<Map<number, number>> {
  const rows = repositories.map(({ id, repo_seq }) => [id, repo_seq]);
  const found = await reader.bulk<{ created_at: number }>(FIND_TIMES, { common: [], rows });
  return new Map(found.map(({ ord, created_at }) => [repositories[ord]?.id ?? 0, created_at]));
}
