// POST /mcp at its edge: HTTP refusals, invalid messages, and messages that would hold up the server.
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { headersOf, type McpSent, mcpSender, messageOf, PROTOCOLS, postMcp } from '../../../../test/support/mcp.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, createTestApp, OWNER } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { createToken } from '../account/account.ts';
import type { Engine } from '../engine/database.ts';

const WORLD = { orgName: 'acme', repoName: 'world' };
const METADATA = 'http://localhost:8787/.well-known/oauth-protected-resource/mcp';
const WRITE = {
  name: 'commit_submit',
  arguments: { ...WORLD, operations: [{ operation: 'add', name: 'Place/cave', data: { label: 'deep' } }] },
};

async function openWorld(engine: Engine, environment: Record<string, string> = {}) {
  const { app, store } = await createTestApp(engine, environment);
  const token = await createOwnerToken(store);
  const call = caller(app, token);
  (await call('org.create', { name: 'acme' })).data();
  for (const [name, visibility] of [
    ['world', 'private'],
    ['open', 'public'],
  ] as const) {
    (await call('repo.create', { orgName: 'acme', name, visibility })).data();
    const shape = { orgName: 'acme', repoName: name, name: 'Place', fields: { label: 'string' } };
    (await call('shape.create', shape)).data();
  }
  const send = (sent: McpSent = {}) => mcpSender(app, sent);
  return { app, store, token, call, send };
}

describe.each(UPPER_ENGINES)('POST /mcp on %s', (engine) => {
  it.each(PROTOCOLS)(
    verifies(
      'serves tools with a credential and without, in %s',
      '4.4/mcp-mounted',
      '4.4/mcp-anonymous-tool',
      '4.4/mcp-guarded-anonymous',
      '4.4/mcp-guarded-token',
      '4.4/mcp-private-repo',
    ),
    async (protocol) => {
      const { send, token } = await openWorld(engine);
      const [anonymous, owner] = [send({ protocol }), send({ protocol, token })];
      expect((await anonymous('tools/list')).result.tools).not.toEqual([]);
      const query = (repoName: string) => ({ name: 'thing_query', arguments: { ...WORLD, repoName, kind: 'shape' } });
      const open = await anonymous('tools/call', query('open'));
      expect(open.result.structuredContent.items).toMatchObject([{ name: 'Place' }]);
      expect(JSON.parse(open.result.content[0].text)).toEqual(open.result.structuredContent);
      const hidden = await anonymous('tools/call', query('world'));
      const missing = await anonymous('tools/call', query('nowhere'));
      expect(hidden.result).toEqual({ ...missing.result, content: hidden.result.content });
      expect(hidden.result.isError).toBe(true);
      expect(hidden.body).not.toContain('Place');

      const refused = await anonymous('tools/call', WRITE);
      expect(refused.status).toBe(401);
      expect(refused.headers.get('www-authenticate')).toBe(
        `Bearer resource_metadata="${METADATA}", scope="openid offline_access cairn"`,
      );
      const written = await owner('tools/call', WRITE);
      expect(written.status).toBe(200);
      expect(written.result.structuredContent.repoSeq).toBe(2);
      const bad = await send({ protocol, token: `${token}x` })('tools/list');
      expect(bad.status).toBe(401);
      expect(bad.headers.get('www-authenticate')).toContain('error="invalid_token"');
    },
  );

  it.each(PROTOCOLS)('names what a token is short of, in %s', async (protocol) => {
    const { send, store } = await openWorld(engine);
    const scopes = [{ permissions: ['repo:read' as const] }];
    const { token } = await createToken(store, { email: OWNER.email, name: 'reads', scopes });
    const answer = await send({ protocol, token })('tools/call', WRITE);
    expect(answer.status).toBe(403);
    expect(answer.headers.get('www-authenticate')).toBe(
      `Bearer resource_metadata="${METADATA}", error="insufficient_scope", scope="repo:write"`,
    );
    expect(answer.error).toMatchObject({ code: 'FORBIDDEN' });
  });
});

