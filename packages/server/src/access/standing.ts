// Who showed a credential before, for what goes on after the request is over: a live stream asks again and again whether
// what opened it still stands. Many are looked up together, in a constant number of reads.

import { findSessionHolders } from '../account/session.sql.ts';
import { findComponentHolders } from '../component/component-token.sql.ts';
import type { Reader } from '../engine/database.ts';
import { ANONYMOUS, type Principal } from './principal.ts';
import { findTokenHolders } from './token-holder.sql.ts';

/**
 * What a principal is found by again. Tokens by the hash of the value that was shown: where it was rotated away, it is as
 * ended for who showed it as it is for a request. A session lasts no longer than the JWT that was shown.
 */
export type Shown =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'token' | 'component'; readonly hash: string }
  | { readonly kind: 'session'; readonly id: string; readonly accountId: number; readonly expiresAt: number };

export function shownBy(principal: Principal): Shown {
  switch (principal.kind) {
    case 'anonymous':
      return { kind: 'anonymous' };
    case 'session': {
      const { sessionId: id, accountId, expiresAt } = principal;
      return { kind: 'session', id, accountId, expiresAt };
    }
    case 'token':
    case 'component':
      return { kind: principal.kind, hash: Buffer.from(principal.hash).toString('base64url') };
  }
}

/** In the order given; `undefined` for a credential that has expired or was revoked. */
export async function findPrincipals(
  reader: Reader,
  { shown, now }: { shown: readonly Shown[]; now: number },
): Promise<(Principal | undefined)[]> {
  const found = new Map<Shown, Principal | undefined>();
  const [tokens, components] = [shown.filter(isOf('token')), shown.filter(isOf('component'))];
  const sessions = shown.filter(isOf('session')).filter(({ expiresAt }) => expiresAt > now);
  const holders = await findTokenHolders(reader, { hashes: tokens.map(hashOf), now });
  for (const [at, one] of tokens.entries()) found.set(one, holders[at] && { kind: 'token', ...holders[at] });
  const installs = await findComponentHolders(reader, { hashes: components.map(hashOf), now });
  for (const [at, one] of components.entries()) found.set(one, installs[at] && { kind: 'component', ...installs[at] });
  const people = await findSessionHolders(reader, { keys: sessions, now });
  for (const [at, one] of sessions.entries()) {
    found.set(one, people[at] && { kind: 'session', expiresAt: one.expiresAt, ...people[at] });
  }
  return shown.map((one) => (one.kind === 'anonymous' ? ANONYMOUS : found.get(one)));
}

function isOf<Kind extends 'token' | 'component' | 'session'>(kind: Kind) {
  return (one: Shown): one is Extract<Shown, { kind: Kind extends 'session' ? 'session' : 'token' }> =>
    one.kind === kind;
}

function hashOf({ hash }: Extract<Shown, { kind: 'token' }>): Uint8Array {
  return Buffer.from(hash, 'base64url');
}
