// Tokens of a session: an access token for an hour, and a refresh token for the next pair. Programs that sign users in
// by OAuth pass both to `refreshingToken`, which renews them.
import { CairnError, fail } from '@cairn/protocol/errors';
import type { GetToken } from './caller.ts';
import { addressOf, noAnswer, retryAfterOf } from './http.ts';
import { stopIfAborted } from './retry.ts';
import type { CallOptions } from './transport.ts';

/** The tokens of a session. */
export interface SessionTokens {
  readonly accessToken: string;
  /** Time at which the access token expires, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** Valid for a single use, which returns the next one. A second use ends the session. */
  readonly refreshToken: string;
}

/** Returns the tokens that follow on `ended`, whose access token has expired or was refused. */
export type RenewSession = (ended: SessionTokens) => Promise<SessionTokens>;

/** A token this close to its expiry is refreshed first, since it must still be valid when the request arrives. */
const SPARE_MS = 60_000;

/**
 * Creates a `getToken` for a session. It refreshes the session before the token expires, and when the server refuses
 * the token. Concurrent calls share one refresh. Store the tokens from `renew`, so that the program finds them at its
 * next start.
 *
 * @example
 * const getToken = refreshingToken(tokens, (ended) => refreshSession(url, { ...ended, clientId: 'my-program' }));
 * const client = new CairnClient({ url, getToken });
 * const me = await client.auth.whoami();
 */
export function refreshingToken(tokens: SessionTokens, renew: RenewSession): GetToken {
  let current = tokens;
  let renewal: Promise<void> | undefined;
  const renewed = async () => {
    renewal ??= renew(current)
      .then((next) => {
        current = next;
      })
      .finally(() => {
        renewal = undefined;
      });
    await renewal;
  };
  return async (refused) => {
    if (refused === current.accessToken) await renewed();
    else if (current.expiresAt - Date.now() < SPARE_MS) await renewed().catch(unlessGood(current));
    return current.accessToken;
  };
}

/** If the refresh fails, a token that is still valid for some seconds is sent anyway. */
function unlessGood({ expiresAt }: SessionTokens): (error: unknown) => void {
  return (error) => {
    const isOver = expiresAt <= Date.now();
    if (isOver || !(error instanceof CairnError) || error.code === 'UNAUTHENTICATED') throw error;
  };
}

/** Options of `refreshSession`. */
export interface RefreshSession extends CallOptions {
  readonly refreshToken: string;
  /** Client id of the program that signed in. */
  readonly clientId: string;
  readonly fetch?: typeof globalThis.fetch | undefined;
}

const ANSWER_MS_MAX = 20_000;

/**
 * Gets the next tokens of a session. This uses up the refresh token: store the new one before doing anything else.
 *
 * @example
 * const next = await refreshSession('http://localhost:8787', { refreshToken, clientId: 'my-program' });
 */
export async function refreshSession(
  url: string,
  { refreshToken, clientId, fetch = globalThis.fetch, signal: asked }: RefreshSession,
): Promise<SessionTokens> {
  const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId });
  stopIfAborted(asked);
  const late = AbortSignal.timeout(ANSWER_MS_MAX);
  const signal = asked === undefined ? late : AbortSignal.any([asked, late]);
  const askedAt = Date.now();
  try {
    const answer = await fetch(addressOf(url, 'oauth/token'), { method: 'POST', body, signal, redirect: 'error' });
    return tokensIn(answer, (await answer.json()) as TokenAnswer, askedAt);
  } catch (error) {
    stopIfAborted(asked);
    throw error instanceof CairnError ? error : noAnswer(url, error);
  }
}

interface TokenAnswer {
  readonly access_token?: unknown;
  readonly refresh_token?: unknown;
  readonly expires_in?: unknown;
  readonly error?: unknown;
}

function tokensIn(answer: Response, said: TokenAnswer, askedAt: number): SessionTokens {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = said;
  if (typeof accessToken === 'string' && typeof refreshToken === 'string' && typeof seconds === 'number') {
    return { accessToken, refreshToken, expiresAt: askedAt + seconds * 1_000 };
  }
  if (said.error === 'invalid_grant' || said.error === 'invalid_client')
    throw fail('UNAUTHENTICATED', { message: 'The session has ended. Sign in again.' });
  const message = `The session was not refreshed: the server answered ${answer.status}. Try again later.`;
  throw answer.status === 429
    ? fail('RATE_LIMITED', { message, ...retryAfterOf(answer) })
    : noAnswer(answer.url, message);
}
