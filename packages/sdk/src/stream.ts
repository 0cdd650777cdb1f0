// Streams of submissions, call by call; what a stream is told, and what it tells.
import type { ProcedureInput, ProcedureOutput } from '@cairn/protocol/procedures';
import type { RefusedLine, UndeclaredField } from '@cairn/protocol/stream';
import type { CallOptions } from './transport.ts';

type StreamAddress = 'orgName' | 'repoName' | 'streamId';

/** Which refused lines are told with the status. */
export type GetStreamStatus = Omit<ProcedureInput<'stream.status'>, StreamAddress> & CallOptions;

/**
 * Streams of submissions, call by call. `client.repo.stream` sends one, and makes these calls where they are needed.
 *
 * @example
 * const { state, offset, error } = await client.stream.status('acme', 'world', 'night-run');
 * await client.stream.close('acme', 'world', 'night-run');
 */
export interface StreamSurface {
  /** How far a stream of your own is: how many lines are durable, and what became of them. */
  status(
    orgName: string,
    repoName: string,
    streamId: string,
    options?: GetStreamStatus,
  ): Promise<ProcedureOutput<'stream.status'>>;
  /** Ends a stream of your own: it takes no more lines, and its tokens are forgotten. */
  close(
    orgName: string,
    repoName: string,
    streamId: string,
    options?: CallOptions,
  ): Promise<ProcedureOutput<'stream.close'>>;
}

/** What became of the lines of a stream, over all of it. */
export interface StreamCounts {
  /** How many lines are durable. */
  readonly offset: number;
  /** Operations that changed something. */
  readonly applied: number;
  /** Operations that had nothing to change. */
  readonly noop: number;
  /** Operations that were refused. */
  readonly error: number;
  /** Where the repository stood after the last of them; 0 where none was sent. */
  readonly repoSeq: number;
}

/** How far a stream is. */
export interface StreamProgress extends StreamCounts {
  /** Bytes of the source that are durable, or were left out because they were before. */
  readonly bytes: number;
}

/** What became of a stream. */
export interface StreamedLines extends StreamCounts {
  readonly streamId: string;
}

/** A line that was refused, and why. */
export interface RefusedStreamLine extends RefusedLine {
  /** The line as it was sent. */
  readonly text: string;
}

/** What a stream can be told. */
export interface StreamOptions {
  /**
   * Names the stream, so that it can be gone on with by another process, or later: 1 to 128 of `A-Z a-z 0-9 . _ -`. By
   * default the stream gets a name of its own.
   */
  readonly streamId?: string | undefined;
  /** Of the commits that the lines are written by. */
  readonly message?: string | undefined;
  /** On whose behalf, such as `Agent/bot`. */
  readonly committer?: string | undefined;
  /** `none`, the default: each operation stands alone. `chunk`: one that is refused ends the stream, without its chunk. */
  readonly atomicity?: 'none' | 'chunk' | undefined;
  /** Leaves records that exist as they are, instead of refusing to add them. */
  readonly skipExisting?: boolean | undefined;
  /** Whether the stream is closed after its last line. By default one that was given no `streamId` is. */
  readonly close?: boolean | undefined;
  /** `requests` sends bounded ones, one after the other, also where an upload could be streamed. */
  readonly upload?: 'stream' | 'requests' | undefined;
  /** Called with the name of the stream, before the first line is sent. */
  readonly onBegin?: ((streamId: string) => void) | undefined;
  readonly onProgress?: ((progress: StreamProgress) => void) | undefined;
  /** Called for each line that is refused, in order, also where its acknowledgement was lost. */
  readonly onRefused?: ((refused: RefusedStreamLine) => void) | undefined;
  /**
   * Called for fields that were stored though their shape declares none of that name, most often mistyped: with the first line
   * that has it, and again for lines that are sent much later.
   */
  readonly onUndeclared?: ((field: UndeclaredField) => void) | undefined;
  /**
   * For a stream that is gone on with: refused lines after this one, of the last 20,000, are told to `onRefused` too. By
   * default only those that are sent now are.
   */
  readonly refusedAfter?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}
