// What a bridge must know of the messages that it carries: which of them want an answer, and what the HTTP of MCP asks to
// be said in headers too. All else is between the two ends.
import type { CairnError } from '@cairn/sdk';

export type MessageId = string | number;

export interface Message {
  readonly id?: MessageId | null;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The messages of a line, which older clients may send together; undefined of what is no JSON. */
export function messagesIn(line: Uint8Array | string): Message[] | undefined {
  try {
    const parsed: unknown = JSON.parse(typeof line === 'string' ? line : decoder.decode(line));
    return (Array.isArray(parsed) ? parsed : [parsed]).filter(isObject);
  } catch {
    return undefined;
  }
}

/** Those that somebody waits for. */
export function idsAsked(messages: readonly Message[]): MessageId[] {
  return messages.flatMap(({ id, method }) => (method !== undefined && isId(id) ? [id] : []));
}

export function idAnswered({ id, method }: Message): MessageId | undefined {
  return method === undefined && isId(id) ? id : undefined;
}

/** The request that nobody waits for any more, where that is what a message says. */
export function idCancelled({ method, params }: Message): MessageId | undefined {
  const { requestId } = fieldsOf(params);
  return method === 'notifications/cancelled' && isId(requestId) ? requestId : undefined;
}

/** Of protocols before 2026 a version is agreed on once, in the answer to the first request. */
export function versionAgreed({ result }: Message): string | undefined {
  const { protocolVersion } = fieldsOf(result);
  return typeof protocolVersion === 'string' ? protocolVersion : undefined;
}

/** Which parameter is repeated as `Mcp-Name`. */
const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** From protocol 2026-07-28 on a message says its version itself, and headers repeat what it is about. */
export function headersOf(messages: readonly Message[], agreed: string | undefined): Record<string, string> {
  const [{ method, params } = {}] = messages;
  const own = fieldsOf(fieldsOf(params)._meta)['io.modelcontextprotocol/protocolVersion'];
  if (typeof own !== 'string' || typeof method !== 'string') {
    return agreed === undefined || method === 'initialize' ? {} : { 'mcp-protocol-version': agreed };
  }
  const name = fieldsOf(params)[NAMED_BY[method] ?? ''];
  return {
    'mcp-protocol-version': headerValue(own),
    'mcp-method': headerValue(method),
    ...(typeof name === 'string' && { 'mcp-name': headerValue(name) }),
  };
}

const IN_A_HEADER = /^(?!=\?base64\?)[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

function headerValue(text: string): string {
  return IN_A_HEADER.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

/** JSON-RPC's numbers say less than our codes, which are in the data. */
const SERVER_ERROR = -32_000;
const PARSE_ERROR = -32_700;

/** The answer to a request that could not be carried, or was refused on the way. */
export function failureLine(id: MessageId, { fields }: CairnError): string {
  const message = fields.hint === undefined ? fields.message : `${fields.message} ${fields.hint}`;
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code: SERVER_ERROR, message, data: fields } });
}

export const NO_JSON_LINE = JSON.stringify({
  jsonrpc: '2.0',
  id: null,
  error: { code: PARSE_ERROR, message: 'The line is not JSON. Send one message a line.' },
});

/** JSON has line ends between its parts alone. */
export function inOneLine(json: string): string {
  return json.replaceAll(/[\r\n]+/g, ' ');
}

export const isId = (id: unknown): id is MessageId => typeof id === 'string' || typeof id === 'number';

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function fieldsOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? (value as Record<string, unknown>) : {};
}
