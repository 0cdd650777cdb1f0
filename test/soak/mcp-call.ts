// Tool calls over MCP, as agents make them.
import { CairnError, type ErrorCode } from '@cairn/sdk';
import { cut, postJson } from './plain-http.ts';
import type { World } from './world.ts';

const HEADERS = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' };

interface ToolAnswer {
  readonly result?: {
    readonly isError?: boolean;
    readonly structuredContent?: unknown;
    readonly content: readonly { readonly text: string }[];
  };
}

export async function callTool<Answer>(
  world: Pick<World, 'url' | 'token'>,
  name: string,
  input: object,
): Promise<Answer> {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } };
  const { result } = (await postJson(world, '/mcp', { body, headers: HEADERS })) as ToolAnswer;
  if (result?.structuredContent !== undefined && result.isError !== true) return result.structuredContent as Answer;
  const text = result?.content[0]?.text;
  if (text === undefined) throw cut(`${name} answered without a result`);
  const { error } = JSON.parse(text) as { error: { code: ErrorCode; message: string } };
  throw new CairnError(error.code, { message: error.message });
}
