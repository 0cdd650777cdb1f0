// A whole stream, over as many requests as needed. After an interruption, the server reports the number of durable
// lines, and the lines after them are sent again.
import { CairnError, fail } from '@cairn/protocol/errors';
import type { RefusedLine, StreamLine, StreamStatus } from '@cairn/protocol/stream';
import type { RepositoryName } from '../export.ts';
import type { Http } from '../http.ts';
import { createTries, isRetryable, PAUSE_MS, pause, stopIfAborted, type TryAgain, until } from '../retry.ts';
import type { StreamCounts, StreamedLines, StreamOptions, StreamSurface } from '../stream.ts';
import { Backlog, PieceReader, type StreamSource } from './backlog.ts';
import { type StreamRequest, sendBounded, sendStream } from './request.ts';

interface CutStream {
  readonly repo: RepositoryName;
  readonly streamId: string;
  readonly counts: { readonly offset: number };
}

function isOffsetConflict(error: unknown): boolean {
  if (!(error instanceof CairnError) || error.code !== 'CONFLICT') return false;
  return (error.details as { reason?: unknown } | undefined)?.reason === 'offset';
}

/**
 * Adds the position from which to resume to the error of an interrupted stream. A missing path gets its likely reason.
 */
function explained({ repo, streamId, counts }: CutStream, error: unknown): unknown {
  const name = `${repo.orgName}/${repo.repoName}`;
  if (!(error instanceof CairnError)) return error;
  const { code, retryAfter } = error;
  if (code === 'NOT_FOUND') {
    return fail(code, {
      message: `${name} does not accept streaming submissions, or there is no such repository that you can see.`,
      hint: 'Turn them on with repo.configure and features: { streamSubmissions: true }; this needs repo:configure.',
      cause: error,
    });
  }
  if (!isRetryable(error)) return error;
  return fail(code, {
    message: `The stream ${streamId} to ${name} was interrupted after ${counts.offset} lines: ${error.message}`,
    details: { streamId, offset: counts.offset },
    ...(retryAfter !== undefined && { retryAfter }),
    cause: error,
  });
}

function closed(streamId: string): CairnError {
  return fail('CONFLICT', {
    message: `The stream ${streamId} is closed, and accepts no more lines. Send the remaining lines as another stream.`,
    details: { reason: 'closed' },
  });
}

function anotherWriter(streamId: string, { offset, reach }: { offset: number; reach: number }): CairnError {
  return fail('CONFLICT', {
    message: `The stream ${streamId} has ${offset} lines, but at most ${reach} were sent from here. Is another process sending to it? Only one can at a time.`,
    details: { reason: 'writer', offset },
  });
}

function tooShort(streamId: string, { offset }: { offset: number }, { end }: { end: number }): CairnError {
  return fail('VALIDATION_ERROR', {
    message: `The stream ${streamId} has ${offset} lines already, and the source has only ${end}. Is it the source that the stream was started with?`,
  });
}

interface Refusing {
  readonly backlog: Backlog;
  readonly options: StreamOptions;
}

/** The lines must still be in the backlog. */
function tellRefused({ backlog, options }: Refusing, refused: readonly RefusedLine[]): void {
  if (options.onRefused === undefined || refused.length === 0) return;
  const texts = backlog.textOf(refused.map(({ line }) => line));
  for (const line of refused) options.onRefused({ ...line, text: texts.get(line.line) ?? '' });
}

interface Missing extends Refusing {
  readonly surface: StreamSurface;
  readonly repo: RepositoryName;
  readonly streamId: string;
}

/**
 * Reports the refused lines in the status, and those after them. Each reported line is dropped from the backlog, so it
 * is reported only once.
 */
async function tellMissed(missing: Missing, { refused, offset }: StreamStatus): Promise<void> {
  const { surface, repo, streamId, options } = missing;
  let page = refused ?? [];
  while (page.length > 0) {
    for (const refusal of page) {
      if (refusal.line > missing.backlog.offset && refusal.line <= offset) await tellOne(missing, refusal);
    }
    const refusedAfter = page.at(-1)?.line ?? offset;
    if (refusedAfter >= offset) return;
    const asked = { refusedAfter, signal: options.signal };
    page = (await surface.status(repo.orgName, repo.repoName, streamId, asked)).refused ?? [];
  }
}

