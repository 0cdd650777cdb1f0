import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cairn, openRepository } from '../../../../test/support/cli.ts';
import { openSignedIn } from '../../../../test/support/cli-login.ts';
import { cairnFile, startCairn } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

const ERAS = [
  ['2025-11-25', { mode: 'legacy' }],
  ['2026-07-28', { mode: { pin: '2026-07-28' } }],
] as const;

async function connect(environment: Record<string, string>, negotiation: (typeof ERAS)[number][1]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: negotiation });
  const args = [cairnFile(), 'mcp'];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, env: environment, stderr: 'ignore' }),
  );
  onTestFinished(() => client.close());
  return client;
}

const QUERY = { name: 'thing_query', arguments: { orgName: 'ada', repoName: 'world', shape: 'Room' } };

describe.each(UPPER_ENGINES)('cairn mcp on %s', (engine) => {
  it.each(ERAS)('carries what a client of protocol %s says', async (version, negotiation) => {
    const { environment, client: sdk } = await openRepository(engine);
    await sdk.shape.create('ada', 'world', 'Room', { fields: { label: 'string' } });
    const operations = [{ operation: 'add', name: 'Room/a', data: { label: 'line\u2028line\nline' } }] as const;
    await sdk.commit.submit('ada', 'world', { operations: [...operations] });
    const client = await connect(environment, negotiation);
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('thing_query');
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.callTool(QUERY)));
    for (const { structuredContent } of answers) {
      expect(structuredContent).toMatchObject({ items: [{ name: 'Room/a', data: { label: 'line\u2028line\nline' } }] });
    }
    await expect(client.callTool({ name: 'no_such_tool' })).rejects.toThrow('no_such_tool');
  });
});

