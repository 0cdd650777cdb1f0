// Validates MCP messages before the SDK sees them, because the SDK's own errors cannot be customized.

import { isJsonObject, scanJson } from '@cairn/model/json';
import { CairnError, type ErrorCode, fail } from '@cairn/protocol/errors';
import { invalidInput, wordsOf } from '@cairn/protocol/input-words';
import {
  type CallToolResult,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  type StandardSchemaV1,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { ZodError, z } from 'zod';
import type { Context } from '../access/context.ts';
import { SIGN_IN } from './tool-cookbook.ts';

// Record data may be 64 levels deep, inside four more; the exact depth is checked on storage.
const JSON_DEPTH_MAX = 200;

const ANSWER_TYPES = ['application/json', 'text/event-stream'];
const TRANSPORT_ERROR = -32_000;

export function refuseByAccept(accept: string | null): Response | undefined {
  const listed = accept?.toLowerCase().split(',') ?? [];
  const types = listed.map((range) => range.split(';', 1)[0]?.trim());
  if (ANSWER_TYPES.every((type) => types.includes(type))) return undefined;
  return refusal(406, TRANSPORT_ERROR, `Send the header accept: ${ANSWER_TYPES.join(', ')}`);
}

const VERSIONS = ['2026-07-28', ...SUPPORTED_PROTOCOL_VERSIONS];

export function refuseByVersion(version: string | null, message: unknown): Response | undefined {
  if (version === null || VERSIONS.includes(version) || hasMethod(message, 'initialize')) return undefined;
  if (!isMessage(message) || message.params?._meta?.[PROTOCOL_VERSION_META_KEY] !== undefined) return undefined;
  const why = `Unsupported protocol version: ${shortened(version)} (supported versions: ${VERSIONS.join(', ')})`;
  return refusal(400, TRANSPORT_ERROR, why, message.id);
}

interface Message {
  readonly method?: unknown;
  readonly id?: unknown;
  readonly params?: { readonly _meta?: Readonly<Record<string, unknown>> | null } | null;
}

function isMessage(message: unknown): message is Message {
  return typeof message === 'object' && message !== null;
}

export function readMessage(text: string): { readonly message: unknown } | { readonly refusal: Response } {
  let message: unknown;
  try {
    // Without the scan, parsing could silently change what is stored.
    scanJson(text, { maxDepth: JSON_DEPTH_MAX });
    message = JSON.parse(text);
  } catch (error) {
    const why = `The body is not JSON: ${(error as Error).message}`;
    return { refusal: refusal(400, ProtocolErrorCode.ParseError, why) };
  }
  // Neither protocol version has batches, and a batch would count as a single call for the rate limit.
  if (Array.isArray(message)) {
    const why = 'Batches are not supported. Send one message per request.';
    return { refusal: refusal(400, ProtocolErrorCode.InvalidRequest, why) };
  }
  if (hasMethod(message, 'subscriptions/listen')) {
    const why =
      'The lists of this server never change, so there are no events. For changes of records, create a webhook with subscription_set.';
    return { refusal: refusal(404, ProtocolErrorCode.MethodNotFound, why, message.id) };
  }
  if (hasMethod(message, 'tools/call') && 'id' in message) {
    const why = whyNoToolCall(message);
    if (why !== undefined) return { refusal: refusal(200, ProtocolErrorCode.InvalidParams, why, message.id) };
  }
  return { message };
}

function whyNoToolCall({ params }: Message): string | undefined {
  const { name, arguments: given = {} } = (params ?? {}) as Record<string, unknown>;
  // The schema only words the error, because it takes as long as everything else here.
  if (typeof name === 'string' && isJsonObject(given)) return undefined;
  const { error } = TOOL_CALL.safeParse(params ?? {});
  return error === undefined ? undefined : `${invalidInput(error).message} See tools/list.`;
}

export function methodOf(message: unknown): string | undefined {
  return isMessage(message) && typeof message.method === 'string' ? message.method : undefined;
}

function hasMethod(message: unknown, method: string): message is Message {
  return methodOf(message) === method;
}

function refusal(status: number, code: number, message: string, id?: unknown): Response {
  const known = typeof id === 'string' || typeof id === 'number' ? id : null;
  return Response.json({ jsonrpc: '2.0', id: known, error: { code, message } }, { status });
}

// Without these schemas, the SDK would report bad parameters as a server fault instead of -32602.

const page = z.looseObject({ cursor: z.string().optional() });
const texts = z.record(z.string(), z.string());

const completed = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('ref/prompt'), name: z.string() }),
  z.looseObject({ type: z.literal('ref/resource'), uri: z.string() }),
]);

const completeParams = z.looseObject({
  ref: completed,
  argument: z.looseObject({ name: z.string(), value: z.string() }),
  context: z.looseObject({ arguments: texts.optional() }).optional(),
});

