// Applies a streaming submission chunk by chunk, and answers status and close requests for streams.

import { randomUUID } from 'node:crypto';
import { attempt } from '@cairn/model/problem';
import { CairnError, type ErrorFields, fail } from '@cairn/protocol/errors';
import type { Limits } from '@cairn/protocol/limits';
import type { StreamAck, StreamEnd, SubmissionQuery } from '@cairn/protocol/stream';
import { accountOf, authorize, authorOf, hasScope, ownerOf, sightOf } from '../access/access.ts';
import type { Context, Operation } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import { causeOf } from '../action/trace.ts';
import { checkCommitter } from '../commit/commit.ts';
import type { PackedLines } from '../commit/packed-lines.rule.ts';
import type { DataLimits } from '../commit/version-content.sql.ts';
import { findReadable } from '../read/wref.ts';
import { findRepository, type RepositoryAddress } from '../repository/repository.sql.ts';
import type { LearnedShape } from './line-checker.rule.ts';
import { readRefusals, readStream } from './stream.sql.ts';
import type { ChunkInput, WrittenChunk } from './stream-chunk.write.ts';

/** Whole lines of NDJSON. The receiver takes over the buffer. */
export interface LineChunk {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly lineCount: number;
}

export interface AppliedChunk {
  readonly ack: StreamAck | undefined;
  readonly end: StreamEnd;
  /** A line that is not an operation ends the stream. The lines before it are applied. */
  readonly refused?: { readonly line: number; readonly error: ErrorFields };
}

export interface Submission {
  /** Rejects if nothing was applied. You may pass the next chunk early; it fails if this one does. */
  apply(lines: PackedLines): Promise<AppliedChunk>;
  check(chunk: LineChunk): Promise<PackedLines>;
}

export interface Permit {
  readonly context: Context;
  readonly grant: Grant;
}

export interface SubmissionRequest {
  readonly grant: Grant;
  readonly streamId: string;
  readonly query: SubmissionQuery;
  readonly permit: () => Promise<Permit>;
}

// The caller must not be able to tell a missing, hidden or closed repository apart, not even by timing (spec 4.4, rule
// 1).
export async function admitSubmission(context: Context, address: RepositoryAddress): Promise<Grant | undefined> {
  const { principal, store } = context;
  const found = await findRepository(store.database, address, accountOf(principal));
  const sight = attempt(() => sightOf(principal, found));
  if (sight instanceof CairnError || !sight.found.repository.features.streamSubmissions) return undefined;
  return await authorize(context, address, 'repo:write');
}

export function openSubmission(context: Context, request: SubmissionRequest): Submission {
  if (request.query.committer !== undefined) checkCommitter(request.query.committer);
  return new OpenSubmission(context, request);
}

interface Handed {
  readonly writing: Promise<readonly WrittenChunk[]>;
}

/** Gzip compresses blank lines to almost nothing, so they would be cheap to send and costly to process. */
const BLANK_LINES_MAX = 10_000;

class OpenSubmission implements Submission {
  readonly #context: Context;
  readonly #request: SubmissionRequest;
  /** Owner of the stream, fixed even if the credential would later belong to somebody else. */
  readonly #owner: string;
  readonly #submissionId = randomUUID();
  #offset: number;
  #handedOver: Promise<Handed> = Promise.resolve({ writing: Promise.resolve([]) });
  readonly #learned: LearnedShape[] = [];
  #blankLines = 0;

  constructor(context: Context, request: SubmissionRequest) {
    this.#context = context;
    this.#request = request;
    this.#owner = ownerOf(context.principal);
    this.#offset = request.query.offset;
  }

