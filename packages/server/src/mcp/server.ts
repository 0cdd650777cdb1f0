// The MCP server: stateless, one instance per request, over the same operations as other surfaces.
import { VERSION } from '@cairn/protocol/version';
import {
  createMcpHandler,
  type McpRequestContext,
  type McpServer,
  type ProtocolEra,
  ProtocolError,
  Server,
} from '@modelcontextprotocol/server';
import {
  COMPLETION,
  methodOf,
  PAGE,
  PROMPT,
  RESOURCE,
  readMessage,
  refuseByAccept,
  refuseByVersion,
  toolErrorOf,
  WHOLE,
} from './message.ts';
import { complete, getPrompt, PROMPT_LIST } from './prompt.ts';
import { listResources, RESOURCE_TEMPLATES, readResource } from './resource.ts';
import { callTool, type McpCall } from './tool-call.ts';
import { SIGN_IN } from './tool-cookbook.ts';
import { TOOL_LIST } from './tool-list.ts';

const INSTRUCTIONS = `Cairn stores versioned, structured records in repositories. Call repo_list to find one, repo_describe to learn its shapes, thing_query to read, commit_submit to write. capabilities explains records, wrefs, pages and errors. Private repositories need a sign-in. ${SIGN_IN}`;

// Only tools, templates and prompts are the same for everyone; they change with the server's version.
const UNCHANGING = { ttlMs: 300_000, cacheScope: 'public' } as const;

export interface McpRequest extends Pick<Request, 'method' | 'url'> {
  readonly headers: Pick<Headers, 'get' | 'has'>;
}

export interface Mcp {
  serve(request: McpRequest, text: string, call: McpCall): Promise<Response>;
}

export interface McpOptions {
  readonly onError: (error: Error) => void;
  readonly serverFor?: (call: McpCall, era: ProtocolEra) => Server | McpServer;
}

export function createMcp({ onError, serverFor = cairnServer }: McpOptions): Mcp {
  const factory = ({ authInfo, era }: McpRequestContext) => serverFor(authInfo?.extra?.call as McpCall, era);
  const handler = createMcpHandler(factory, { onerror: onError, maxSubscriptions: 0 });
  return {
    serve: async (request, text, call) => {
      const refusal = refuseByAccept(request.headers.get('accept'));
      if (refusal !== undefined) return refusal;
      const read = readMessage(text);
      if ('refusal' in read) return read.refusal;
      const bad = refuseByVersion(request.headers.get('mcp-protocol-version'), read.message);
      if (bad !== undefined) return bad;
      // The SDK gets no token, because `call` already identifies the caller.
      call.method = methodOf(read.message);
      const authInfo = { token: '', clientId: '', scopes: [], extra: { call } };
      return await handler.fetch(request as Request, { authInfo, parsedBody: read.message });
    },
  };
}

function cairnServer(call: McpCall): Server {
  const info = { name: 'cairn', title: 'Cairn', version: VERSION };
  const server = new Server(info, {
    capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
    instructions: INSTRUCTIONS,
    cacheHints: {
      'tools/list': UNCHANGING,
      'prompts/list': UNCHANGING,
      'resources/templates/list': UNCHANGING,
      'server/discover': UNCHANGING,
    },
  });
  HANDLERS[call.method ?? '']?.(server, call);
  return server;
}

const HANDLERS: Readonly<Record<string, (server: Server, call: McpCall) => void>> = {
  'tools/list': (server) => server.setRequestHandler('tools/list', WHOLE, () => ({ tools: [...TOOL_LIST] })),
  'tools/call': (server, call) =>
    server.setRequestHandler('tools/call', ({ params }) =>
      faultless(call, () => callTool(call, params.name, params.arguments)),
    ),
  'resources/list': (server, call) =>
    server.setRequestHandler('resources/list', PAGE, ({ cursor }) =>
      faultless(call, () => listResources(call, cursor)),
    ),
  'resources/templates/list': (server) =>
    server.setRequestHandler('resources/templates/list', WHOLE, () => ({ resourceTemplates: [...RESOURCE_TEMPLATES] })),
  'resources/read': (server, call) =>
    server.setRequestHandler('resources/read', RESOURCE, ({ uri }) => faultless(call, () => readResource(call, uri))),
  'prompts/list': (server) => server.setRequestHandler('prompts/list', WHOLE, () => ({ prompts: [...PROMPT_LIST] })),
  'prompts/get': (server, call) =>
    server.setRequestHandler('prompts/get', PROMPT, ({ name, arguments: given }) =>
      faultless(call, () => getPrompt(call, name, given)),
    ),
  'completion/complete': (server, call) =>
    server.setRequestHandler('completion/complete', COMPLETION, (asked) =>
      faultless(call, () => complete(call, asked)),
    ),
};

/** HTTP answers errors that the protocol cannot express. The SDK would expose the message of any error. */
async function faultless<Result>(call: McpCall, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ProtocolError)) call.refused = toolErrorOf(error);
    throw error;
  }
}
