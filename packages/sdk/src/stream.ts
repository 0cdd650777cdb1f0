import type { ProcedureInput, ProcedureOutput } from '@cairn/protocol/procedures';
import type { Call, CallOptions } from './transport.ts';

type Address = 'orgName' | 'repoName' | 'streamId';

/** Which refused lines are told with the status. */
export type GetStreamStatus = Omit<ProcedureInput<'stream.status'>, Address> & CallOptions;

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

export function streamSurface(call: Call): StreamSurface {
  return {
    status: (orgName, repoName, streamId, options = {}) =>
      call('stream.status', { orgName, repoName, streamId, ...options }),
    close: (orgName, repoName, streamId, options) => call('stream.close', { orgName, repoName, streamId, ...options }),
  };
}
