import type { ProcedureInput, ProcedureOutput } from '@cairn/protocol/procedures';
import type { RefusedLine, UndeclaredField } from '@cairn/protocol/stream';
import type { CallOptions } from './transport.ts';

type StreamAddress = 'orgName' | 'repoName' | 'streamId';

/** Options of `stream.status`, such as the refused lines to include. */
export type GetStreamStatus = Omit<ProcedureInput<'stream.status'>, StreamAddress> & CallOptions;

/**
 * Streams of submissions, call by call. `client.repo.stream` sends one, and makes these calls as needed.
 *
 * @example
 * const { state, offset, error } = await client.stream.status('acme', 'world', 'night-run');
 * await client.stream.close('acme', 'world', 'night-run');
 */
export interface StreamSurface {
  /** Status of one of your streams: the number of durable lines, and their results. */
  status(
    orgName: string,
    repoName: string,
    streamId: string,
    options?: GetStreamStatus,
  ): Promise<ProcedureOutput<'stream.status'>>;
  /** Closes one of your streams. It accepts no more lines, and its placeholders are forgotten. */
  close(
    orgName: string,
    repoName: string,
    streamId: string,
    options?: CallOptions,
  ): Promise<ProcedureOutput<'stream.close'>>;
}

/** Results of all lines of a stream. */
export interface StreamCounts {
  /** Number of durable lines. */
  readonly offset: number;
  /** Operations that changed something. */
  readonly applied: number;
  /** Operations that had nothing to change. */
  readonly noop: number;
  /** Operations that were refused. */
  readonly error: number;
  /** Sequence of the repository after the last line; 0 if no line was sent. */
  readonly repoSeq: number;
}

/** Progress of a stream. */
export interface StreamProgress extends StreamCounts {
  /** Bytes of the source that are durable, or were skipped because they were durable before. */
  readonly bytes: number;
}

/** Result of a stream. */
export interface StreamedLines extends StreamCounts {
  readonly streamId: string;
}

/** A refused line, and the reason. */
export interface RefusedStreamLine extends RefusedLine {
  /** The line as it was sent. */
  readonly text: string;
}

/** Options of a stream. */
export interface StreamOptions {
  /**
   * Name of the stream: 1 to 128 of `A-Z a-z 0-9 . _ -`. It lets another process resume the stream, also later. By
   * default, the stream gets a random name.
   */
  readonly streamId?: string | undefined;
  /** Message of the commits that contain the lines. */
  readonly message?: string | undefined;
  /** Identity for which the commits are made, such as `Agent/bot`. */
  readonly committer?: string | undefined;
  /**
   * With `none`, the default, each operation stands alone. With `chunk`, a refused operation ends the stream, and its
   * chunk is not applied.
   */
  readonly atomicity?: 'none' | 'chunk' | undefined;
  /** Leaves existing records unchanged instead of refusing to add them. */
  readonly skipExisting?: boolean | undefined;
  /** Closes the stream after its last line. Defaults to true if no `streamId` is given. */
  readonly close?: boolean | undefined;
  /** With `requests`, the stream sends bounded requests one after the other, even if an upload could be streamed. */
  readonly upload?: 'stream' | 'requests' | undefined;
  /** Called with the name of the stream, before the first line is sent. */
  readonly onBegin?: ((streamId: string) => void) | undefined;
  readonly onProgress?: ((progress: StreamProgress) => void) | undefined;
  /** Called for each refused line, in order, even if its acknowledgement was lost. */
  readonly onRefused?: ((refused: RefusedStreamLine) => void) | undefined;
  /**
   * Called for stored fields that their shape does not declare, which are mostly typos. It gets the first line with the
   * field, and is called again for lines sent much later.
   */
  readonly onUndeclared?: ((field: UndeclaredField) => void) | undefined;
  /**
   * For a resumed stream: also reports refused lines after this one to `onRefused`, out of the last 20,000 lines. By
   * default, only lines that are sent now are reported.
   */
  readonly refusedAfter?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}
