// Who the caller is, what they may do, their tokens, and the server itself.
import type {
  Capabilities,
  MintedToken,
  RotatedToken,
  SessionRecord,
  TokenRecord,
  Whoami,
} from '@cairn/protocol/account';
import type { PermissionAnswer } from '@cairn/protocol/organization';
import type { ProcedureInput } from '@cairn/protocol/procedures';
import type { Scope } from '@cairn/protocol/scopes';
import type { List } from './list.ts';
import type { CallOptions } from './transport.ts';

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

/**
 * What the caller may do, and why.
 *
 * @example
 * const { allowed, byRole, byToken } = await client.access.checkRepoPermission('acme', 'world', 'repo:write');
 * const { allowed: mayInvite } = await client.access.checkOrgPermission('acme', 'org:admin');
 */
export interface AccessSurface {
  /** By the role and by the token; both must give it. */
  checkRepoPermission(
    orgName: string,
    repoName: string,
    permission: Scope,
    options?: CallOptions,
  ): Promise<PermissionAnswer>;
  /** The same for an organization. */
  checkOrgPermission(orgName: string, permission: Scope, options?: CallOptions): Promise<PermissionAnswer>;
}

/** What a list of tokens can be told. */
export type ListTokens = NonNullable<ProcedureInput<'token.list'>> & CallOptions;
/** What a token may do, and how long. */
export type CreateToken = Omit<ProcedureInput<'token.create'>, 'name'> & CallOptions;
/** How long the value of before is still taken. */
export type RotateToken = Omit<ProcedureInput<'token.rotate'>, 'name'> & CallOptions;

/**
 * Personal access tokens. A session manages all of its account; a token manages those that it made, and theirs in turn.
 *
 * @example
 * const { token } = await client.token.create('reader', {
 *   scopes: [{ resource: 'acme/world', permissions: ['repo:read'], refs: ['Signal/**'] }],
 * });
 * const { token: next } = await client.token.rotate('reader');
 * const { expiresAt } = await client.token.get('reader');
 * for await (const { name } of client.token.list()) console.log(name);
 * await client.token.revoke('reader');
 */
export interface TokenSurface {
  /** The tokens that the caller manages, by name. */
  list(options?: ListTokens): List<TokenRecord>;
  /** One token, without its value. */
  get(name: string, options?: CallOptions): Promise<TokenRecord>;
  /** The value is in the answer, and nowhere else. What a token makes may do no more than itself, and no longer. */
  create(name: string, options: CreateToken): Promise<MintedToken>;
  /** Gives it another value; the one of before is taken for up to 24 hours more. */
  rotate(name: string, options?: RotateToken): Promise<RotatedToken>;
  /** Ends it and all that descend from it, at once. */
  revoke(name: string, options?: CallOptions): Promise<TokenRecord>;
}

/**
 * The server itself.
 *
 * @example
 * const { version, engine } = await client.diagnostics.capabilities();
 */
export interface DiagnosticsSurface {
  /** Version, engine, formats and limits of the server. */
  capabilities(options?: CallOptions): Promise<Capabilities>;
}
