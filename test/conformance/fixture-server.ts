// The server that the conformance suite expects, with tools, resources and prompts of fixed names. The product's own
// route, edge and transport serve it.
import { McpServer, type ProtocolEra } from '@modelcontextprotocol/server';
import type { LoadMcp } from '../../packages/server/src/mcp/mcp.route.ts';
import { createMcp } from '../../packages/server/src/mcp/server.ts';
import { registerQuestions, STATE } from './fixture-questions.ts';
import { registerReading } from './fixture-reading.ts';
import { registerFixtureTools } from './fixture-tools.ts';

export const loadFixtures: LoadMcp = async ({ onError }) =>
  createMcp({ onError, serverFor: (_call, era) => fixtureServer(era) });

function fixtureServer(era: ProtocolEra): McpServer {
  const server = new McpServer(
    { name: 'conformance', version: '1.0.0' },
    {
      // Same as the product: nothing changes while the server runs. The SDK would announce changes by default.
      capabilities: {
        tools: { listChanged: false },
        prompts: { listChanged: false },
        resources: { listChanged: false, subscribe: era === 'legacy' },
        completions: {},
        logging: {},
      },
      requestState: { verify: STATE.verify },
    },
  );
  registerFixtureTools(server);
  registerReading(server);
  if (era === 'legacy') acceptSubscriptions(server);
  else registerQuestions(server);
  return server;
}

/** Part of the older protocol. Subscriptions are accepted and never notified, because these resources never change. */
function acceptSubscriptions({ server }: McpServer): void {
  server.setRequestHandler('resources/subscribe', () => ({}));
  server.setRequestHandler('resources/unsubscribe', () => ({}));
}
