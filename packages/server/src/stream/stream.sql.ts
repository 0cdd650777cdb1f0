// The state of submission streams: offsets, placeholders and refused lines, per repository and owner.
import type { RefusedLine, StreamStatus } from '@cairn/protocol/stream';
import { type Grant, type SystemGrant, systemGrant } from '../access/grant.rule.ts';
import { readSequence } from '../commit/commit.write.ts';
import type { EarlierPlaceholders, UsedPlaceholder } from '../commit/placeholder-set.sql.ts';
import type { BulkStatement, Reader, Transaction } from '../engine/database.ts';

export interface StreamKey {
  readonly streamId: string;
  /** All sessions and tokens of a person share it, as with receipts. */
  readonly owner: string;
}

const IDLE_MS_MAX = 7 * 24 * 3_600_000;

export async function readStream(
  reader: Reader,
  { repoId }: Grant,
  { streamId, owner }: StreamKey,
): Promise<StreamStatus> {
  const [row] = await reader.query<
    Omit<StreamStatus, 'streamId' | 'state' | 'closedAt'> & { lineAt: number; closed_at: number | null }
  >(
    `select line_offset as "offset", repo_seq as "repoSeq", applied, noop, error, line_at as "lineAt", closed_at
     from stream where repo_id = $1 and owner = $2 and stream_id = $3`,
    [repoId, owner, streamId],
  );
  if (row === undefined) return { streamId, state: 'new', offset: 0, repoSeq: 0, applied: 0, noop: 0, error: 0 };
  const { closed_at, ...progress } = row;
  const closedAt = closed_at ?? closedByTime(progress.lineAt, Date.now());
  return { streamId, state: closedAt === undefined ? 'open' : 'closed', ...progress, ...(closedAt && { closedAt }) };
}

function closedByTime(lineAt: number, now: number): number | undefined {
  return now - lineAt > IDLE_MS_MAX ? lineAt + IDLE_MS_MAX : undefined;
}

interface MovedStream {
  readonly repoId: number;
  readonly owner: string;
  readonly stream: StreamStatus;
  readonly lineCount: number;
  readonly repoSeq: number;
  readonly counts: Pick<StreamStatus, 'applied' | 'noop' | 'error'>;
}

export async function writeStream(
  tx: Transaction,
  { repoId, owner, stream, lineCount, repoSeq, counts }: MovedStream,
): Promise<StreamStatus> {
  if (lineCount === 0) return stream;
  const { streamId } = stream;
  const lineAt = tx.now();
  const moved: StreamStatus = {
    streamId,
    state: 'open',
    offset: stream.offset + lineCount,
    repoSeq: counts.applied > 0 ? repoSeq : stream.repoSeq,
    applied: stream.applied + counts.applied,
    noop: stream.noop + counts.noop,
    error: stream.error + counts.error,
    lineAt,
  };
  await tx.query(
    `insert into stream (repo_id, owner, stream_id, line_offset, repo_seq, applied, noop, error, line_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (repo_id, owner, stream_id) do update set line_offset = excluded.line_offset,
       repo_seq = excluded.repo_seq, applied = excluded.applied, noop = excluded.noop, error = excluded.error,
       line_at = excluded.line_at`,
    [repoId, owner, streamId, moved.offset, moved.repoSeq, moved.applied, moved.noop, moved.error, lineAt],
  );
  return moved;
}

interface ClosedStream extends StreamKey {
  readonly grant: Grant;
  readonly now: number;
}

export async function closeStream(tx: Transaction, { grant, now, ...key }: ClosedStream): Promise<StreamStatus> {
  const { repoId } = grant;
  // The lock lets a running chunk finish first, with its placeholders.
  await readSequence(tx, grant, tx.forUpdate);
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
  readonly placeholdersMax: number;
}

/** One step; returns whether it was the last. There may be many placeholders, and each step blocks other writes. */
export async function forgetPlaceholders(
  tx: Transaction,
  { grant: { repoId }, placeholdersMax, ...key }: ForgettingStep,
): Promise<boolean> {
  return await forgetSome(tx, { repoId, ...key }, placeholdersMax);
}

interface IdleStream extends StreamKey {
  readonly grant: SystemGrant;
}

/** Allowance for nodes with slow clocks, which may still accept lines. */
const CLOCKS_APART_MS_MAX = 3_600_000;

const idleUntil = (now: number) => now - IDLE_MS_MAX - CLOCKS_APART_MS_MAX;

export async function findIdleStreams(
  reader: Reader,
  { now, limit }: { now: number; limit: number },
): Promise<IdleStream[]> {
  const rows = await reader.query<StreamAddress>(
    `select repo_id as "repoId", owner, stream_id as "streamId" from stream
     where closed_at is null and line_at < $1 order by line_at limit $2`,
    [idleUntil(now), limit],
  );
  return rows.map(({ repoId, ...key }) => ({ grant: systemGrant(repoId, 'idle stream'), ...key }));
}

interface IdleStep extends IdleStream {
  readonly now: number;
  readonly placeholdersMax: number;
}

