// Adds the caller's headers to each request, and retries with another token after the server refuses one.
import { CairnError, fail } from '@cairn/protocol/errors';
import { TRACE_HEADER } from '@cairn/protocol/vocabulary';

/** Returns the token to send. `refused` is the token that the server has just refused, if a newer one may work. */
export type GetToken = (refused?: string) => Promise<string | undefined>;

/** Credentials and trace of the caller. */
export interface CallerOptions {
  /** A personal access token. Without one, calls are anonymous. */
  readonly token?: string | undefined;
  /**
   * Called before each request instead of `token`, for tokens that change. If the server refuses a token, it is called
   * again with that token, and a different result is tried once. `refreshingToken` creates a `getToken` for a session.
   */
  readonly getToken?: GetToken | undefined;
  /**
   * The `x-cairn-trace` header of a delivery. Commits made in response join its trace, so that the server can end
   * loops.
   */
  readonly trace?: string | undefined;
}

/** Sends the request with these headers. It may be called more than once. */
type Send = (headers: Record<string, string>) => Promise<Response>;

const UNAUTHENTICATED = 401;

/** Sends as the caller. Sends once more if the token is refused and there is another one. */
export async function sendAs(caller: CallerOptions, send: Send): Promise<Response> {
  const token = await tokenOf(caller);
  const answer = await send(headersOf(caller, token));
  if (answer.status !== UNAUTHENTICATED || token === undefined) return answer;
  const another = await tokenOf(caller, token);
  if (another === undefined || another === token) return answer;
  await answer.body?.cancel();
  return await send(headersOf(caller, another));
}

/** Sends a request that cannot be repeated, such as a stream. */
export async function sendOnceAs(caller: CallerOptions, send: Send): Promise<Response> {
  return await send(headersOf(caller, await tokenOf(caller)));
}

async function tokenOf({ token, getToken }: CallerOptions, refused?: string): Promise<string | undefined> {
  if (getToken === undefined) return refused === undefined ? token : undefined;
  return await getToken(refused).catch((cause: unknown) => {
    if (cause instanceof CairnError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw fail('UNAUTHENTICATED', { message: `There is no token to send, because getToken failed: ${reason}`, cause });
  });
}

const SENDABLE = /^[\t\x20-\x7e]*$/;

/** Explains why a token is malformed. The text never quotes the token, unlike the error that `fetch` would throw. */
function whyNoToken(token: unknown): string | undefined {
  if (typeof token !== 'string') return 'The token is not a string. Give it as a string.';
  if (token.trim() === '') return 'The token is empty. Leave it out to call anonymously, or give one.';
  if (/^bearer\s/i.test(token.trim())) return 'The token starts with Bearer. Give only what comes after that.';
  if (SENDABLE.test(token.trim())) return undefined;
  return 'The token contains characters that no token has, such as a line break. Copy it again.';
}

function headersOf({ trace }: CallerOptions, token: string | undefined): Record<string, string> {
  const why = token === undefined ? undefined : whyNoToken(token);
  if (why !== undefined) throw fail('UNAUTHENTICATED', { message: why });
  return {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(trace !== undefined && { [TRACE_HEADER]: trace }),
  };
}
