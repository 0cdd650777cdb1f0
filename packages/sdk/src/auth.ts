import type { SessionRecord, Whoami } from '@cairn/protocol/account';
import type { ProcedureInput } from '@cairn/protocol/procedures';
import { type List, listOf } from './list.ts';
import type { Call, CallOptions } from './transport.ts';

/** What a list of sessions can be told. */
export type ListSessions = NonNullable<ProcedureInput<'auth.listSessions'>> & CallOptions;
/** Which sessions end. */
export type EndAllSessions = NonNullable<ProcedureInput<'auth.endAllSessions'>> & CallOptions;

/**
 * Who the caller is, and where they are signed in. Sessions are for sessions: a token may not list or end them.
 *
 * @example
 * const me = await client.auth.whoami();
 * for await (const { id, kind, current } of client.auth.listSessions()) {
 *   if (kind === 'browser' && !current) await client.auth.endSession(id);
 * }
 * const { ended } = await client.auth.endAllSessions({ kind: 'client' });
 */
export interface AuthSurface {
  /** Who the token belongs to, and what it may do. */
  whoami(options?: CallOptions): Promise<Whoami>;
  /** The sessions that have not ended, the newest first. */
  listSessions(options?: ListSessions): List<SessionRecord>;
  /** Ends it at once: what it was given is worth nothing from the next request on. */
  endSession(id: string, options?: CallOptions): Promise<SessionRecord>;
  /** Signs out everywhere, here too; or ends all sessions of one kind. */
  endAllSessions(options?: EndAllSessions): Promise<{ ended: number }>;
}

export function authSurface(call: Call): AuthSurface {
  return {
    whoami: (options) => call('auth.whoami', { ...options }),
    listSessions: (options = {}) => listOf(call, 'auth.listSessions', options),
    endSession: (id, options) => call('auth.endSession', { id, ...options }),
    endAllSessions: (options = {}) => call('auth.endAllSessions', options),
  };
}
