import { CairnError, type ErrorBody, fail, isErrorCode } from '@cairn/protocol/errors';

export interface SetUpServer {
  /** The one-time code that the server printed at its first start. */
  readonly code: string;
  readonly email: string;
  readonly password: string;
  /** The owner's handle; by default made from the email address. */
  readonly name?: string;
}

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
  const address = new URL('auth/setup', url.endsWith('/') ? url : `${url}/`);
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(address, { method: 'POST', headers, body: JSON.stringify(options) }).catch(
    (cause: unknown) => {
      throw fail('NETWORK_ERROR', { message: `No answer from ${url}. Is the server running?`, cause });
    },
  );
  const body = (await answer.json()) as ServerSetup | ErrorBody;
  if (!('error' in body)) return { handle: body.handle, token: body.token, expiresAt: body.expiresAt };
  const { code, message, ...rest } = body.error;
  throw new CairnError(isErrorCode(code) ? code : 'INTERNAL_ERROR', { message, ...rest });
}
