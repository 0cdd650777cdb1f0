// The last lines of a stream that were refused, and why. An acknowledgement tells them once, and can be lost on its way: who
// goes on after a cut asks for them.
import type { RefusedLine } from '@cairn/protocol/stream';
import type { BulkStatement, Reader, Transaction } from '../engine/database.ts';
import type { StreamKey } from './stream.sql.ts';

interface RefusalOwner extends StreamKey {
  readonly repoId: number;
}

/** More than a client has on its way at once. */
const KEPT_LINES = 20_000;
/** In one answer; there may be more after them. */
export const REFUSALS_MAX = 1_000;

const INSERT_REFUSALS: BulkStatement = {
  each: `insert into stream_refusal (repo_id, owner, stream_id, line, reason) values ($1, $2, $3, $4, $5)`,
  set: `insert into stream_refusal (repo_id, owner, stream_id, line, reason)
    select $1::bigint, $2::text, $3::text, * from unnest($4::bigint[], $5::text[])`,
};

/** `offset` is how many lines the stream has with them. */
export async function keepRefusals(
  tx: Transaction,
  { repoId, owner, streamId }: RefusalOwner,
  { refused, offset }: { refused: readonly RefusedLine[]; offset: number },
): Promise<void> {
  if (refused.length === 0) return;
  const common = [repoId, owner, streamId];
  const rows = refused.map(({ line, ...reason }) => [line, JSON.stringify(reason)]);
  await tx.bulk(INSERT_REFUSALS, { common, rows });
  await tx.query('delete from stream_refusal where repo_id = $1 and owner = $2 and stream_id = $3 and line <= $4', [
    ...common,
    offset - KEPT_LINES,
  ]);
}

export async function forgetRefusals(tx: Transaction, { repoId, owner, streamId }: RefusalOwner): Promise<void> {
  await tx.query('delete from stream_refusal where repo_id = $1 and owner = $2 and stream_id = $3', [
    repoId,
    owner,
    streamId,
  ]);
}

/** Those after a line, in order. */
export async function readRefusals(
  reader: Reader,
  { repoId, owner, streamId }: RefusalOwner,
  after: number,
): Promise<RefusedLine[]> {
  const rows = await reader.query<{ line: number; reason: string }>(
    `select line, reason from stream_refusal
     where repo_id = $1 and owner = $2 and stream_id = $3 and line > $4 order by line limit ${REFUSALS_MAX}`,
    [repoId, owner, streamId, after],
  );
  return rows.map(({ line, reason }) => ({ line, ...JSON.parse(reason) }));
}
