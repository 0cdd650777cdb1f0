import type { LiveTicket } from '@cairn/protocol/stream';
import type { Call, CallOptions } from './transport.ts';

/**
 * Tickets of live streams. `client.repo.live` asks for them by itself.
 *
 * @example
 * const { ticket } = await client.live.issueTicket('acme', 'world');
 * const events = await fetch(`http://localhost:8787/sse?ticket=${ticket}`);
 * await events.body?.cancel();
 */
export interface LiveSurface {
  /** Opens the live stream of a repository, once, within a minute: `GET /sse?ticket=...`. */
  issueTicket(orgName: string, repoName: string, options?: CallOptions): Promise<LiveTicket>;
}

export function liveSurface(call: Call): LiveSurface {
  return { issueTicket: (orgName, repoName, options) => call('live.issueTicket', { orgName, repoName, ...options }) };
}