  async check({ bytes }: LineChunk): Promise<PackedLines> {
    const { grant, query } = this.#request;
    const { store, limits } = this.#context;
    const lines = await store.checkLines({
      repoId: grant.repoId,
      bytes,
      skipExisting: query.skipExisting === 'true',
      committer: query.committer,
      limits: dataLimits(limits),
      learned: this.#learned.splice(0),
    });
    this.#blankLines = lines.operationCount === 0 ? this.#blankLines + lines.lineCount : 0;
    if (this.#blankLines <= BLANK_LINES_MAX) return lines;
    const message = `More than ${BLANK_LINES_MAX.toLocaleString('en')} lines in a row are blank. Remove them and send the rest from the acknowledged offset.`;
    throw fail('VALIDATION_ERROR', { message });
  }

  async apply(lines: PackedLines): Promise<AppliedChunk> {
    const offset = this.#offset;
    this.#offset += lines.lineCount;
    const before = this.#handedOver;
    const handed = before.then((one) => this.#handOver(lines, offset, one.writing));
    this.#handedOver = handed.catch(() => before);
    return this.#report(lines, (await (await handed).writing).reduce(together));
  }

  /** Returns an object, because waiting for the handover must not wait for the write itself. */
  async #handOver(lines: PackedLines, offset: number, before: Handed['writing']): Promise<Handed> {
    const { context, grant } = await this.#request.permit();
    const input = await this.#input(context, grant, { lines, offset });
    const writing = this.#write(context, input, before);
    writing.catch(() => {});
    return { writing };
  }

  /** Uses as many commits as the chunk needs. If a later one fails, the stream's status shows how far it got. */
  async #write(context: Context, input: ChunkInput, before: Promise<readonly WrittenChunk[]>): Promise<WrittenChunk[]> {
    const end = input.offset + input.lines.lineCount;
    const commits = [await this.#writeFirst(context, input, before)];
    for (let last = commits[0]; last !== undefined && last.stream.offset < end; last = commits.at(-1)) {
      const { stream, applied, noop, error } = last;
      const operationsMax = 2 * (applied + noop + error);
      const part = { ...input, offset: stream.offset, skipped: stream.offset - input.offset, operationsMax };
      commits.push(await context.store.write.applyChunk(part));
    }
    return commits;
  }

  /** Retries a chunk that reached the writer while the previous one was only partly applied. */
  async #writeFirst(
    context: Context,
    input: ChunkInput,
    before: Promise<readonly WrittenChunk[]>,
  ): Promise<WrittenChunk> {
    try {
      return await context.store.write.applyChunk(input);
    } catch (error) {
      const isEarly = offsetIn(error) < input.offset;
      const commits = isEarly ? await before.catch(() => []) : [];
      if (commits.at(-1)?.stream.offset !== input.offset) throw error;
      return await context.store.write.applyChunk(input);
    }
  }

  #report({ lineCount, unreadable }: PackedLines, written: WrittenChunk): AppliedChunk {
    const { stream, learned, errors, undeclaredFields, repoSeq, applied, noop, error } = written;
    const { offset } = stream;
    this.#learned.push(...learned);
    const counts = { applied, noop, error };
    const totals = { applied: stream.applied, noop: stream.noop, error: stream.error };
    const told = {
      ...(errors.length > 0 && { errors: [...errors] }),
      ...(undeclaredFields.length > 0 && { undeclaredFields: [...undeclaredFields] }),
    };
    return {
      ack: lineCount === 0 ? undefined : { type: 'ack', offset, repoSeq, ...counts, ...told },
      end: { type: 'end', offset, repoSeq, ...totals },
      ...(unreadable !== undefined && { refused: { line: offset + 1, error: unreadable } }),
    };
  }

  async #input(
    context: Context,
    grant: Grant,
    { lines, offset }: Pick<ChunkInput, 'lines' | 'offset'>,
  ): Promise<ChunkInput> {
    const { streamId, query } = this.#request;
    return {
      grant,
      streamId,
      owner: this.#owner,
      submissionId: this.#submissionId,
      offset,
      lines,
      readable: await findReadable(context, grant, lines.referred),
      createdBy: authorOf(context.principal),
      committer: query.committer,
      message: query.message,
      mayConfigure: hasScope(context, grant, 'repo:configure'),
      atomic: query.atomicity === 'chunk',
      skipExisting: query.skipExisting === 'true',
      limits: dataLimits(context.limits),
      ...causeOf(context),
    };
  }
}

function together(before: WrittenChunk, last: WrittenChunk): WrittenChunk {
  return {
    ...last,
    applied: before.applied + last.applied,
    noop: before.noop + last.noop,
    error: before.error + last.error,
    errors: [...before.errors, ...last.errors],
    undeclaredFields: [...before.undeclaredFields, ...last.undeclaredFields],
    learned: [...before.learned, ...last.learned],
  };
}

function offsetIn(error: unknown): number {
  const details = error instanceof CairnError ? (error.details as { offset?: number } | undefined) : undefined;
  return details?.offset ?? Number.POSITIVE_INFINITY;
}

function dataLimits({ dataBytes, dataDepth, commitReferences }: Limits): DataLimits {
  return { dataBytes, dataDepth, commitReferences };
}

const PLACEHOLDERS_A_STEP_MAX = 2_000;

export const getStreamStatus: Operation<'stream.status'> = async (context, { streamId, refusedAfter, ...address }) => {
  const grant = await authorize(context, address, 'repo:write');
  const { database } = context.store;
  const key = { streamId, owner: ownerOf(context.principal) };
  const status = await readStream(database, grant, key);
  if (refusedAfter === undefined) return status;
  // Read after the status, so that all refusals that the status counts are included.
  return { ...status, refused: await readRefusals(database, { repoId: grant.repoId, ...key }, refusedAfter) };
};

export const closeStream: Operation<'stream.close'> = async (context, { streamId, ...address }) => {
  const grant = await authorize(context, address, 'repo:write');
  const owner = ownerOf(context.principal);
  const key = { grant, streamId, owner };
  const closed = await context.store.write.closeStream({ ...key, now: Date.now() });
  while (!(await context.store.write.forgetPlaceholders({ ...key, placeholdersMax: PLACEHOLDERS_A_STEP_MAX })));
  return closed;
};
