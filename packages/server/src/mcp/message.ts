// A message as it came: what is no message that is served here is refused before the SDK sees it.
import { invalidInput } from '@cairn/protocol/input-error';
import { scanJson } from '@cairn/protocol/json-scan';
import {
  PROTOCOL_VERSION_META_KEY,
  ProtocolErrorCode,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { TOOL_CALL } from './params.ts';
import { shortened } from './protocol-error.ts';

// A record's data may be 64 levels deep, inside an operation, inside a list, inside arguments, inside the message. How deep
// data is exactly is decided where it is stored.
const JSON_DEPTH_MAX = 200;

/** What both protocols want a client to list in `Accept`: the server chooses which of them it answers with. */
const ANSWER_TYPES = ['application/json', 'text/event-stream'];
/** As the SDK answers it in the older protocol; in the newer one it does not ask. */
const NOT_ACCEPTABLE = { status: 406, code: -32_000 };

/** By the header alone, before the body is read; `undefined` where there is nothing to refuse. */
export function refuseByAccept(accept: string | null): Response | undefined {
  const listed = accept?.toLowerCase().split(',') ?? [];
  const types = listed.map((range) => range.split(';', 1)[0]?.trim());
  if (ANSWER_TYPES.every((type) => types.includes(type))) return undefined;
  const { status, code } = NOT_ACCEPTABLE;
  return refusal(status, { code, message: `Send the header accept: ${ANSWER_TYPES.join(', ')}` });
}

/** The newest first. The SDK knows both eras of the protocol, and tells of each only its own. */
const VERSIONS = ['2026-07-28', ...SUPPORTED_PROTOCOL_VERSIONS];
/** As the SDK answers it in the older protocol. */
const BAD_VERSION = { status: 400, code: -32_000 };

/** A version that no protocol has, in a message that says nothing of its own; one that does is answered by the SDK. */
export function refuseByVersion(version: string | null, message: unknown): Response | undefined {
  if (version === null || VERSIONS.includes(version) || hasMethod(message, 'initialize')) return undefined;
  if (!isMessage(message) || message.params?._meta?.[PROTOCOL_VERSION_META_KEY] !== undefined) return undefined;
  const { status, code } = BAD_VERSION;
  const why = `Unsupported protocol version: ${shortened(version)} (supported versions: ${VERSIONS.join(', ')})`;
  return refusal(status, { code, message: why, id: message.id });
}

interface Message {
  readonly id?: unknown;
  readonly params?: { readonly _meta?: Readonly<Record<string, unknown>> | null } | null;
}

function isMessage(message: unknown): message is Message {
  return typeof message === 'object' && message !== null;
}

export type ReadMessage = { readonly message: unknown } | { readonly refusal: Response };

export function readMessage(text: string): ReadMessage {
  let message: unknown;
  try {
    // Or parsing would change what is to be stored without a word.
    scanJson(text, { maxDepth: JSON_DEPTH_MAX });
    message = JSON.parse(text);
  } catch (error) {
    const why = `The body is no JSON: ${(error as Error).message}`;
    return { refusal: refusal(400, { code: ProtocolErrorCode.ParseError, message: why }) };
  }
  // Neither protocol that is served has batches: one would be counted as a single call, however many it held.
  if (Array.isArray(message)) {
    const why = 'Batches are not served. Send one message a request.';
    return { refusal: refusal(400, { code: ProtocolErrorCode.InvalidRequest, message: why }) };
  }
  // No list changes while the server runs, so there is nothing to wait for; who listens would only hold a connection.
  if (hasMethod(message, 'subscriptions/listen')) {
    const why =
      'There is nothing to listen to: no list of this server changes. Webhooks tell of records, by subscription_set.';
    return { refusal: refusal(404, { code: ProtocolErrorCode.MethodNotFound, message: why, id: message.id }) };
  }
  if (hasMethod(message, 'tools/call') && 'id' in message) {
    const why = whyNoToolCall(message);
    if (why !== undefined) {
      return { refusal: refusal(200, { code: ProtocolErrorCode.InvalidParams, message: why, id: message.id }) };
    }
  }
  return { message };
}

/** The SDK would answer with what its schemas say, and lets nobody in between. */
function whyNoToolCall({ params }: Message): string | undefined {
  const { error } = TOOL_CALL.safeParse(params ?? {});
  return error === undefined ? undefined : `${invalidInput(error).message} See tools/list.`;
}

function hasMethod(message: unknown, method: string): message is { readonly method: string; readonly id?: unknown } {
  return typeof message === 'object' && message !== null && 'method' in message && message.method === method;
}

interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly id?: unknown;
}

function refusal(status: number, { code, message, id }: Refusal): Response {
  const known = typeof id === 'string' || typeof id === 'number' ? id : null;
  return Response.json({ jsonrpc: '2.0', id: known, error: { code, message } }, { status });
}
