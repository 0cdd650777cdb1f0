// Who gives a password, and whether it is theirs.
import { type CairnError, fail } from '@cairn/protocol/errors';
import { auditedBy } from '../access/audit.ts';
import type { Origin } from '../access/context.ts';
import type { Store } from '../store.ts';
import { type Credential, findCredential } from './account.sql.ts';
import { signInRefused } from './password.sql.ts';
import { NOBODYS_HASH, verifyPassword } from './password-hash.ts';

/** Slows down who guesses passwords: refuses an attempt, or lets it pass. */
export interface SignInThrottle {
  trySignIn(email: string): Promise<void>;
  signedIn(email: string): Promise<void>;
}

/** Somebody who is not signed in. */
export interface Visitor extends Origin {
  readonly throttle?: SignInThrottle | undefined;
}

export interface SignIn {
  readonly email: string;
  readonly password: string;
  readonly visitor: Visitor;
}

/** Whose password it is. An unknown email and a wrong password are one refusal, and take the same time. */
export async function signIn(store: Store, { email, password, visitor }: SignIn): Promise<Credential> {
  const { throttle } = visitor;
  await throttle?.trySignIn(email);
  const credential = await findCredential(store.database, email);
  const good = await verifyPassword(password, credential?.passwordHash ?? NOBODYS_HASH);
  if (credential !== undefined) await tell(store, credential, { visitor, good });
  if (credential === undefined || !good) throw signInRefused();
  await throttle?.signedIn(email);
  // Told only to who knows the password.
  if (credential.deactivated) throw accountDeactivated();
  return credential;
}

export function accountDeactivated(): CairnError {
  return fail('FORBIDDEN', { message: 'This account is deactivated. An operator of the server can reactivate it.' });
}

/** Of addresses that no account has nothing is kept: what people type there may be a password. */
async function tell(
  store: Store,
  { accountId, handle, deactivated }: Credential,
  { visitor, good }: { visitor: Visitor; good: boolean },
): Promise<void> {
  const outcome = good && !deactivated ? 'signed in' : 'refused';
  const actor = good ? `user:${handle}` : 'anonymous';
  const entry = { target: `user:${handle}`, details: { outcome }, places: [{ accountId }] };
  await store.write('recordAudit', auditedBy(actor, visitor, { action: 'auth.signIn', ...entry }));
}
