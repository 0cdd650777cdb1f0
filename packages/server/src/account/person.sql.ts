// Who a role is meant for: an account by its handle, or by its email where that is known to be theirs.
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { Person } from '@cairn/protocol/member';
import type { Reader } from '../engine/database.ts';

export interface FoundPerson {
  readonly accountId: number;
  readonly handle: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly deactivated: boolean;
}

/**
 * An email means an account only when it is verified. Otherwise an organization's admin could invite somebody else's
 * address, accept that himself, and from then on receive every role that others give to that address.
 */
export async function findPerson(reader: Reader, person: Person): Promise<FoundPerson | undefined> {
  const [condition, value] =
    'email' in person ? ['email = $1 and email_verified = 1', person.email] : ['handle = $1', person.handle];
  const [row] = await reader.query<{
    id: number;
    handle: string;
    email: string;
    email_verified: number;
    deactivated_at: number | null;
  }>(`select id, handle, email, email_verified, deactivated_at from account where ${condition}`, [value]);
  return (
    row && {
      accountId: row.id,
      handle: row.handle,
      email: row.email,
      emailVerified: row.email_verified === 1,
      deactivated: row.deactivated_at !== null,
    }
  );
}

export function noSuchAccount(handle: string): CairnError {
  return fail('NOT_FOUND', {
    message: `There is no account ${handle}. Ask for the right handle, or give an email address to invite.`,
  });
}

/** What is given to a deactivated account would wait unseen until somebody reactivates it. */
export function refuseDeactivated({ handle, deactivated }: FoundPerson): void {
  if (!deactivated) return;
  throw fail('CONFLICT', {
    message: `The account ${handle} is deactivated. An operator of the server can reactivate it.`,
    details: { reason: 'deactivated' },
  });
}
