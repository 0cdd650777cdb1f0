// Duties of the MCP server: it reports its own faults only over HTTP, and stops work for a disconnected client.
import { setTimeout } from 'node:timers/promises';
import { CairnError } from '@cairn/protocol/errors';
import { describe, expect, it } from 'vitest';
import { headersOf, messageOf, PROTOCOLS } from '../../../../test/support/mcp.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, createTestApp, startTestServer } from '../../../../test/support/server.ts';
import { toolCaller } from '../../../../test/support/tool.ts';
import type { Context } from '../access/context.ts';
import { ANONYMOUS } from '../access/principal.ts';
import type { LoadMcp } from './mcp.route.ts';
import { createMcp } from './server.ts';
import type { McpCall } from './tool-call.ts';

const SECRET = 'the password of the database';

const BROKEN = {
  limits: {},
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

describe('a client that has gone', () => {
  it('has nothing more done for it', async () => {
    let asked = 0;
    const isAbandoned = () => ++asked > 2;
    const loadMcp: LoadMcp = async (options) => {
      const { serve } = createMcp({ ...options });
      return { serve: (request, text, call) => serve(request, text, { ...call, isAbandoned }) };
    };
    const { app, store } = await createTestApp('sqlite', {}, { loadMcp });
    const owner = caller(app, await createOwnerToken(store));
    const address = { orgName: 'ada', repoName: 'house' };
    (await owner('repo.create', { orgName: 'ada', name: 'house', visibility: 'public' })).data();
    for (const name of ['Room', 'Door', 'Window'])
      (await owner('shape.create', { ...address, name, fields: {} })).data();
    const operations = ['Room/a', 'Door/a', 'Window/a'].map((name) => ({ name, data: {} }));
    (await owner('commit.submit', { ...address, operations })).data();
    const { error } = await toolCaller(app)('repo_describe', address);
    expect(error).toMatchObject({ code: 'UNAVAILABLE', message: 'The client disconnected.' });
    expect(asked).toBe(3);
  });

  it('is noticed by the route', async () => {
    const noticed = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const serve = async (_request: Request, _text: string, { isAbandoned }: McpCall) => {
      begun.resolve();
      while (isAbandoned?.() === false) await setTimeout(5);
      noticed.resolve();
      return new Response('{}');
    };
    const { url } = await startTestServer('sqlite', {}, { loadMcp: async () => ({ serve }) });
    const leaving = new AbortController();
    const headers = headersOf('tools/list', {});
    const body = JSON.stringify(messageOf('tools/list', {}));
    const sent = fetch(`${url}/mcp`, { method: 'POST', headers, body, signal: leaving.signal }).catch(() => undefined);
    await begun.promise;
    leaving.abort();
    await Promise.all([sent, noticed.promise]);
  });
});
