// Who asks, and on account of what: the headers of each request, and what happens when the server refuses a token.
import { CairnError, fail } from '@cairn/protocol/errors';
import { TRACE_HEADER } from '@cairn/protocol/vocabulary';

/** Gives the token to send; `refused` is the one that the server has just refused, where another may be better. */
export type GetToken = (refused?: string) => Promise<string | undefined>;

/** Who asks, and on account of what. */
export interface CallerOptions {
  /** A personal access token. Without one, calls are anonymous. */
  readonly token?: string | undefined;
  /**
   * Asked before each request instead of `token`, where tokens change. When the server refuses one, it is asked again with
   * that one: another token is tried once. `refreshingToken` makes one for a session.
   */
  readonly getToken?: GetToken | undefined;
  /** The `x-cairn-trace` header of a delivery: what a receiver commits on account of it joins its trace, so that loops end. */
  readonly trace?: string | undefined;
}

/** What sends a request: with the headers of the caller, as often as it is called. */
type Send = (headers: Record<string, string>) => Promise<Response>;

const UNAUTHENTICATED = 401;

/** Sends as the caller; once more where the token was refused and there is another. */
export async function sendAs(caller: CallerOptions, send: Send): Promise<Response> {
  const token = await tokenOf(caller);
  const answer = await send(headersOf(caller, token));
  if (answer.status !== UNAUTHENTICATED || token === undefined) return answer;
  const another = await tokenOf(caller, token);
  if (another === undefined || another === token) return answer;
  await answer.body?.cancel();
  return await send(headersOf(caller, another));
}

/** Sends as the caller what can be sent only once, such as a stream. */
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

/** What a header can hold. */
const SENDABLE = /^[\t\x20-\x7e]*$/;

/** What is no token, in words that do not quote it, as the refusal of who sends it would. */
function whyNoToken(token: unknown): string | undefined {
  if (typeof token !== 'string') return 'The token is no string.';
  if (token.trim() === '') return 'The token is empty. Leave it out to call anonymously, or give one.';
  if (/^bearer\s/i.test(token.trim())) return 'The token begins with Bearer. Give what comes after that alone.';
  if (SENDABLE.test(token.trim())) return undefined;
  return 'The token holds characters that no token has, such as a line break. Copy it again, whole and alone.';
}

function headersOf({ trace }: CallerOptions, token: string | undefined): Record<string, string> {
  const why = token === undefined ? undefined : whyNoToken(token);
  if (why !== undefined) throw fail('UNAUTHENTICATED', { message: why });
  return {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(trace !== undefined && { [TRACE_HEADER]: trace }),
  };
}
