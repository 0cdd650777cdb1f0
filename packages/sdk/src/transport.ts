// Calls procedures over tRPC's HTTP protocol, turns every failure into a CairnError, and retries idempotent calls.
import { CairnError, fail, isErrorCode } from '@cairn/protocol/errors';
import { PROCEDURE_KINDS, type ProcedureName } from '@cairn/protocol/procedure-kinds';
import type { ProcedureInput, ProcedureOutput } from '@cairn/protocol/procedures';
import { createTRPCUntypedClient, httpBatchLink, httpLink, splitLink, TRPCClientError } from '@trpc/client';
import type { AnyTRPCRouter } from '@trpc/server';
import { sendAs } from './caller.ts';
import { addressOf, foreignError, type HttpOptions, isPage, noAnswer } from './http.ts';
import { createTries, endable, until } from './retry.ts';

/** Options of a client. */
export type TransportOptions = HttpOptions;

/** Options of every call. */
export interface CallOptions {
  /** Ends the call, which then fails with `ABORTED`. A write may still have been applied. */
  readonly signal?: AbortSignal | undefined;
}

type Input<Name extends ProcedureName> = NonNullable<ProcedureInput<Name>>;

/** The signal is passed with the input: no procedure has a field of that name. */
export type Call = <Name extends ProcedureName>(
  name: Name,
  given: (Input<Name> extends Record<string, never> ? unknown : Input<Name>) & CallOptions,
) => Promise<ProcedureOutput<Name>>;

// Larger inputs go into a body: proxies and servers limit the length of a URL.
const URL_INPUT_CHARACTERS_MAX = 2_048;
const BATCH_CALLS_MAX = 20;
const URL_CHARACTERS_MAX = 6_000;

export function createTransport(options: TransportOptions): Call {
  const link = {
    url: addressOf(options.url, 'trpc'),
    fetch: (async (address: string, request: RequestInit & { headers: Record<string, string> }) => {
      const send = options.fetch ?? globalThis.fetch;
      const asked = (caller: Record<string, string>) =>
        send(address, { ...request, headers: { ...request.headers, ...caller } });
      return spokenFor(await sendAs(options, asked), options.url);
    }) as never,
  };
  const client = createTRPCUntypedClient<AnyTRPCRouter>({
    links: [
      // Writes and large inputs are not batched: two commits must not fail together because their sum is too large.
      splitLink({
        condition: ({ type, input }) =>
          type === 'mutation' || (JSON.stringify(input)?.length ?? 0) > URL_INPUT_CHARACTERS_MAX,
        true: httpLink({ ...link, methodOverride: 'POST' }),
        false: httpBatchLink({ ...link, maxItems: BATCH_CALLS_MAX, maxURLLength: URL_CHARACTERS_MAX }),
      }),
    ],
  });
  return async <Name extends ProcedureName>(name: Name, { signal: asked, ...input }: CallOptions) => {
    const once = async () => {
      try {
        const call = (signal?: AbortSignal) => client[PROCEDURE_KINDS[name]](name, input, signal && { signal });
        return (await endable(asked, call)) as ProcedureOutput<Name>;
      } catch (error) {
        const failed = toCairnError(error, options.url);
        throw (failed.code === 'NETWORK_ERROR' ? whyUnsendable(input) : undefined) ?? failed;
      }
    };
    if (!isRepeatable(name, input)) return await once();
    return await until(createTries({ tries: CALL_TRIES, ...options.retry }, asked), 0, once);
  };
}

/** An HTML page, or a refusal without JSON, comes from something other than Cairn, such as a proxy. */
function spokenFor(answer: Response, url: string): Response {
  const isRefusal = !answer.ok && !answer.headers.get('content-type')?.includes('json');
  if (isRefusal || isPage(answer)) throw foreignError(answer, url);
  return answer;
}

/** A caller that waits for one answer needs to learn soon that there is none. */
const CALL_TRIES = 2;

/**
 * Reads, and writes that the server recognizes when they arrive twice. Any other write may have been applied, even if
 * no answer arrived.
 */
function isRepeatable(name: ProcedureName, input: unknown): boolean {
  if (PROCEDURE_KINDS[name] === 'query') return true;
  return name === 'commit.submit' && (input as ProcedureInput<'commit.submit'>).submissionId !== undefined;
}

/** Explains a call without an answer, if JSON cannot represent its input and nothing was sent. */
function whyUnsendable(input: object): CairnError | undefined {
  try {
    JSON.stringify(input);
    return undefined;
  } catch (cause) {
    const message =
      'Nothing was sent: the input cannot be written as JSON. It may contain itself, or a BigInt: give that as a number or a string.';
    return fail('VALIDATION_ERROR', { message, cause });
  }
}

function toCairnError(error: unknown, url: string): CairnError {
  if (error instanceof CairnError) return error;
  // Thrown by `getToken`, or because something other than Cairn answered.
  if (error instanceof TRPCClientError && error.cause instanceof CairnError) return error.cause;
  const sent: unknown = error instanceof TRPCClientError ? error.data?.cairn : undefined;
  if (isSentError(sent)) {
    const { code, message, details, hint, retryAfter } = sent;
    return fail(code, {
      message,
      ...(details !== undefined && { details }),
      ...(hint !== undefined && { hint }),
      ...(retryAfter !== undefined && { retryAfter }),
    });
  }
  if (!(error instanceof TRPCClientError)) return noAnswer(url, error);
  // The answer is JSON, but not from a procedure.
  const answer = error.meta?.response as Response | undefined;
  return answer === undefined ? noAnswer(url, error.cause ?? error) : foreignError(answer, url);
}

function isSentError(sent: unknown): sent is CairnError {
  return typeof sent === 'object' && sent !== null && 'code' in sent && isErrorCode(sent.code);
}