async function tellOne(missing: Missing, refused: RefusedLine): Promise<void> {
  const { backlog } = missing;
  await backlog.dropTo(refused.line - 1);
  // Reads the line if it was not read yet.
  await backlog.take(refused.line - 1);
  tellRefused(missing, [refused]);
  await backlog.dropTo(refused.line);
}

interface StreamTarget {
  readonly surface: StreamSurface;
  readonly http: Http;
  readonly repo: RepositoryName;
}

interface Submission extends StreamTarget {
  readonly options: StreamOptions;
  readonly streamId: string;
  readonly backlog: Backlog;
  readonly tryAgain: TryAgain;
  counts: StreamCounts;
  upload: 'stream' | 'requests';
  /** Most lines that the server can have, by what this and an earlier process sent. */
  reach: number;
  /** Number of conflicts that an interrupted connection of our own may still cause. */
  echoes: number;
  /** Line at which the token was last renewed. */
  renewedAt?: number;
}

/** An interrupted connection can leave some chunks behind that the server applies later. */
const ECHOES_MAX = 20;
const NOTHING: StreamCounts = { offset: 0, applied: 0, noop: 0, error: 0, repoSeq: 0 };

export async function submitStream(
  target: StreamTarget,
  source: StreamSource,
  options: StreamOptions,
): Promise<StreamedLines> {
  const submission = await begin(target, source, options);
  const { backlog, streamId } = submission;
  try {
    await sendAll(submission);
    if (backlog.failure !== undefined) throw backlog.failure.cause;
    if (options.close ?? options.streamId === undefined) await close(submission);
    return { streamId, ...submission.counts };
  } finally {
    backlog.release();
  }
}

async function begin(target: StreamTarget, source: StreamSource, options: StreamOptions): Promise<Submission> {
  const { http } = target;
  const { signal, streamId = randomId() } = options;
  stopIfAborted(signal);
  const tryAgain = createTries(http.retry, signal);
  const status = await findStatus(target, options, tryAgain);
  if (status.state === 'closed') throw closed(streamId);
  options.onBegin?.(streamId);
  const backlog = await openBacklog(source, status, signal);
  const isBegun = status.offset > 0;
  const submission: Submission = {
    ...target,
    ...{ options, streamId, backlog, tryAgain },
    counts: countsOf(status),
    upload: options.upload ?? (canStreamUploads() ? 'stream' : 'requests'),
    // Another process may have sent more lines than are durable yet.
    reach: isBegun ? Number.POSITIVE_INFINITY : 0,
    echoes: isBegun ? ECHOES_MAX : 0,
  };
  await until(tryAgain, 0, () => goOnAfter(submission, status)).catch((error: unknown) => {
    backlog.release();
    throw error;
  });
  return submission;
}

async function findStatus(
  { surface, repo }: StreamTarget,
  { streamId, refusedAfter, signal }: StreamOptions,
  tryAgain: TryAgain,
): Promise<StreamStatus> {
  if (streamId === undefined) return { streamId: '', state: 'new', ...NOTHING };
  return await until(tryAgain, 0, () =>
    surface.status(repo.orgName, repo.repoName, streamId, { refusedAfter, signal }),
  );
}

/** A source that can start anywhere starts with the first line that is needed. */
async function openBacklog(
  source: StreamSource,
  { offset, refused: [first] = [] }: StreamStatus,
  signal: AbortSignal | undefined,
): Promise<Backlog> {
  if (typeof source !== 'function') return new Backlog(new PieceReader(source, 0), { offset: 0, signal });
  const needed = first === undefined ? offset : Math.min(offset, first.line - 1);
  return new Backlog(new PieceReader(await source(needed), needed), { offset: needed, signal });
}

/** Node, Bun and Deno can stream uploads. Browsers cannot over HTTP/1.1. */
function canStreamUploads(): boolean {
  const { process } = globalThis as { process?: { versions?: { node?: string } } };
  return process?.versions?.node !== undefined;
}

function randomId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function sendAll(submission: Submission): Promise<void> {
  let recovering = false;
  for (;;) {
    try {
      if (recovering) await catchUp(submission);
      recovering = false;
      if (!(await sendNext(submission))) return;
    } catch (error) {
      await recover(submission, error);
      recovering = true;
    }
  }
}

/** Makes one request, once there is something to send. False if nothing is left. */
async function sendNext(submission: Submission): Promise<boolean> {
  const { backlog } = submission;
  const first = await backlog.take(backlog.offset);
  if (first === undefined) return false;
  const request = requestOf(submission);
  if (submission.upload === 'requests') await sendBounded(request, first);
  else if (!(await sendStream(request, first))) submission.upload = 'requests';
  return true;
}