/** One step; the last one closes the row, so that an interrupted job finds it again. */
export async function closeIdleStream(
  tx: Transaction,
  { grant: { repoId }, owner, streamId, now, placeholdersMax }: IdleStep,
): Promise<boolean> {
  const key = [repoId, owner, streamId];
  const idle = await tx.query(
    `select line_at from stream
     where repo_id = $1 and owner = $2 and stream_id = $3 and closed_at is null and line_at < $4`,
    [...key, idleUntil(now)],
  );
  if (idle.length === 0) return true;
  if (!(await forgetSome(tx, { repoId, owner, streamId }, placeholdersMax))) return false;
  await forgetRefusals(tx, { repoId, owner, streamId });
  await tx.query('update stream set closed_at = line_at + $4 where repo_id = $1 and owner = $2 and stream_id = $3', [
    ...key,
    IDLE_MS_MAX,
  ]);
  return true;
}

/** More than a client sends without waiting for acknowledgements. */
const KEPT_LINES = 20_000;
const REFUSALS_MAX = 1_000;

/** Stored, because the acknowledgement that reports them can be lost with the connection. */
const INSERT_REFUSALS: BulkStatement = {
  each: `insert into stream_refusal (repo_id, owner, stream_id, line, reason) values ($1, $2, $3, $4, $5)`,
  set: `insert into stream_refusal (repo_id, owner, stream_id, line, reason)
    select $1::bigint, $2::text, $3::text, * from unnest($4::bigint[], $5::text[])`,
};

export async function keepRefusals(
  tx: Transaction,
  { repoId, owner, streamId }: StreamAddress,
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

async function forgetRefusals(tx: Transaction, { repoId, owner, streamId }: StreamAddress): Promise<void> {
  await tx.query('delete from stream_refusal where repo_id = $1 and owner = $2 and stream_id = $3', [
    repoId,
    owner,
    streamId,
  ]);
}

export async function readRefusals(
  reader: Reader,
  { repoId, owner, streamId }: StreamAddress,
  after: number,
): Promise<RefusedLine[]> {
  const rows = await reader.query<{ line: number; reason: string }>(
    `select line, reason from stream_refusal
     where repo_id = $1 and owner = $2 and stream_id = $3 and line > $4 order by line limit ${REFUSALS_MAX}`,
    [repoId, owner, streamId, after],
  );
  return rows.map(({ line, reason }) => ({ line, ...JSON.parse(reason) }));
}

interface StreamAddress extends StreamKey {
  readonly repoId: number;
}

const FIND_PLACEHOLDERS: BulkStatement = {
  each: `select label, line, record_id from stream_token
    where repo_id = $1 and owner = $2 and stream_id = $3 and label = $4`,
  set: `select k.ord::int as ord, t.label, t.line, t.record_id
    from unnest($4::bigint[]) with ordinality as k (label, ord)
    cross join lateral (select label, line, record_id from stream_token
      where repo_id = $1 and owner = $2 and stream_id = $3 and label = k.label limit 1) as t`,
};

const INSERT_PLACEHOLDERS: BulkStatement = {
  each: `insert into stream_token (repo_id, owner, stream_id, label, line, record_id) values ($1, $2, $3, $4, $5, $6)`,
  set: `insert into stream_token (repo_id, owner, stream_id, label, line, record_id)
    select $1::bigint, $2::text, $3::text, * from unnest($4::bigint[], $5::bigint[], $6::bigint[])`,
};

export function earlierPlaceholders({ repoId, owner, streamId }: StreamAddress): EarlierPlaceholders {
  return {
    find: async (reader, labels) => {
      const rows = labels.map((label) => [label]);
      const found = await reader.bulk<{ label: number; line: number; record_id: number | null }>(FIND_PLACEHOLDERS, {
        common: [repoId, owner, streamId],
        rows,
      });
      return found.map(({ label, line, record_id }) => ({ label, place: line, recordId: record_id }));
    },
  };
}

export async function keepPlaceholders(
  tx: Transaction,
  { repoId, owner, streamId }: StreamAddress,
  placeholders: readonly UsedPlaceholder[],
): Promise<void> {
  if (placeholders.length === 0) return;
  const rows = placeholders.map(({ label, place, recordId }) => [label, place, recordId]);
  await tx.bulk(INSERT_PLACEHOLDERS, { common: [repoId, owner, streamId], rows });
}

async function forgetSome(
  tx: Transaction,
  { repoId, owner, streamId }: StreamAddress,
  placeholdersMax: number,
): Promise<boolean> {
  const key = [repoId, owner, streamId];
  const [next] = await tx.query<{ label: number }>(
    `select label from stream_token where repo_id = $1 and owner = $2 and stream_id = $3
     order by label limit 1 offset $4`,
    [...key, placeholdersMax],
  );
  await tx.query('delete from stream_token where repo_id = $1 and owner = $2 and stream_id = $3 and label < $4', [
    ...key,
    next?.label ?? Number.MAX_SAFE_INTEGER,
  ]);
  return next === undefined;
}
