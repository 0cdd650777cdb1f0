// Maps thrown errors to responses. Errors other than CairnError are bugs: callers get the request id, the log the rest.
import { CairnError, type ErrorFields, fail } from '@cairn/protocol/errors';
import { invalidInput } from '@cairn/protocol/input-words';
import { ZodError } from 'zod';
import { answerJson } from './answer.ts';
import { ANSWERED, type Answered, type Exchange } from './exchange.ts';

const UNKNOWN_PATH = 'This path does not exist. See /docs/api for all paths.';

/** Spec 4.4 rule 1: also the answer where submissions are not enabled. */
export function unknownPathError(): CairnError {
  return fail('NOT_FOUND', { message: UNKNOWN_PATH });
}

export function toCairnError(thrown: unknown): CairnError {
  if (thrown instanceof CairnError) return thrown;
  if (thrown instanceof ZodError) return invalidInput(thrown);
  return fail('INTERNAL_ERROR', {
    message: 'The server failed. Its log has the reason under the x-request-id of this answer.',
    cause: thrown,
  });
}

export function answerError(c: Exchange, thrown: unknown): Answered | Promise<Answered> {
  const error = toCairnError(thrown);
  logFault(c, error);
  if (c.isAnswered) {
    // A partial answer must not look complete.
    if (!c.outgoing.writableEnded) c.outgoing.destroy();
    return ANSWERED;
  }
  // Clients of /trpc expect tRPC's envelope, even for errors before a procedure is found.
  const body = /^\/trpc(\/|$)/.test(c.path) ? { error: trpcErrorShape(error) } : { error: error.fields };
  return answerJson(c, body, { status: error.status, headers: errorHeaders(c, error) });
}

export function logFault(c: Exchange, error: CairnError): void {
  // 501 means that a feature is not served, which is no fault.
  if (error.status < 500 || error.status === 501) return;
  const { deps, requestId } = c;
  // A stopping server refuses by itself, and clients retry each second: a stack trace adds nothing.
  const isRefusal = error.code === 'UNAVAILABLE' && error.cause === undefined;
  if (isRefusal) deps.log.warn({ requestId, code: error.code }, error.message);
  else deps.log.error({ requestId, code: error.code, err: error.cause ?? error }, error.message);
}

export function errorHeaders(c: Exchange, error: CairnError): Record<string, string> {
  return {
    'cache-control': 'no-store',
    ...(error.status === 404 && { vary: 'Authorization' }),
    ...(error.status === 401 && challenge(c)),
    ...(c.path === '/mcp' && toolChallenge(c, error)),
    ...retryHeader(error.retryAfter),
    ...(error.code === 'METHOD_NOT_ALLOWED' && { allow: allowedMethods(error) }),
  };
}

export function retryHeader(retryAfter: number | undefined): Record<string, string> {
  return retryAfter === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfter)) };
}

export function challenge(c: Exchange): { 'www-authenticate': string } {
  const { publicUrl } = c.deps.settings;
  const metadata = `${publicUrl}/.well-known/oauth-protected-resource${c.path === '/mcp' ? '/mcp' : ''}`;
  return { 'www-authenticate': `Bearer resource_metadata="${metadata}"` };
}

const TOOL_SCOPES = 'openid offline_access cairn';

function toolChallenge(c: Exchange, error: CairnError): Record<string, string> {
  const { 'www-authenticate': base } = challenge(c);
  const missing = missingScopes(error);
  if (missing !== undefined)
    return { 'www-authenticate': `${base}, error="insufficient_scope", scope="${missing.join(' ')}"` };
  // Clients often send a GET to discover where to sign in.
  if (error.status !== 401 && error.status !== 405) return {};
  const refused = error.status === 401 && c.header('authorization') !== undefined;
  return { 'www-authenticate': `${base}${refused ? ', error="invalid_token"' : ''}, scope="${TOOL_SCOPES}"` };
}

function missingScopes({ code, details }: CairnError): readonly string[] | undefined {
  if (code !== 'FORBIDDEN' || typeof details !== 'object' || details === null) return undefined;
  const { missing, withheldBy } = details as { missing?: readonly string[]; withheldBy?: string };
  return withheldBy === 'token' ? missing : undefined;
}

function allowedMethods(error: CairnError): string {
  const { details } = error;
  return typeof details === 'object' && details !== null && 'allow' in details ? String(details.allow) : 'GET, POST';
}

interface TrpcErrorShape {
  readonly message: string;
  readonly code: number;
  readonly data: { code: string; httpStatus: number; path?: string; cairn: ErrorFields & { status: number } };
}

// JSON-RPC's numbers say less than our codes, so every error carries "server error".
const JSON_RPC_SERVER_ERROR = -32_000;

export function trpcErrorShape(error: CairnError, path?: string): TrpcErrorShape {
  return {
    message: error.message,
    code: JSON_RPC_SERVER_ERROR,
    data: {
      code: error.code,
      httpStatus: error.status,
      ...(path !== undefined && { path }),
      cairn: { ...error.fields, status: error.status },
    },
  };
}
