// What the conformance suite asks of a server that no product has: tools, resources and prompts of fixed names. It is
// served by the product's own route, edge and transport.
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
      // As the product's: nothing changes while the server runs, and the SDK would say that it does.
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

/** Of the older protocol: accepted, and of a resource that never changes nothing has to be told. */
function acceptSubscriptions({ server }: McpServer): void {
  server.setRequestHandler('resources/subscribe', () => ({}));
  server.setRequestHandler('resources/unsubscribe', () => ({}));
}
