import type { MintedToken, RotatedToken, TokenRecord } from '@cairn/protocol/account';
import type { ProcedureInput } from '@cairn/protocol/procedures';
import { type List, listOf } from './list.ts';
import type { Call, CallOptions } from './transport.ts';

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

export function tokenSurface(call: Call): TokenSurface {
  return {
    list: (options = {}) => listOf(call, 'token.list', options),
    get: (name, options) => call('token.get', { name, ...options }),
    create: (name, options) => call('token.create', { name, ...options }),
    rotate: (name, options = {}) => call('token.rotate', { name, ...options }),
    revoke: (name, options) => call('token.revoke', { name, ...options }),
  };
}
