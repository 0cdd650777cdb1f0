// Who a request is. Everything that operations know about the caller comes from here.
import { fail } from '@cairn/protocol/errors';
import type { Reader } from '../store/database.ts';
import { findTokenHolder, type TokenHolder } from '../store/token.ts';
import { hashToken, isWellFormedToken } from './token.ts';

export type Principal = { readonly kind: 'anonymous' } | ({ readonly kind: 'token' } & TokenHolder);

export const ANONYMOUS: Principal = { kind: 'anonymous' };

/** A bearer that is presented must be good, on every path: a caller with a stale token should learn it at once. */
export async function authenticate(reader: Reader, authorization: string | undefined): Promise<Principal> {
  if (authorization === undefined) return ANONYMOUS;
  const bearer = /^bearer +([^ ]+) *$/i.exec(authorization)?.[1];
  if (bearer === undefined) {
    throw fail('UNAUTHENTICATED', { message: 'The Authorization header must be `Bearer TOKEN`.' });
  }
  const holder = isWellFormedToken(bearer)
    ? await findTokenHolder(reader, { hash: hashToken(bearer), now: Date.now() })
    : undefined;
  if (holder === undefined) {
    throw fail('UNAUTHENTICATED', {
      message: 'The bearer token is malformed, expired or revoked. Create another, or leave the header out.',
    });
  }
  return { kind: 'token', ...holder };
}
