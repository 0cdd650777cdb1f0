import { fail } from '@cairn/protocol/errors';
import { SCOPE_WORDS, type Scope } from '@cairn/protocol/scopes';
import type { AccountPrincipal, Principal, SessionPrincipal } from './principal.ts';
import { NOBODY } from './role.sql.ts';

export function requireCredential(principal: Principal, scope: Scope): void {
  if (principal.kind !== 'anonymous') return;
  throw fail('UNAUTHENTICATED', { message: `This needs a token with ${scope}. Send one as a bearer token.` });
}

export function requireAccount(principal: Principal): AccountPrincipal {
  if (principal.kind === 'anonymous') {
    throw fail('UNAUTHENTICATED', { message: 'This needs a token or a session. Send one as a bearer token.' });
  }
  if (principal.kind === 'component') {
    throw fail('FORBIDDEN', { message: 'This is not for components. Use a token of an account.' });
  }
  return principal;
}

/** Tokens are refused, because a stolen token could otherwise lock its owner out. */
export function requireSession(principal: Principal): SessionPrincipal {
  const account = requireAccount(principal);
  if (account.kind === 'session') return account;
  throw fail('FORBIDDEN', {
    message:
      'This is for a session, not for a token. Sign in with `cairn auth login`, or open /auth/account in a browser.',
  });
}

/** `byRole` holds the scopes of the role alone. Another token helps only if the role has the missing scopes. */
export function requireScopes(scopes: ReadonlySet<Scope>, wanted: readonly Scope[], byRole: readonly Scope[]): void {
  const missing = wanted.filter((scope) => !scopes.has(scope));
  if (missing.length === 0) return;
  const told = missing.map((scope) => `${scope} (${SCOPE_WORDS[scope]})`).join(' and ');
  const named = `This needs the ${missing.length === 1 ? 'scope' : 'scopes'} ${told}`;
  const withheldBy = missing.every((scope) => byRole.includes(scope)) ? 'token' : 'role';
  const message =
    withheldBy === 'token'
      ? `${named}, which this token does not have. Use one that has.`
      : `${named}, which your role does not give here. Ask an admin for a role that does.`;
  throw fail('FORBIDDEN', { message, details: { missing, withheldBy } });
}

export function accountOf(principal: Principal): number {
  return principal.kind === 'token' || principal.kind === 'session' ? principal.accountId : NOBODY;
}
