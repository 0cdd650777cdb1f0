// The tools that scenarios call by name, as each scenario describes them.
import { setTimeout as pause } from 'node:timers/promises';
import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { AUDIO, IMAGE, text } from './fixture-content.ts';

type Fixture = (context: ServerContext) => CallToolResult | Promise<CallToolResult>;

const PAUSE_MS = 50;

export const FIXTURE_TOOLS: Readonly<Record<string, Fixture>> = {
  test_simple_text: () => ({ content: [text('This is a simple text response for testing.')] }),
  test_image_content: () => ({ content: [IMAGE] }),
  test_audio_content: () => ({ content: [AUDIO] }),
  test_embedded_resource: () => ({
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  }),
  test_multiple_content_types: () => ({
    content: [
      text('Multiple content types test:'),
      IMAGE,
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: '{"test":"data","value":123}',
        },
      },
    ],
  }),
  test_error_handling: () => ({
    isError: true,
    content: [text('This tool intentionally returns an error for testing')],
  }),
  test_tool_with_progress: async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
      await pause(PAUSE_MS);
    }
    return { content: [text('Done, step by step.')] };
  },
  test_tool_with_logging: async ({ mcpReq }) => {
    for (const said of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.log('info', said);
      await pause(PAUSE_MS);
    }
    return { content: [text('Done, and told of it.')] };
  },
  test_logging_tool: async ({ mcpReq }) => {
    await mcpReq.log('info', 'Only for who asked for it.');
    return { content: [text('Done.')] };
  },
};

export function registerFixtureTools(server: McpServer): void {
  for (const [name, run] of Object.entries(FIXTURE_TOOLS)) {
    server.registerTool(
      name,
      { description: `For the scenario of ${name}.`, inputSchema: z.object({}) },
      (_, context) => run(context),
    );
  }
}
