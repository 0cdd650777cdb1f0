// Calls without a client: the first owner of a server, invitations and passwords.
import { accepted, addressOf, jsonOf, noAnswer } from './http.ts';
import { endable } from './retry.ts';
import type { CallOptions } from './transport.ts';

/** Of a link that somebody was sent, its one-time code; a code as it is. */
function codeOf(given: string): string {
  return (URL.canParse(given) ? new URL(given).searchParams.get('code') : undefined) ?? given;
}

/** For the forms under /auth, which take the same fields as JSON. */
async function post<Result extends object>(url: string, path: string, given: object): Promise<Result> {
  const { signal: asked, ...fields }: CallOptions = given;
  const headers = { 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify(fields) };
  return await endable(asked, async (signal) => {
    const answer = await fetch(addressOf(url, path), { ...request, ...(signal && { signal }) }).catch((cause) => {
      throw noAnswer(url, cause);
    });
    return await jsonOf<Result>(await accepted(answer, url), url);
  });
}

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

/** What making the first owner of a server takes. */
export interface SetUpServer extends CallOptions {
  /** The link that the server printed at its first start, or the one-time code in it. */
  readonly code: string;
  readonly email: string;
  readonly password: string;
  /** The owner's handle; by default made from the email address. */
  readonly name?: string;
}

/** The first owner, and a token to begin with. */
export interface ServerSetup {
  readonly handle: string;
  /** A token that may do everything, for 30 days. It is shown only now. */
  readonly token: string;
  readonly expiresAt: number;
}

/**
 * Makes the first owner of a server that has none.
 *
 * @example
 * const { token } = await setUpServer('http://localhost:8787', { code, email, password });
 */
export async function setUpServer(url: string, options: SetUpServer): Promise<ServerSetup> {
  const { handle, token, expiresAt } = await post<ServerSetup>(url, 'auth/setup', {
    ...options,
    code: codeOf(options.code),
  });
  return { handle, token, expiresAt };
}
