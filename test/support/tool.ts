// Tools called over HTTP on an app without a port, each by one request of its own.
import type { ToolName } from '@cairn/protocol/tools';
import { type McpAnswer, type McpSent, mcpSender } from './mcp.ts';
import type { TestApp } from './server.ts';

export interface ToolAnswer extends Pick<McpAnswer, 'status' | 'headers' | 'body'> {
  /** What it answered, or fails the test with what it answered instead. */
  // biome-ignore lint/suspicious/noExplicitAny: what tools answer is as different as the procedures that they call.
  data(): any;
  /** Of a refusal, by the tool, by the protocol or by HTTP. */
  readonly error: { code: number | string; message: string; details?: unknown; hint?: string } | undefined;
  /** Whether it is the tool that refuses. */
  readonly isError: boolean;
}

export type CallTool = (name: ToolName | (string & {}), input?: unknown) => Promise<ToolAnswer>;

export function toolCaller(app: TestApp['app'], token?: string, sent: Omit<McpSent, 'token'> = {}): CallTool {
  const send = mcpSender(app, { token, ...sent });
  return async (name, input) =>
    toolAnswer(await send('tools/call', { name, ...(input !== undefined && { arguments: input }) }));
}

function toolAnswer({ status, headers, body, result, error }: McpAnswer): ToolAnswer {
  const isError = result?.isError === true;
  return {
    status,
    headers,
    body,
    isError,
    error: isError ? JSON.parse(result.content[0].text).error : error,
    data: () => {
      if (result === undefined || isError) throw new Error(`the tool refused: ${body}`);
      const [{ text }] = result.content;
      if (text !== JSON.stringify(result.structuredContent)) throw new Error(`text and structure differ: ${body}`);
      return result.structuredContent;
    },
  };
}