function requestOf(submission: Submission): StreamRequest {
  const { http, repo, streamId, backlog, options } = submission;
  const { message, committer, atomicity, skipExisting, signal } = options;
  const [org, name] = [encodeURIComponent(repo.orgName), encodeURIComponent(repo.repoName)];
  let sent = backlog.offset;
  return {
    ...{ http, backlog, signal },
    path: `api/repos/${org}/${name}/streams/${encodeURIComponent(streamId)}/submissions`,
    query: { message, committer, atomicity, skipExisting },
    onSent: (lines) => {
      sent = lines;
      submission.reach = Math.max(submission.reach, lines);
    },
    onLine: async (line) => {
      if (line.offset > sent || (line.type === 'end' && line.offset < sent))
        throw fail('NETWORK_ERROR', { message: `The server counts ${line.offset} lines, but ${sent} were sent.` });
      await receive(submission, line);
    },
  };
}

async function receive(submission: Submission, line: Exclude<StreamLine, { type: 'error' }>): Promise<void> {
  const { backlog, options, counts } = submission;
  const { offset, repoSeq } = line;
  if (line.type === 'ack') {
    tellRefused(submission, line.errors ?? []);
    for (const field of line.undeclaredFields ?? []) options.onUndeclared?.(field);
  }
  const before = line.type === 'ack' ? counts : NOTHING;
  submission.counts = {
    ...{ offset, repoSeq },
    applied: before.applied + line.applied,
    noop: before.noop + line.noop,
    error: before.error + line.error,
  };
  await backlog.dropTo(offset);
  // After this acknowledgement, an earlier connection is at the wrong offset and can cause no more conflicts.
  submission.echoes = 0;
  options.onProgress?.({ ...submission.counts, bytes: backlog.doneBytes });
}

/** Pauses if another try is useful, and throws the error otherwise. */
async function recover(submission: Submission, error: unknown): Promise<void> {
  const { backlog, http, options, tryAgain } = submission;
  if (submission.echoes > 0 && isOffsetConflict(error)) {
    submission.echoes -= 1;
    return await pause(http.retry.pauseMs ?? PAUSE_MS, options.signal);
  }
  if (!mayRenew(submission, error)) await tryAgain(explained(submission, error), backlog.offset);
  submission.echoes = ECHOES_MAX;
}

/**
 * A token that expires during a stream is not fatal, since the request for the status gets another one. This happens at
 * most once without progress in between.
 */
function mayRenew(submission: Submission, error: unknown): boolean {
  const { http, backlog, renewedAt } = submission;
  const isRefused = error instanceof CairnError && error.code === 'UNAUTHENTICATED';
  if (!http.tokenChanges || !isRefused || renewedAt === backlog.offset) return false;
  submission.renewedAt = backlog.offset;
  return true;
}

async function catchUp(submission: Submission): Promise<void> {
  const { surface, repo, streamId, backlog, options, reach } = submission;
  const refusedAfter = options.onRefused === undefined ? undefined : backlog.offset;
  const asked = { refusedAfter, signal: options.signal };
  const status = await surface.status(repo.orgName, repo.repoName, streamId, asked);
  if (status.state === 'closed') throw closed(streamId);
  const { offset } = status;
  if (offset < backlog.offset || offset > reach) throw anotherWriter(streamId, { offset, reach });
  submission.counts = countsOf(status);
  await goOnAfter(submission, status);
}

async function goOnAfter(submission: Submission, status: StreamStatus): Promise<void> {
  const { backlog, streamId } = submission;
  await tellMissed(submission, status);
  if (!(await backlog.dropTo(status.offset))) throw backlog.failure?.cause ?? tooShort(streamId, status, backlog);
}

/**
 * All lines are durable, and the server closes the stream by itself after a week. A retryable failure to close it
 * earlier is therefore ignored.
 */
async function close({ surface, repo, streamId, counts, tryAgain }: Submission): Promise<void> {
  if (counts.offset === 0) return;
  try {
    await until(tryAgain, counts.offset, () => surface.close(repo.orgName, repo.repoName, streamId));
  } catch (error) {
    if (!isRetryable(error)) throw error;
  }
}

function countsOf({ offset, applied, noop, error, repoSeq }: StreamStatus): StreamCounts {
  return { offset, applied, noop, error, repoSeq };
}