describe('a message that is none', () => {
  it('is refused in the terms of the protocol', async () => {
    const { app, token } = await openWorld('sqlite');
    const list = messageOf('tools/list', {});
    const deep = `${'['.repeat(500)}${']'.repeat(500)}`;
    const twice = '{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/list"}';
    const table: [string, unknown, number, number][] = [
      ['no JSON', '{', 400, -32_700],
      ['nothing', '', 400, -32_700],
      ['without end', deep, 400, -32_700],
      ['a key twice', twice, 400, -32_700],
      ['a number that would be rounded', '{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}', 400, -32_700],
      ['a batch', [list, list], 400, -32_600],
      ['an empty batch', [], 400, -32_600],
      ['a batch of one', [messageOf('tools/call', WRITE)], 400, -32_600],
      ['a text', '"tools/list"', 400, -32_600],
      ['null', 'null', 400, -32_600],
      ['another version of JSON-RPC', { ...list, jsonrpc: '1.0' }, 400, -32_600],
      ['a method that is no text', { ...list, method: 7 }, 400, -32_600],
      ['an unknown method', messageOf('no/such', {}), 404, -32_601],
    ];
    for (const [what, message, status, code] of table) {
      const method = what === 'an unknown method' ? 'no/such' : 'tools/list';
      const answer = await postMcp(app, message, headersOf(method, {}, { token }));
      expect({ what, status: answer.status, code: answer.error?.code }).toEqual({ what, status, code });
    }
  });

  it('is refused by its headers', async () => {
    const { app, send } = await openWorld('sqlite');
    for (const protocol of PROTOCOLS) {
      // The protocol requires both, whatever else a client accepts.
      for (const accept of [
        '',
        '*/*',
        'application/json',
        'text/event-stream',
        'text/html',
        'application/jsonx, text/event-stream',
      ]) {
        const { status, error } = await send({ protocol, headers: { accept } })('tools/list');
        expect([protocol, accept, status, error?.code]).toEqual([protocol, accept, 406, -32_000]);
      }
      for (const accept of [
        'text/event-stream,application/json;q=0.9',
        'application/json, text/event-stream, */*;q=0.1',
      ])
        expect((await send({ protocol, headers: { accept } })('tools/list')).status).toBe(200);
    }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', ''])
      expect((await send({ headers: { 'content-type': type } })('tools/list')).status).toBe(415);
    const charset = { 'content-type': 'application/json; charset=utf-8' };
    expect((await send({ headers: charset })('tools/list')).status).toBe(200);
    for (const [header, value] of [
      ['mcp-protocol-version', '2025-11-25'],
      ['mcp-protocol-version', ''],
      ['mcp-method', 'tools/call'],
      ['mcp-method', ''],
    ] as const) {
      const answer = await send({ headers: { [header]: value } })('tools/list');
      expect([header, value, answer.status, answer.error?.code]).toEqual([header, value, 400, -32_020]);
    }
    const named = { headers: { 'mcp-name': 'repo_list' } };
    expect((await send(named)('tools/call', WRITE)).error?.code).toBe(-32_020);
    const unknown = await send({ protocol: '2025-11-25', headers: { 'mcp-protocol-version': '1999-01-01' } })(
      'tools/list',
    );
    expect(unknown.status).toBe(400);
    expect(unknown.error?.message).toMatch(/^Unsupported protocol version: 1999-01-01 .*2026-07-28, 2025-11-25,/);
    const future = JSON.stringify(messageOf('tools/list', {})).replaceAll('2026-07-28', '2999-01-01');
    const asked = await postMcp(
      app,
      future,
      headersOf('tools/list', {}, { headers: { 'mcp-protocol-version': '2999-01-01' } }),
    );
    expect([asked.status, asked.error?.data]).toEqual([400, { requested: '2999-01-01', supported: ['2026-07-28'] }]);
  });

  it('takes little without a credential, and answers in pages of its own size', async () => {
    const { app, send, token } = await openWorld('sqlite', { CAIRN_LIMIT_TOOL_ANSWER_BYTES: '1000' });
    const noise = { name: 'repo_list', arguments: { noise: 'x'.repeat(300_000) } };
    expect((await send()('tools/call', noise)).status).toBe(413);
    expect((await send({ token })('tools/call', noise)).status).toBe(200);
    const operations = Array.from({ length: 5 }, (_, n) => ({ name: `Place/p${n}`, data: { label: 'x'.repeat(400) } }));
    const call = caller(app, token);
    (await call('commit.submit', { ...WORLD, operations })).data();
    const query = { ...WORLD, shape: 'Place' };
    expect((await call('thing.query', query)).data()).toMatchObject({ items: { length: 5 } });
    const { result } = await send({ token })('tools/call', { name: 'thing_query', arguments: query });
    expect(result.structuredContent.items.length).toBeLessThan(5);
    expect(result.structuredContent.nextCursor).toEqual(expect.any(String));
  });

  it('is refused when it is too large, and when a tool or its arguments are unknown', async () => {
    const { send } = await openWorld('sqlite', { CAIRN_LIMIT_JSON_BODY_BYTES: '10000' });
    for (const protocol of PROTOCOLS) {
      const large = { name: 'thing_query', arguments: { ...WORLD, q: 'x'.repeat(10_000) } };
      expect((await send({ protocol })('tools/call', large)).status).toBe(413);
      const unknown = await send({ protocol })('tools/call', { name: '__proto__', arguments: {} });
      expect(unknown.error?.code).toBe(-32_602);
      const odd = await send({ protocol })('tools/call', { name: 'thing_query', arguments: { repo: 1 } });
      expect(odd.result.isError).toBe(true);
      expect(odd.body).toContain('VALIDATION_ERROR');
    }
  });
});

