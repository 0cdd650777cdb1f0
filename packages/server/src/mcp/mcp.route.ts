// MCP over HTTP, between our requests and the official SDK.
import { fail } from '@cairn/protocol/errors';
import { answer } from '../http/answer.ts';
import { isForeignPage } from '../http/cors.ts';
import { type Exchange, operationContext, type RouteHandler, readBody } from '../http/exchange.ts';
import type { Mcp, McpOptions, McpRequest } from './server.ts';
import type { McpCall } from './tool-call.ts';

export type LoadMcp = (options: Pick<McpOptions, 'onError'>) => Promise<Mcp>;

/** The SDK's reasons may quote the whole request. */
const REASON_CHARACTERS = 100;

export function createMcpRoute(load: LoadMcp = loadMcp): RouteHandler {
  let loading: Promise<Mcp> | undefined;
  return async (c) => {
    refuseForeignPage(c);
    const { log, settings } = c.deps;
    const text = await readBody(c, { contentType: 'application/json', maxBytes: settings.limits.jsonBodyBytes });
    loading ??= load({ onError: ({ message }) => log.debug({ reason: message.slice(0, REASON_CHARACTERS) }, 'MCP') });
    const mcp = await loading;
    const call: McpCall = { context: operationContext(c), isAbandoned: () => c.outgoing.destroyed };
    const made = await mcp.serve(requestOf(c), text, call);
    // Reads the whole body, because older clients get a stream that starts before the result is known.
    const body = await made.text();
    if (call.refused !== undefined) throw call.refused;
    return await answer(c, {
      status: made.status,
      body: body === '' ? null : body,
      contentType: made.headers.get('content-type') ?? 'application/json',
      headers: { 'cache-control': 'private, no-cache', vary: 'Authorization' },
    });
  };
}

async function loadMcp(options: Pick<McpOptions, 'onError'>): Promise<Mcp> {
  const { createMcp } = await import('./server.ts');
  return createMcp(options);
}

/** The SDK gets only the headers of the protocol: no credential, and no body, which is read already. */
function requestOf(c: Exchange): McpRequest {
  const get = (name: string) => (name.startsWith('mcp-') || PASSED.includes(name) ? (c.header(name) ?? null) : null);
  const headers = { get, has: (name: string) => get(name) !== null };
  return { method: 'POST', url: `${c.deps.settings.publicUrl}${c.target}`, headers };
}

const PASSED = ['accept', 'content-type', 'last-event-id'];

function refuseForeignPage(c: Exchange): void {
  if (!isForeignPage(c)) return;
  throw fail('FORBIDDEN', {
    message:
      'This server accepts only pages of this machine. Add other origins to CAIRN_CORS_ORIGINS, or set CAIRN_PUBLIC_URL.',
  });
}