export type Completion = z.infer<typeof completeParams>;

const TOOL_CALL = z.looseObject({ name: z.string(), arguments: z.looseObject({}).optional() });

export const PAGE = { params: inOurWords(page) };
export const WHOLE = {
  params: inOurWords(z.looseObject({ cursor: z.undefined('this list has only one page').optional() })),
};
export const RESOURCE = { params: inOurWords(z.looseObject({ uri: z.string() })) };
export const PROMPT = { params: inOurWords(z.looseObject({ name: z.string(), arguments: texts.optional() })) };
export const COMPLETION = { params: inOurWords(completeParams) };

function inOurWords<Schema extends z.ZodType>(schema: Schema): StandardSchemaV1<z.input<Schema>, z.output<Schema>> {
  const validate = (value: unknown) => {
    const { data, error } = schema.safeParse(value);
    if (error === undefined) return { value: data as z.output<Schema> };
    return { issues: error.issues.map((issue) => ({ path: issue.path, message: wordsOf(issue) })) };
  };
  return { '~standard': { version: 1, vendor: 'cairn', validate } };
}

const NAME_SHOWN_CHARACTERS = 100;

export function shortened(name: string): string {
  return name.slice(0, NAME_SHOWN_CHARACTERS);
}

export async function inProtocol<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw toProtocolError(error);
  }
}

function toProtocolError(thrown: unknown): Error {
  if (thrown instanceof ProtocolError) return thrown;
  const error = toolErrorOf(thrown);
  if (isForHttp(error) || error.status === 429 || error.status >= 500) return error;
  return invalidParams(error.message, error.fields);
}

export function invalidParams(message: string, data?: unknown): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, data);
}

/** Depends on the error code alone, so that it reveals nothing about hidden data. */
const NEXT: Partial<Record<ErrorCode, string>> = {
  VALIDATION_ERROR: 'Nothing was done. Correct what the message names, and call again.',
  SHAPE_MISMATCH:
    'Nothing was written. Correct the data at the named paths (repo_describe shows the fields of each shape), and send all operations again.',
  RESERVED_NAME: 'Choose another name.',
  TARGET_NOT_FOUND:
    'Nothing was written. Find the right name with thing_query, or add the missing record in an earlier operation, and send all operations again.',
  UNRESOLVED_TOKEN: 'Nothing was written. #N can refer only to a placeholder $N of an earlier operation.',
  DEPENDENCY_FAILED: 'Correct the operation that failed first, and send it again.',
  FORBIDDEN: 'The same call will be refused again. Tell the user what is missing, or work without it.',
  NOT_FOUND: 'Check the names in the lists: repo_list, thing_query, subscription_list, action_runs, component_list.',
  CONFLICT: 'Read the current state, decide again, and call again.',
  ALREADY_EXISTS: 'Read what exists, then change it or choose another name. In a commit, skipExisting skips it.',
  ARCHIVED: 'You can read it, but not write to it. Ask the user to get it unarchived, or write elsewhere.',
  PAYLOAD_TOO_LARGE: 'Send or ask for less at once: fewer operations, a smaller limit, fewer fields or wrefs.',
  RATE_LIMITED: 'Wait retryAfter seconds, and call again.',
  UPSTREAM_ERROR: 'The component failed. Tell the user.',
  UPSTREAM_TIMEOUT: 'The component did not answer. Call again later, or tell the user.',
  UNAVAILABLE: 'Call again in a moment.',
};

const NOT_FOUND_FOR_NOBODY = `${NEXT.NOT_FOUND} Private repositories are visible only to signed-in users who may read them. ${SIGN_IN}`;

export function toolErrorOf(thrown: unknown): CairnError {
  if (thrown instanceof CairnError) return thrown;
  if (thrown instanceof ZodError) return invalidInput(thrown);
  const message = 'The server failed. Its log has the reason under the x-request-id of this answer.';
  return fail('INTERNAL_ERROR', { message, cause: thrown });
}

export function failureOf({ fields }: CairnError, { kind }: Context['principal']): CallToolResult {
  const isForNobody = fields.code === 'NOT_FOUND' && kind === 'anonymous';
  const hint = fields.hint ?? (isForNobody ? NOT_FOUND_FOR_NOBODY : NEXT[fields.code]);
  const error = { ...fields, ...(hint !== undefined && { hint }) };
  return { isError: true, content: [{ type: 'text', text: JSON.stringify({ error }) }] };
}

// Missing sign-in is answered by HTTP. A role that does not suffice is not, because signing in again would not help.
export function isForHttp({ code, details }: CairnError): boolean {
  const withheld = typeof details === 'object' && details !== null && 'withheldBy' in details && details.withheldBy;
  return code === 'UNAUTHENTICATED' || code === 'INTERNAL_ERROR' || withheld === 'token';
}
