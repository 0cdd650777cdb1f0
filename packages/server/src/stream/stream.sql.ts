// Streams of submissions: how far each is. A stream belongs to a repository and to who submits.
import type { StreamStatus } from '@cairn/protocol/stream';
import type { Grant } from '../access/grant.rule.ts';
import type { Reader, Transaction } from '../engine/database.ts';

export interface StreamKey {
  readonly streamId: string;
  /** As of receipts: a person's sessions and tokens share it. */
  readonly owner: string;
}

/** A stream without a line for so long has ended. */
export const IDLE_MS_MAX = 7 * 24 * 3_600_000;

interface StreamRow {
  readonly line_offset: number;
  readonly repo_seq: number;
  readonly applied: number;
  readonly noop: number;
  readonly error: number;
  readonly line_at: number;
  readonly closed_at: number | null;
}

export async function readStream(
  reader: Reader,
  { repoId }: Grant,
  { streamId, owner }: StreamKey,
): Promise<StreamStatus> {
  const [row] = await reader.query<StreamRow>(
    `select line_offset, repo_seq, applied, noop, error, line_at, closed_at from stream
     where repo_id = $1 and owner = $2 and stream_id = $3`,
    [repoId, owner, streamId],
  );
  if (row === undefined) return { streamId, state: 'new', offset: 0, repoSeq: 0, applied: 0, noop: 0, error: 0 };
  const { line_offset: offset, repo_seq: repoSeq, applied, noop, error, line_at: lineAt } = row;
  const closedAt = row.closed_at ?? closedByTime(lineAt, Date.now());
  const progress = { offset, repoSeq, applied, noop, error, lineAt };
  return { streamId, state: closedAt === undefined ? 'open' : 'closed', ...progress, ...(closedAt && { closedAt }) };
}

function closedByTime(lineAt: number, now: number): number | undefined {
  return now - lineAt > IDLE_MS_MAX ? lineAt + IDLE_MS_MAX : undefined;
}

interface MovedStream {
  readonly repoId: number;
  readonly owner: string;
  /** As it was read in this transaction. */
  readonly stream: StreamStatus;
  readonly lineCount: number;
  readonly repoSeq: number;
  readonly counts: Pick<StreamStatus, 'applied' | 'noop' | 'error'>;
}

export async function writeStream(
  tx: Transaction,
  { repoId, owner, stream, lineCount, repoSeq, counts }: MovedStream,
): Promise<StreamStatus> {
  // A chunk of nothing leaves no trace: nobody would miss the stream.
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
