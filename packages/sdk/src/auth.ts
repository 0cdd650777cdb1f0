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

/** Options of `auth.listSessions`. */
export type ListSessions = NonNullable<ProcedureInput<'auth.listSessions'>> & CallOptions;
/** Options of `auth.endAllSessions`, such as the kind of sessions to end. */
export type EndAllSessions = NonNullable<ProcedureInput<'auth.endAllSessions'>> & CallOptions;

/**
 * Identity and sessions of the caller. Only sessions can manage sessions: a token cannot list or end them.
 *
 * @example
 * const me = await client.auth.whoami();
 * for await (const { id, kind, current } of client.auth.listSessions()) {
 *   if (kind === 'browser' && !current) await client.auth.endSession(id);
 * }
 * const { ended } = await client.auth.endAllSessions({ kind: 'client' });
 */
export interface AuthSurface {
  /** Account and permissions of the caller. */
  whoami(options?: CallOptions): Promise<Whoami>;
  /** Active sessions, newest first. */
  listSessions(options?: ListSessions): List<SessionRecord>;
  /** Ends a session at once. Its credentials stop working with the next request. */
  endSession(id: string, options?: CallOptions): Promise<SessionRecord>;
  /** Ends all sessions, including the current one, or all sessions of one kind. */
  endAllSessions(options?: EndAllSessions): Promise<{ ended: number }>;
}

/**
 * Permissions of the caller, and the reason for each answer.
 *
 * @example
 * const { allowed, byRole, byToken } = await client.access.checkRepoPermission('acme', 'world', 'repo:write');
 * const { allowed: mayInvite } = await client.access.checkOrgPermission('acme', 'org:admin');
 */
export interface AccessSurface {
  /** Checks a permission on a repository. Both the role and the token must grant it. */
  checkRepoPermission(
    orgName: string,
    repoName: string,
    permission: Scope,
    options?: CallOptions,
  ): Promise<PermissionAnswer>;
  /** Checks a permission on an organization. Both the role and the token must grant it. */
  checkOrgPermission(orgName: string, permission: Scope, options?: CallOptions): Promise<PermissionAnswer>;
}

/** Options of `token.list`. */
export type ListTokens = NonNullable<ProcedureInput<'token.list'>> & CallOptions;
/** Options of `token.create`: the scopes and the lifetime of the token. */
export type CreateToken = Omit<ProcedureInput<'token.create'>, 'name'> & CallOptions;
/** Options of `token.rotate`: the time for which the previous value stays valid. */
export type RotateToken = Omit<ProcedureInput<'token.rotate'>, 'name'> & CallOptions;

/**
 * Personal access tokens. A session manages all tokens of its account. A token manages only the tokens it created, and
 * their descendants.
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
  /** Tokens that the caller manages, by name. */
  list(options?: ListTokens): List<TokenRecord>;
  /** One token, without its value. */
  get(name: string, options?: CallOptions): Promise<TokenRecord>;
  /**
   * Creates a token. Only this answer contains its value. A token created by another token cannot exceed that token's
   * permissions or lifetime.
   */
  create(name: string, options: CreateToken): Promise<MintedToken>;
  /** Gives a token a new value. The previous value stays valid for up to 24 hours. */
  rotate(name: string, options?: RotateToken): Promise<RotatedToken>;
  /** Revokes a token and all its descendants at once. */
  revoke(name: string, options?: CallOptions): Promise<TokenRecord>;
}

/**
 * Information about the server.
 *
 * @example
 * const { version, engine } = await client.diagnostics.capabilities();
 */
export interface DiagnosticsSurface {
  /** Version, engine, formats and limits of the server. */
  capabilities(options?: CallOptions): Promise<Capabilities>;
}
