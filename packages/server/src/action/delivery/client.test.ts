import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RECEIVER_CERTIFICATE, RECEIVER_KEY, RECEIVER_NAME } from '../../../../../test/support/receiver-certificate.ts';
import { createOutbound, type OutboundOptions, type OutboundRequest } from './client.ts';

async function listening(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((done) => server.close(done));
  });
  return (server.address() as AddressInfo).port;
}

interface Asked extends Partial<OutboundOptions> {
  readonly request?: Partial<OutboundRequest>;
}

async function ask(receiver: Server, { request, ...options }: Asked = {}) {
  const port = await listening(receiver);
  const outbound = createOutbound({ allow: [`127.0.0.1:${port}`], ...options });
  return await outbound.send({
    method: 'POST',
    url: `http://127.0.0.1:${port}/secret-path?key=secret`,
    headers: {},
    body: '{}',
    ...request,
  });
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const answering = (answer: RequestListener) => createServer(answer);

describe('an answer', () => {
  it('comes with its status, headers and body', async () => {
    const seen: unknown[] = [];
    const receiver = answering(async (request, response) => {
      seen.push([request.method, request.url, request.headers['x-cairn'], await textOf(request)]);
      response.writeHead(418, { 'Retry-After': '7', 'set-cookie': ['a=1', 'b=2'] }).end('grüße');
    });
    const answer = await ask(receiver, { request: { headers: { 'x-cairn': 'yes' }, body: '{"ü":1}' } });
    expect(answer).toMatchObject({ kind: 'answer', status: 418, body: 'grüße' });
    expect(answer).toMatchObject({ headers: { 'retry-after': '7', 'set-cookie': 'a=1, b=2' } });
    expect(seen).toEqual([['POST', '/secret-path?key=secret', 'yes', '{"ü":1}']]);
  });

  it('is cut at 64 KiB, and its rest is not read: of a gigabyte little is sent', async () => {
    let sentBytes = 0;
    const chunk = Buffer.alloc(65_536, 'é');
    const receiver = answering((_request, response) => {
      const pour = () => {
        while (sentBytes < 2 ** 30 && !response.destroyed) {
          sentBytes += chunk.length;
          if (!response.write(chunk)) return response.once('drain', pour);
        }
        return response.end();
      };
      pour();
    });
    const answer = await ask(receiver);
    expect(answer).toMatchObject({ kind: 'answer', status: 200, body: 'é'.repeat(32_768) });
    expect(sentBytes).toBeLessThan(2 ** 26);
  });

  it('holds no half character and no zero byte', async () => {
    const receiver = answering((_request, response) => response.end(Buffer.from(`${'a\0b'.padEnd(65_534, ' ')}€`)));
    const answer = await ask(receiver);
    expect(answer).toMatchObject({ body: 'a\u{fffd}b'.padEnd(65_534, ' ') });
  });

  it('that redirects is not followed', async () => {
    let asked = 0;
    const receiver = answering((_request, response) => {
      asked += 1;
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    expect(await ask(receiver)).toMatchObject({ kind: 'answer', status: 307 });
    expect(asked).toBe(1);
  });
});

describe('no answer', () => {
  const hanging = () => answering(() => undefined);
  const dripping = () =>
    answering((_request, response) => {
      const timer = setInterval(() => response.write('.'), 5);
      response.once('close', () => clearInterval(timer));
    });
  const breakingOff = (before: (response: ServerResponse) => void) =>
    answering((_request, response) => {
      before(response);
      setImmediate(() => response.destroy());
    });

  it.each([
    ['TIMEOUT', 'a receiver that never answers', hanging],
    ['TIMEOUT', 'an answer that drips', dripping],
    ['NETWORK_ERROR', 'a connection that is dropped', () => breakingOff(() => undefined)],
    [
      'NETWORK_ERROR',
      'an answer that breaks off',
      () => breakingOff((response) => response.writeHead(200, { 'content-length': 100 }).write('part')),
    ],
    [
      'NETWORK_ERROR',
      'headers without end',
      () => answering((_request, response) => response.writeHead(200, { 'x-long': 'a'.repeat(20_000) }).end()),
    ],
    ['NETWORK_ERROR', 'what is no HTTP', () => createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n\r\n'))],
  ] as const)('is %s: %s', async (code, _title, receiver) => {
    const failure = await ask(receiver(), { totalMs: 300 });
    expect(failure).toMatchObject({ kind: 'failure', code });
    expect(JSON.stringify(failure)).not.toContain('secret');
  });

  it('is CONNECT_TIMEOUT where TLS is not answered', async () => {
    const port = await listening(createTcpServer(() => undefined));
    const outbound = createOutbound({ allow: [`127.0.0.1:${port}`], connectMs: 100 });
    const failure = await outbound.send({ method: 'GET', url: `https://127.0.0.1:${port}/`, headers: {} });
    expect(failure).toMatchObject({ kind: 'failure', code: 'CONNECT_TIMEOUT' });
  });

  it('is CONNECT_TIMEOUT where the name is not looked up in time', async () => {
    const outbound = createOutbound({ allow: [], connectMs: 50, resolve: () => new Promise(() => undefined) });
    const failure = await outbound.send({ method: 'GET', url: 'https://hooks.example.com/secret', headers: {} });
    expect(failure).toMatchObject({ kind: 'failure', code: 'CONNECT_TIMEOUT' });
  });

  it('is DNS_ERROR where the name is not known; saving it is allowed', async () => {
    for (const resolve of [async () => [], () => Promise.reject(new Error('no name server'))]) {
      const outbound = createOutbound({ allow: [], resolve });
      const url = 'https://hooks.example.com/secret';
      const failure = await outbound.send({ method: 'GET', url, headers: {} });
      expect(failure).toMatchObject({ kind: 'failure', code: 'DNS_ERROR' });
      await outbound.check(url, 'webhookUrl');
    }
  });

  it('is NETWORK_ERROR where nobody listens', async () => {
    const server = createTcpServer();
    const port = await listening(server);
    await new Promise((done) => server.close(done));
    const outbound = createOutbound({ allow: [`localhost:${port}`] });
    const failure = await outbound.send({ method: 'GET', url: `http://localhost:${port}/`, headers: {} });
    expect(failure).toMatchObject({ kind: 'failure', code: 'NETWORK_ERROR' });
  });

  it('is NETWORK_ERROR where a header cannot be sent', async () => {
    const failure = await ask(hanging(), { request: { headers: { 'x-a': 'secret\n' } } });
    expect(failure).toMatchObject({ kind: 'failure', code: 'NETWORK_ERROR' });
    expect(JSON.stringify(failure)).not.toContain('secret');
  });

  it('throws only when it is aborted', async () => {
    const stop = new AbortController();
    const receiver = answering(() => stop.abort(new Error('stopped')));
    await expect(ask(receiver, { request: { signal: stop.signal } })).rejects.toThrow('stopped');
    await expect(ask(hanging(), { request: { signal: stop.signal } })).rejects.toThrow('stopped');
  });
});

describe('a connection', () => {
  function tlsReceiver(names: (string | undefined)[]) {
    return createTlsServer({ key: RECEIVER_KEY, cert: RECEIVER_CERTIFICATE }, (request, response) => {
      names.push((request.socket as { servername?: string }).servername, request.headers.host);
      response.end('ok');
    });
  }

  it('goes to the address that was looked up, once, and keeps the name in TLS and Host', async () => {
    const names: (string | undefined)[] = [];
    const port = await listening(tlsReceiver(names));
    const lookedUp: string[] = [];
    const resolve = async (name: string) => {
      lookedUp.push(name);
      return lookedUp.length === 1 ? ['127.0.0.1'] : ['127.0.0.2'];
    };
    const outbound = createOutbound({ allow: [`${RECEIVER_NAME}:${port}`], resolve, ca: RECEIVER_CERTIFICATE });
    const answer = await outbound.send({ method: 'GET', url: `https://${RECEIVER_NAME}:${port}/`, headers: {} });
    expect(answer).toMatchObject({ kind: 'answer', status: 200, body: 'ok' });
    expect(lookedUp).toEqual([RECEIVER_NAME]);
    expect(names).toEqual([RECEIVER_NAME, `${RECEIVER_NAME}:${port}`]);
  });

  it.each([
    ['a certificate that nobody vouches for', RECEIVER_NAME, undefined],
    ['a certificate for another name', 'other.example.com', RECEIVER_CERTIFICATE],
  ])('is refused over %s', async (_title, name, ca) => {
    const names: string[] = [];
    const port = await listening(tlsReceiver(names));
    const outbound = createOutbound({ allow: [`${name}:${port}`], resolve: async () => ['127.0.0.1'], ca });
    const failure = await outbound.send({ method: 'GET', url: `https://${name}:${port}/`, headers: {} });
    expect(failure).toMatchObject({ kind: 'failure', code: 'TLS_ERROR' });
    expect(names).toEqual([]);
  });
});
