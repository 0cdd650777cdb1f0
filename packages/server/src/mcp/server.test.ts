// What the MCP server itself sees to: faults of ours are told by HTTP alone.
import { CairnError } from '@cairn/protocol/errors';
import { describe, expect, it } from 'vitest';
import { headersOf, messageOf, PROTOCOLS } from '../../../../test/support/mcp.ts';
import { ANONYMOUS } from '../auth/principal.ts';
import type { Context } from '../operations/context.ts';
import { createMcp, type McpCall } from './server.ts';

const SECRET = 'the password of the database';

/** As when something in the server is broken. */
const BROKEN = {
  principal: ANONYMOUS,
  get store(): never {
    throw new Error(SECRET);
  },
} as unknown as Context;

const CALLS: [string, Record<string, unknown>][] = [
  ['tools/call', { name: 'repo_list', arguments: {} }],
  ['resources/list', {}],
  ['resources/read', { uri: 'cairn://acme/open/llms' }],
  ['prompts/get', { name: 'how_to_write', arguments: { orgName: 'acme', repoName: 'open' } }],
  [
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'how_to_write' }, argument: { name: 'orgName', value: '' } },
  ],
];

describe.each(PROTOCOLS)('a fault of ours, in %s', (protocol) => {
  it.each(CALLS)('is left to HTTP when %s meets it', async (method, params) => {
    const mcp = createMcp({ onError: () => {} });
    const call: McpCall = { context: BROKEN };
    const headers = headersOf(method, params, { protocol });
    const request = new Request('http://localhost/mcp', { method: 'POST', headers });
    const answer = await mcp.serve(request, JSON.stringify(messageOf(method, params, { protocol })), call);
    await answer.text();
    expect(call.refused).toBeInstanceOf(CairnError);
    expect(call.refused).toMatchObject({ code: 'INTERNAL_ERROR', cause: { message: SECRET } });
    expect(JSON.stringify(call.refused?.fields)).not.toContain(SECRET);
  });
});
