// The tokens of a session: one that is sent for an hour, and one that gets the next. Programs that sign somebody in by OAuth
// give them to `refreshingToken`, and need not think of them again.
import { CairnError, fail } from '@cairn/protocol/errors';
import type { GetToken } from './caller.ts';
import { addressOf, noAnswer, retryAfterOf } from './http.ts';
import { stopIfAborted } from './retry.ts';
import type { CallOptions } from './transport.ts';

/** The tokens of a session. */
export interface SessionTokens {
  readonly accessToken: string;
  /** When the access token ends. */
  readonly expiresAt: number;
  /** Good for one use: whoever uses it gets the next one, and a second use ends the session. */
  readonly refreshToken: string;
}

/** Gives the tokens that follow on `ended`, of which the access token is over or was refused. */
export type RenewSession = (ended: SessionTokens) => Promise<SessionTokens>;

/** So much before its end a token is too old to be sent: it must last until the request is there. */
const SPARE_MS = 60_000;

/**
 * A `getToken` for a session: it is refreshed before it ends, and when the server refuses it; by calls that are made
 * together, once. What `renew` gives should be kept where the program finds it when it starts again.
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

/** A token that is good for some seconds more is sent, where the next cannot be had just now. */
function unlessGood({ expiresAt }: SessionTokens): (error: unknown) => void {
  return (error) => {
    const isOver = expiresAt <= Date.now();
    if (isOver || !(error instanceof CairnError) || error.code === 'UNAUTHENTICATED') throw error;
  };
}

/** What refreshing a session takes. */
export interface RefreshSession extends CallOptions {
  readonly refreshToken: string;
  /** The program that signed in. */
  readonly clientId: string;
  readonly fetch?: typeof globalThis.fetch | undefined;
}

const ANSWER_MS_MAX = 20_000;

/**
 * The next tokens of a session. The refresh token is used up by it: keep the new one before anything else.
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
  if (said.error === 'invalid_grant' || said.error === 'invalid_client') throw sessionEnded();
  const message = `The session was not refreshed: the server answered ${answer.status}. Try again later.`;
  throw answer.status === 429
    ? fail('RATE_LIMITED', { message, ...retryAfterOf(answer) })
    : noAnswer(answer.url, message);
}

function sessionEnded(): CairnError {
  return fail('UNAUTHENTICATED', { message: 'The session has ended. Sign in again.' });
}
