// The tools of a Cairn server, as an agent calls them: names and arguments in, text and fields out.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** The refusal of a tool. A model reads its text. */
export class ToolError extends Error {}

export interface Tools {
  readonly names: readonly string[];
  /** Calls a tool. A refusal is thrown, with the text that a model would see. */
  call<Result>(name: string, args: Record<string, unknown>): Promise<Result>;
  close(): Promise<void>;
}

export async function connectTools(url: string, token: string | undefined): Promise<Tools> {
  const client = new Client({ name: 'mcp-agent', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  const options = { authProvider: { token: async () => token } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), options));
  const { tools } = await client.listTools();
  return {
    names: tools.map(({ name }) => name),
    call: async <Result>(name: string, args: Record<string, unknown>) => {
      const { isError, content, structuredContent } = await client.callTool({ name, arguments: args });
      if (isError) throw new ToolError(content.map((part) => (part.type === 'text' ? part.text : '')).join('\n'));
      return structuredContent as Result;
    },
    close: () => client.close(),
  };
}
