import type { Page } from '@cairn/protocol/page';
import type { ProcedureInput } from '@cairn/protocol/procedures';
import type { SessionRecord } from '@cairn/protocol/session';
import type { Whoami } from '@cairn/protocol/whoami';
import type { Call } from './transport.ts';

export type ListSessions = NonNullable<ProcedureInput<'auth.listSessions'>>;
export type EndAllSessions = NonNullable<ProcedureInput<'auth.endAllSessions'>>;

/**
 * Who the caller is, and where they are signed in. Sessions are for sessions: a token may not list or end them.
 *
 * @example
 * const { items } = await client.auth.listSessions();
 * for (const { id, kind, current } of items) {
 *   if (kind === 'client' && !current) await client.auth.endSession(id);
 * }
 */
export interface AuthSurface {
  /** Who the token belongs to, and what it may do. */
  whoami(): Promise<Whoami>;
  /** A page of the sessions that have not ended, the newest first. */
  listSessions(options?: ListSessions): Promise<Page<SessionRecord>>;
  /** Ends it at once: what it was given is worth nothing from the next request on. */
  endSession(id: string): Promise<SessionRecord>;
  /** Signs out everywhere, here too; or ends all sessions of one kind. */
  endAllSessions(options?: EndAllSessions): Promise<{ ended: number }>;
}

export function authSurface(call: Call): AuthSurface {
  return {
    whoami: () => call('auth.whoami', undefined),
    listSessions: (options = {}) => call('auth.listSessions', options),
    endSession: (id) => call('auth.endSession', { id }),
    endAllSessions: (options = {}) => call('auth.endAllSessions', options),
  };
}
