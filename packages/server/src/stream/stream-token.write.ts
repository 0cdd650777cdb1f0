// What the tokens of a stream made, kept as long as the stream lives.
import type { EarlierTokens, UsedToken } from '../commit/token-set.sql.ts';
import type { BulkStatement, Transaction } from '../engine/database.ts';
import type { StreamKey } from './stream.sql.ts';

interface TokenOwner extends StreamKey {
  readonly repoId: number;
}

interface TokenRow {
  readonly label: number;
  readonly line: number;
  readonly record_id: number | null;
}

const FIND_TOKENS: BulkStatement = {
  each: `select label, line, record_id from stream_token
    where repo_id = $1 and owner = $2 and stream_id = $3 and label = $4`,
  set: `select k.ord::int as ord, t.label, t.line, t.record_id
    from unnest($4::bigint[]) with ordinality as k (label, ord)
    cross join lateral (select label, line, record_id from stream_token
      where repo_id = $1 and owner = $2 and stream_id = $3 and label = k.label limit 1) as t`,
};

const INSERT_TOKENS: BulkStatement = {
  each: `insert into stream_token (repo_id, owner, stream_id, label, line, record_id) values ($1, $2, $3, $4, $5, $6)`,
  set: `insert into stream_token (repo_id, owner, stream_id, label, line, record_id)
    select $1::bigint, $2::text, $3::text, * from unnest($4::bigint[], $5::bigint[], $6::bigint[])`,
};

export function earlierTokens({ repoId, owner, streamId }: TokenOwner): EarlierTokens {
  return {
    find: async (reader, labels) => {
      const rows = labels.map((label) => [label]);
      const found = await reader.bulk<TokenRow>(FIND_TOKENS, { common: [repoId, owner, streamId], rows });
      return found.map(({ label, line, record_id }) => ({ label, place: line, recordId: record_id }));
    },
  };
}

export async function keepTokens(
  tx: Transaction,
  { repoId, owner, streamId }: TokenOwner,
  tokens: readonly UsedToken[],
): Promise<void> {
  if (tokens.length === 0) return;
  const rows = tokens.map(({ label, place, recordId }) => [label, place, recordId]);
  await tx.bulk(INSERT_TOKENS, { common: [repoId, owner, streamId], rows });
}

/** The first of them by their labels; answers whether none is left. */
export async function forgetTokens(
  tx: Transaction,
  { repoId, owner, streamId }: TokenOwner,
  tokensMax: number,
): Promise<boolean> {
  const key = [repoId, owner, streamId];
  const [next] = await tx.query<{ label: number }>(
    `select label from stream_token where repo_id = $1 and owner = $2 and stream_id = $3
     order by label limit 1 offset $4`,
    [...key, tokensMax],
  );
  await tx.query('delete from stream_token where repo_id = $1 and owner = $2 and stream_id = $3 and label < $4', [
    ...key,
    next?.label ?? Number.MAX_SAFE_INTEGER,
  ]);
  return next === undefined;
}
