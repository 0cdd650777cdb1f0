// Account calls that need no client: setup of the first owner, invitations and passwords.
import { accepted, addressOf, jsonOf, noAnswer } from './http.ts';
import { endable } from './retry.ts';
import type { CallOptions } from './transport.ts';

/** Extracts the one-time code from a link. Any other text counts as the code itself. */
function codeOf(given: string): string {
  return (URL.canParse(given) ? new URL(given).searchParams.get('code') : undefined) ?? given;
}

/** The form routes under /auth accept the same fields as JSON. */
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

/** Options of `acceptInvitation`. */
export interface AcceptInvitation extends CallOptions {
  /** The invitation link, or the one-time code in it. */
  readonly code: string;
  /** Password of the existing account with this email address, or of the new account. */
  readonly password: string;
  /** Handle of the new account. By default, it is derived from the email address. */
  readonly name?: string;
}

/** Result of accepting an invitation. */
export interface AcceptedInvitation {
  readonly handle: string;
  readonly orgName: string;
  /** Set only if the role applies to a single repository. */
  readonly repoName?: string;
  readonly role: string;
  /** Initial token of a newly created account. It is shown only once. */
  readonly token?: string;
  readonly expiresAt?: number;
}

/**
 * Accepts an invitation. Creates the account if there is none for the email address.
 *
 * @example
 * const { handle } = await acceptInvitation('http://localhost:8787', { code, password });
 */
export async function acceptInvitation(url: string, options: AcceptInvitation): Promise<AcceptedInvitation> {
  return await post(url, 'auth/invite', { ...options, code: codeOf(options.code) });
}

/** Options of `changePassword`. */
export interface ChangePassword extends CallOptions {
  readonly email: string;
  readonly password: string;
  readonly newPassword: string;
}

/**
 * Changes a password and ends all sessions.
 *
 * @example
 * await changePassword('http://localhost:8787', { email, password, newPassword });
 */
export async function changePassword(url: string, options: ChangePassword): Promise<{ handle: string }> {
  return await post(url, 'auth/password', options);
}

/** Options of `resetPassword`. */
export interface ResetPassword extends CallOptions {
  /** The reset link from an operator, or the one-time code in it. */
  readonly code: string;
  readonly newPassword: string;
}

/**
 * Replaces a lost password and ends all sessions.
 *
 * @example
 * await resetPassword('http://localhost:8787', { code, newPassword });
 */
export async function resetPassword(url: string, options: ResetPassword): Promise<{ handle: string }> {
  return await post(url, 'auth/reset', { ...options, code: codeOf(options.code) });
}

/** Options of `setUpServer`. */
export interface SetUpServer extends CallOptions {
  /** The link that the server prints at its first start, or the one-time code in it. */
  readonly code: string;
  readonly email: string;
  readonly password: string;
  /** Handle of the owner. By default, it is derived from the email address. */
  readonly name?: string;
}

/** The first owner and their initial token. */
export interface ServerSetup {
  readonly handle: string;
  /** A token with all permissions, valid for 30 days. It is shown only once. */
  readonly token: string;
  readonly expiresAt: number;
}

/**
 * Creates the first owner of a server that has none.
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
