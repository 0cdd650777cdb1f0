// MCP messages to an app without a port, in both protocols.
import type { TestApp } from './server.ts';

/** The newer protocol repeats everything in each request. The older one relies on its header. */
export const PROTOCOLS = ['2026-07-28', '2025-11-25'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

export interface McpAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The body as text, to search for content that must not be there. */
  readonly body: string;
  // biome-ignore lint/suspicious/noExplicitAny: what methods answer is as different as they are.
  readonly result: any;
  readonly error: { code: number | string; message: string; data?: unknown } | undefined;
}

export interface McpSent {
  readonly protocol?: Protocol;
  readonly token?: string | undefined;
  /** Added to the protocol's headers, or overriding them. An empty value removes a header. */
  readonly headers?: Record<string, string>;
}

export type SendMcp = (method: string, params?: Record<string, unknown>) => Promise<McpAnswer>;

export function mcpSender(app: TestApp['app'], sent: McpSent = {}): SendMcp {
  return async (method, params = {}) =>
    await postMcp(app, messageOf(method, params, sent), headersOf(method, params, sent));
}

export function messageOf(method: string, params: Record<string, unknown>, { protocol = PROTOCOLS[0] }: McpSent = {}) {
  if (protocol === '2025-11-25') return { jsonrpc: '2.0', id: 1, method, params };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': protocol,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } };
}

export function headersOf(
  method: string,
  params: Record<string, unknown>,
  { protocol = PROTOCOLS[0], token, headers = {} }: McpSent = {},
): Record<string, string> {
  const name = params.name ?? params.uri;
  const all = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': protocol,
    ...(protocol === '2026-07-28' && { 'mcp-method': method, ...(name !== undefined && { 'mcp-name': String(name) }) }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...headers,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

export async function postMcp(
  app: TestApp['app'],
  message: unknown,
  headers: Record<string, string> = headersOf('', {}),
): Promise<McpAnswer> {
  const text = typeof message === 'string' ? message : JSON.stringify(message);
  const response = await app.request('/mcp', { method: 'POST', headers, body: text });
  const body = await response.text();
  const { result, error } = body === '' ? {} : JSON.parse(/^data: (.*)$/m.exec(body)?.[1] ?? body);
  return { status: response.status, headers: response.headers, body, result, error };
}