describe('another method than POST', () => {
  it('is refused, with where to sign in; a page may ask what it may send', async () => {
    const { app } = await createTestApp('sqlite');
    for (const method of ['GET', 'HEAD', 'DELETE', 'PUT', 'PATCH']) {
      const { status, headers } = await app.request('/mcp', { method, headers: { accept: 'text/event-stream' } });
      expect([method, status, headers.get('allow')]).toEqual([method, 405, 'POST']);
      expect(headers.get('www-authenticate')).toContain(`resource_metadata="${METADATA}"`);
    }
    const asked = { origin: 'https://app.example', 'access-control-request-method': 'POST' };
    const preflight = await app.request('/mcp', { method: 'OPTIONS', headers: asked });
    const allowed = preflight.headers.get('access-control-allow-headers')?.split(', ');
    expect(allowed).toEqual(expect.arrayContaining(Object.keys(headersOf('tools/call', WRITE)).slice(2)));
  });
});

describe('who could hold the server up', () => {
  it('cannot listen for what never comes', async () => {
    const { send } = await openWorld('sqlite');
    for (const protocol of PROTOCOLS) {
      const answer = await send({ protocol })('subscriptions/listen', { notifications: { toolsListChanged: true } });
      expect([answer.status, answer.error?.code]).toEqual([404, -32_601]);
    }
    const { result } = await send()('server/discover');
    expect(result.capabilities).toEqual({ tools: {}, resources: {}, prompts: {}, completions: {} });
  });

  it('can be no page of somewhere else, when the server is for this machine', async () => {
    const open = async (environment: Record<string, string> = {}) => {
      const { app } = await createTestApp('sqlite', environment);
      return async (origin: string) => (await mcpSender(app, { headers: { origin } })('tools/list')).status;
    };
    const here = await open();
    for (const origin of [
      'http://evil.example',
      'https://localhost.evil.example',
      'null',
      'file://',
      'http://127.0.0.2',
    ])
      expect([origin, await here(origin)]).toEqual([origin, 403]);
    for (const origin of ['http://localhost:6274', 'http://127.0.0.1:1', 'http://[::1]:1'])
      expect([origin, await here(origin)]).toEqual([origin, 200]);
    const listed = await open({ CAIRN_CORS_ORIGINS: 'https://app.example' });
    expect(await listed('https://app.example')).toBe(200);
    const everywhere = await open({ CAIRN_PUBLIC_URL: 'https://cairn.example' });
    expect(await everywhere('https://app.example')).toBe(200);
  });
});
