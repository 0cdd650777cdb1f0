// Accepts an invitation with the code of its link.

import { fail } from '@cairn/protocol/errors';
import { type Audited, auditedBy } from '../access/audit.ts';
import { hashCode } from '../keys/secret.ts';
import {
  type Acceptance,
  type AcceptedInvitation,
  findRedeemable,
  type RedeemableInvitation,
} from '../repository/invitation.sql.ts';
import type { Store } from '../store.ts';
import { type Credential, findCredential } from './account.sql.ts';
import { createToken, EVERYTHING, newAccount } from './account.ts';
import { signIn, type Visitor } from './session.ts';

export interface ShownInvitation extends RedeemableInvitation {
  readonly hasAccount: boolean;
}

export async function showInvitation(store: Store, code: string): Promise<ShownInvitation> {
  const invitation = await findRedeemable(store.database, { codeHash: hashCode(code), now: Date.now() });
  const credential = await findCredential(store.database, invitation.email);
  return { ...invitation, hasAccount: credential !== undefined };
}

export type Joined = Omit<AcceptedInvitation, 'before'>;

export async function acceptInvitation(
  store: Store,
  { code, ...form }: { code: string; password: string; name?: string | undefined },
  visitor: Visitor = {},
): Promise<{ joined: Joined; email: string; credential?: Credential }> {
  const { email, hasAccount, orgName, repoName, role } = await showInvitation(store, code);
  const credential = hasAccount ? await signIn(store, { email, password: form.password, visitor }) : undefined;
  const account = credential ?? { ...(await newAccount({ ...form, email, operator: false })), emailVerified: false };
  const acceptance: Acceptance = { account, codeHash: hashCode(code), now: Date.now() };
  const audit = auditedBy(`user:${account.handle}`, visitor, {
    action: 'auth.acceptInvitation',
    target: repoName === undefined ? orgName : `${orgName}/${repoName}`,
    details: { email, role },
    places: [{ orgName }, { orgName: account.handle }],
  });
  const { before, ...joined } = await store.write.acceptInvitation(acceptance, audit);
  if (before) throw alreadyThere(joined);
  return { joined, email, ...(credential !== undefined && { credential }) };
}

interface JoinedProgram extends Joined {
  readonly token?: string;
  readonly expiresAt?: number;
}

/** A program cannot be signed in with a cookie, so it gets a first token with a new account. */
export async function answerProgram(
  store: Store,
  { joined, email, credential }: { joined: Joined; email: string; credential?: Credential },
  visitor: Visitor = {},
): Promise<JoinedProgram> {
  if (credential !== undefined) return joined;
  const form = { email, name: 'first', description: 'Created when the invitation was accepted', scopes: EVERYTHING };
  const tell = (entry: Audited) => auditedBy(`user:${joined.handle}`, visitor, { ...entry, action: 'token.create' });
  const { token, expiresAt } = await createToken(store, form, tell);
  return { ...joined, token, expiresAt };
}

function alreadyThere({ handle, orgName, repoName }: Joined) {
  const place = repoName === undefined ? orgName : `${orgName}/${repoName}`;
  return fail('CONFLICT', {
    message: `${handle} already has a role in ${place}, and keeps it. The invitation is now used; ask an admin there to change the role.`,
    details: { reason: 'already_member' },
  });
}
