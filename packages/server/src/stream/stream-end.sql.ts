// The end of a stream: it is closed by its owner, or by time. What its tokens made is forgotten in steps, because there can be
// any number of them, and other writes wait meanwhile.
import type { StreamStatus } from '@cairn/protocol/stream';
import { type Grant, type SystemGrant, systemGrant } from '../access/grant.rule.ts';
import { readSequence } from '../commit/commit-write.sql.ts';
import type { Reader, Transaction } from '../engine/database.ts';
import { IDLE_MS_MAX, readStream, type StreamKey } from './stream.sql.ts';
import { forgetRefusals } from './stream-refusal.sql.ts';
import { forgetTokens } from './stream-token.write.ts';

interface ClosedStream extends StreamKey {
  readonly grant: Grant;
  readonly now: number;
}

/** Its tokens are left to `forgetStreamTokens`. */
export async function closeStream(tx: Transaction, { grant, now, ...key }: ClosedStream): Promise<StreamStatus> {
  const { repoId } = grant;
  // A chunk that is being applied comes before, with its tokens.
  await readSequence(tx, repoId, tx.forUpdate);
  await tx.query(
    `insert into stream (repo_id, owner, stream_id, line_offset, repo_seq, applied, noop, error, line_at, closed_at)
     values ($1, $2, $3, 0, 0, 0, 0, 0, $4, $4)
     on conflict (repo_id, owner, stream_id) do update set closed_at = coalesce(stream.closed_at, excluded.closed_at)`,
    [repoId, key.owner, key.streamId, now],
  );
  await forgetRefusals(tx, { repoId, ...key });
  return await readStream(tx, grant, key);
}

interface ForgettingStep extends StreamKey {
  readonly grant: Grant;
  readonly tokensMax: number;
}

/** One step, for a stream that is closed; answers whether it was the last. */
export async function forgetStreamTokens(
  tx: Transaction,
  { grant: { repoId }, tokensMax, ...key }: ForgettingStep,
): Promise<boolean> {
  return await forgetTokens(tx, { repoId, ...key }, tokensMax);
}

export interface IdleStream extends StreamKey {
  readonly grant: SystemGrant;
}

/** A node whose clock is behind may still take lines. */
const CLOCKS_APART_MS_MAX = 3_600_000;

const idleUntil = (now: number) => now - IDLE_MS_MAX - CLOCKS_APART_MS_MAX;

export async function findIdleStreams(
  reader: Reader,
  { now, limit }: { now: number; limit: number },
): Promise<IdleStream[]> {
  const rows = await reader.query<{ repo_id: number; owner: string; stream_id: string }>(
    'select repo_id, owner, stream_id from stream where closed_at is null and line_at < $1 order by line_at limit $2',
    [idleUntil(now), limit],
  );
  return rows.map(({ repo_id, owner, stream_id }) => ({
    grant: systemGrant(repo_id, 'idle stream'),
    owner,
    streamId: stream_id,
  }));
}

interface IdleStep extends IdleStream {
  readonly now: number;
  readonly tokensMax: number;
}

/** One step; answers whether it was the last. The row is closed by it, so that whatever is left is found until then. */
export async function closeIdleStream(
  tx: Transaction,
  { grant: { repoId }, owner, streamId, now, tokensMax }: IdleStep,
): Promise<boolean> {
  const key = [repoId, owner, streamId];
  const idle = await tx.query(
    `select line_at from stream
     where repo_id = $1 and owner = $2 and stream_id = $3 and closed_at is null and line_at < $4`,
    [...key, idleUntil(now)],
  );
  if (idle.length === 0) return true;
  if (!(await forgetTokens(tx, { repoId, owner, streamId }, tokensMax))) return false;
  await forgetRefusals(tx, { repoId, owner, streamId });
  await tx.query('update stream set closed_at = line_at + $4 where repo_id = $1 and owner = $2 and stream_id = $3', [
    ...key,
    IDLE_MS_MAX,
  ]);
  return true;
}
