// What every authorization asks first.
import { fail } from '@cairn/protocol/errors';
import type { Scope } from '@cairn/protocol/scopes';
import type { AccountPrincipal, Principal } from '../auth/principal.ts';
import { NOBODY } from '../store/role.ts';

export function requireCredential(principal: Principal, scope: Scope): void {
  if (principal.kind !== 'anonymous') return;
  throw fail('UNAUTHENTICATED', { message: `This needs a token with ${scope}. Send one as a bearer token.` });
}

/** For what a person does, or a token for them: no component may. */
export function requireAccount(principal: Principal): AccountPrincipal {
  if (principal.kind === 'anonymous') {
    throw fail('UNAUTHENTICATED', { message: 'This needs a token or a session. Send one as a bearer token.' });
  }
  if (principal.kind === 'component') {
    throw fail('FORBIDDEN', { message: 'This is not for components. Use a token of an account.' });
  }
  return principal;
}

export function requireScope(scopes: ReadonlySet<Scope>, scope: Scope): void {
  if (scopes.has(scope)) return;
  throw fail('FORBIDDEN', {
    message: `This needs the scope ${scope}. Use a token that has it.`,
    details: { missing: [scope] },
  });
}

export function accountOf(principal: Principal): number {
  return principal.kind === 'token' || principal.kind === 'session' ? principal.accountId : NOBODY;
}