describe('cairn mcp', () => {
  it('refreshes the session of its profile', async () => {
    const { environment, run, signIn, profile, url } = await openSignedIn('sqlite');
    await signIn();
    await run('repo', 'create', 'ada/world');
    const before = profile((found) => ({
      ...found,
      ...(found.session && { session: { ...found.session, accessToken: 'over', expiresAt: 0 } }),
    }));
    const { code, stdout, stderr } = await cairn(['mcp'], environment, line(toolCall(1, { kind: 'thing' })));
    expect([code, stderr, url]).toEqual([0, '', before.url]);
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: { structuredContent: { repoSeq: 0 } } });
    expect(profile().session?.refreshToken).not.toBe(before.session?.refreshToken);
  });

  it('says what to do about a token that is refused, and that nobody is signed in', async () => {
    const { environment, client } = await openRepository('sqlite');
    const bad = await cairn(['mcp'], { ...environment, CAIRN_TOKEN: 'cairn_pat_wrong' }, line(toolCall('a', {})));
    const { id, error } = JSON.parse(bad.stdout);
    expect([bad.code, id, error.data.code]).toEqual([0, 'a', 'UNAUTHENTICATED']);
    expect(error.message).toContain('CAIRN_TOKEN');
    expect(bad.stderr).toContain('CAIRN_TOKEN');
    const anonymous = await cairn(['mcp'], { CAIRN_URL: environment.CAIRN_URL }, line(toolCall(2, {})));
    expect(anonymous.stderr).toContain('cairn auth login');
    expect(JSON.parse(anonymous.stdout)).toMatchObject({ id: 2, result: { isError: true } });
    const params = { name: 'repo_create', arguments: { orgName: 'ada', name: 'other' } };
    const create = line({ ...toolCall(3, {}), params });
    const refused = await cairn(['mcp', '--quiet'], { CAIRN_URL: environment.CAIRN_URL }, create);
    expect(messages(refused.stdout)).toMatchObject([
      { id: 3, error: { message: expect.stringContaining('cairn auth login'), data: { code: 'UNAUTHENTICATED' } } },
    ]);
    const { token } = await client.token.create('reader', { scopes: [{ permissions: ['repo:read'] }] });
    const narrow = await cairn(['mcp', '--quiet'], { ...environment, CAIRN_TOKEN: token }, create);
    expect(messages(narrow.stdout)).toMatchObject([{ id: 3, error: { data: { code: 'FORBIDDEN' } } }]);
    const quiet = await cairn(['mcp', '--quiet'], { CAIRN_URL: environment.CAIRN_URL }, '\n\r\n');
    expect(quiet).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('answers what is no message, and what nobody can answer', async () => {
    const { environment } = await openRepository('sqlite');
    const { stdout } = await cairn(['mcp'], environment, `no JSON\n${line(NOTIFICATION)}{"jsonrpc":"2.0","id":7}`);
    const [noJson, ...rest] = messages(stdout);
    expect(noJson).toMatchObject({ id: null, error: { code: -32700 } });
    // A notification expects no answer, but the server reports the error anyway.
    expect(rest).toMatchObject([{ error: { code: -32600 } }]);
    const away = await cairn(['mcp'], { CAIRN_URL: 'http://127.0.0.1:1' }, line(toolCall(1, {}), toolCall(2, {})));
    expect(away.code).toBe(0);
    expect(messages(away.stdout)).toMatchObject([
      { id: 1, error: { data: { code: 'NETWORK_ERROR' } } },
      { id: 2, error: { message: expect.stringContaining('Is it') } },
    ]);
  });

  it('carries every message of an answer, each in one line', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': alive\n\ndata: {"jsonrpc":"2.0",\ndata: "method":"notifications/progress"}\n\n');
      response.end('data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n');
    });
    const { stdout } = await cairn(['mcp'], { CAIRN_URL: url }, line(toolCall(1, {})));
    expect(messages(stdout)).toMatchObject([{ method: 'notifications/progress' }, { id: 1, result: {} }]);
  });

  it.each<[string, number, string, object]>([
    ['a stream that ends too early', 200, 'text/event-stream', { data: { code: 'NETWORK_ERROR' } }],
    ['a page of something else', 502, 'text/html', { data: { code: 'NETWORK_ERROR' } }],
    ['a page where the server should be', 200, 'text/html', { data: { code: 'NETWORK_ERROR' } }],
  ])('answers for %s', async (_, status, type, error) => {
    const { url } = await serve((__, response) => {
      response.writeHead(status, { 'content-type': type }).end('<p>');
    });
    const { stdout, code } = await cairn(['mcp', '--quiet'], { CAIRN_URL: url }, line(toolCall(1, {})));
    expect([code, messages(stdout)]).toMatchObject([0, [{ id: 1, error }]]);
  });

  it('gives a refusal that names nobody to who has asked', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end('{"jsonrpc":"2.0",\n"id":null,"error":{"code":-32020,"message":"no"}}');
    });
    const both = line([toolCall(1, {}), toolCall(2, {})]);
    const { stdout } = await cairn(['mcp', '--quiet'], { CAIRN_URL: url }, both);
    expect(messages(stdout)).toMatchObject([1, 2].map((id) => ({ id, error: { code: -32020 } })));
  });

  it('hangs up on what is cancelled, and on streams when its input ends', async () => {
    const { url } = await serve((body, response) => {
      if (body.includes('notifications/')) response.writeHead(202).end();
      else response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    });
    const listen = { ...toolCall(5, {}), method: 'subscriptions/listen' };
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'x' } };
    const ran = await cairn(['mcp', '--quiet'], { CAIRN_URL: url }, line(toolCall('x', {}), listen, cancelled));
    expect(ran).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('ends when nobody reads its answers', async () => {
    const { environment } = await openRepository('sqlite');
    const started = startCairn(['mcp'], environment);
    started.child.stdout?.destroy();
    started.child.stdin?.write(line(toolCall(1, {}), toolCall(2, {})));
    expect([await started.ended(), started.output()]).toEqual([{ code: 0, signal: null }, '']);
  });

  it('says in headers what the protocol wants to be there', async () => {
    const { url, heard } = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}}');
    });
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    const read = (uri: string) => ({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri, _meta } });
    for (const uri of ['cairn://a/b', 'cairn://a/é', ' x', '=?base64?eA==?=']) {
      await cairn(['mcp', '--quiet'], { CAIRN_URL: url }, line(read(uri)));
    }
    const encoded = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`;
    expect(heard.map((headers) => headers['mcp-name'])).toEqual([
      'cairn://a/b',
      ...['cairn://a/é', ' x', '=?base64?eA==?='].map(encoded),
    ]);
    expect(heard[0]).toMatchObject({ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'resources/read' });
    expect(heard[0]).not.toHaveProperty('authorization');
  });
});

const NOTIFICATION = { jsonrpc: '2.0', method: 'notifications/initialized' };

function toolCall(id: string | number, filter: object) {
  const params = { name: 'thing_query', arguments: { orgName: 'ada', repoName: 'world', ...filter } };
  return { jsonrpc: '2.0', id, method: 'tools/call', params };
}

const line = (...sent: object[]) => sent.map((message) => `${JSON.stringify(message)}\n`).join('');

interface Answer {
  readonly id: number;
}

/** Sorted by id, because answers arrive in any order. */
function messages(stdout: string): Answer[] {
  const answers = stdout.split('\n').filter((answer) => answer !== '');
  return answers.map((answer) => JSON.parse(answer) as Answer).sort((a, b) => (a.id ?? 0) - (b.id ?? 0));
}

async function serve(answer: (body: string, response: ServerResponse) => void) {
  const heard: IncomingMessage['headers'][] = [];
  const server = createServer((request, response) => {
    heard.push(request.headers);
    text(request).then((body) => answer(body, response));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard };
}
