import { codeOf } from './link.ts';
import { post } from './post.ts';
import type { CallOptions } from './transport.ts';

/** What accepting an invitation takes. */
export interface AcceptInvitation extends CallOptions {
  /** The invitation's link, or the one-time code in it. */
  readonly code: string;
  /** Of the account that has the email address; or, where there is none, of the one to make. */
  readonly password: string;
  /** The handle of an account to make; by default made from the email address. */
  readonly name?: string;
}

/** What an invitation gave. */
export interface AcceptedInvitation {
  readonly handle: string;
  readonly orgName: string;
  /** Where the role is for one repository. */
  readonly repoName?: string;
  readonly role: string;
  /** Of an account that was made for it: a token to begin with, shown only now. */
  readonly token?: string;
  readonly expiresAt?: number;
}

/**
 * Accepts an invitation, and makes the account where there is none.
 *
 * @example
 * const { handle } = await acceptInvitation('http://localhost:8787', { code, password });
 */
export async function acceptInvitation(url: string, options: AcceptInvitation): Promise<AcceptedInvitation> {
  return await post(url, 'auth/invite', { ...options, code: codeOf(options.code) });
}

/** What changing a password takes. */
export interface ChangePassword extends CallOptions {
  readonly email: string;
  readonly password: string;
  readonly newPassword: string;
}

/**
 * Changes a password, and ends all sessions.
 *
 * @example
 * await changePassword('http://localhost:8787', { email, password, newPassword });
 */
export async function changePassword(url: string, options: ChangePassword): Promise<{ handle: string }> {
  return await post(url, 'auth/password', options);
}

/** What setting a forgotten password anew takes. */
export interface ResetPassword extends CallOptions {
  /** The link that an operator made, or the one-time code in it. */
  readonly code: string;
  readonly newPassword: string;
}

/**
 * Sets a forgotten password anew, and ends all sessions.
 *
 * @example
 * await resetPassword('http://localhost:8787', { code, newPassword });
 */
export async function resetPassword(url: string, options: ResetPassword): Promise<{ handle: string }> {
  return await post(url, 'auth/reset', { ...options, code: codeOf(options.code) });
}
