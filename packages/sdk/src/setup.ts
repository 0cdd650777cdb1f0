import { codeOf } from './link.ts';
import { post } from './post.ts';
import type { CallOptions } from './transport.ts';

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
