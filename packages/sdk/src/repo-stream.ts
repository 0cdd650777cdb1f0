// Streams into a repository and out of it, as the calls of people: each makes as many requests as it takes.
import type { Http } from './http.ts';
import { liveSurface } from './live.ts';
import { type LiveOptions, LiveStream, type OnChange } from './live-stream.ts';
import { streamSurface } from './stream.ts';
import type { StreamedLines, StreamOptions } from './stream-options.ts';
import type { StreamSource } from './stream-piece.ts';
import { submitStream } from './stream-submission.ts';
import type { Call } from './transport.ts';

/**
 * Streams: operations in, one after the other and without end if need be; and what changes, out.
 *
 * @example
 * const { applied, error } = await client.repo.stream('acme', 'world', readings(), {
 *   onRefused: ({ line, message, text }) => console.error(line, message, text),
 * });
 * await client.repo.stream('acme', 'world', createReadStream('readings.ndjson'), { streamId: 'readings' });
 * const live = client.repo.live('acme', 'world', ({ affectedRecords }) => console.log(affectedRecords));
 * live.close();
 */
export interface RepoStreamSurface {
  /**
   * Submits operations: objects, lines of NDJSON, or its bytes. After a cut it goes on by itself; each line is applied
   * once. Called again with the same `streamId` and source, it goes on after what is durable. The repository must take
   * streaming submissions: `repo.configure`.
   */
  stream(orgName: string, repoName: string, source: StreamSource, options?: StreamOptions): Promise<StreamedLines>;
  /**
   * Listens to what changes: calls `onChange` for each change, or can be gone through in a loop where none is given. After a
   * cut it goes on by itself, and what was missed is told in one change.
   */
  live(orgName: string, repoName: string, onChange?: OnChange, options?: LiveOptions): LiveStream;
}

export function repoStreamSurface(call: Call, http: Http): RepoStreamSurface {
  const surface = streamSurface(call);
  return {
    stream: (orgName, repoName, source, options = {}) =>
      submitStream({ surface, http, repo: { orgName, repoName } }, source, options),
    live: (orgName, repoName, onChange, options = {}) => {
      const stream = new LiveStream({ surface: liveSurface(call), http, repo: { orgName, repoName }, options });
      if (onChange !== undefined) stream.follow(onChange);
      return stream;
    },
  };
}
