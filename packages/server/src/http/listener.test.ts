// Time limits for arriving requests, and the handling of requests that are not read to their end.
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createOwnerToken, startTestServer } from '../../../../test/support/server.ts';
import { closeServer, createHttpServer, holdRequests, listen } from './listener.ts';

const RULES = { headersMs: 60_000, addressConnections: 0, counted: () => undefined };

interface Conversation {
  readonly socket: Socket;
  said(): string;
  readonly closed: Promise<void>;
}

function converse(url: string, bytes: string): Conversation {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.write(bytes);
  onTestFinished(() => void socket.destroy());
  return { socket, said: () => text, closed };
}

function drip({ socket }: Conversation, piece: string): void {
  const timer = setInterval(() => socket.write(piece), 20);
  socket.once('close', () => clearInterval(timer));
}

describe('the sockets of a server', () => {
  it.each(['', 'GET / HTTP/1.1\r\nhost: x\r\n', 'GET /health/live HTTP/1.1\r\nhost: x\r\n\r\nGET /'])(
    'end a connection without whole headers: %j',
    async (bytes) => {
      const { url } = await startTestServer('sqlite', { CAIRN_LIMIT_HEADERS_MS: '300' });
      const asked = converse(url, bytes);
      if (bytes !== '') drip(asked, 'x');
      await asked.closed;
      expect(asked.said()).toMatch(/HTTP\/1.1 408 Request Timeout\r\n/);
    },
  );

  it('give the time to headers alone: an answer may take longer', async () => {
    const { url } = await startTestServer('sqlite', { CAIRN_LIMIT_HEADERS_MS: '100' });
    const head = 'POST /trpc/auth.whoami HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
    const asked = converse(url, `${head}content-length: 2\r\n\r\n{`);
    await setTimeout(400);
    expect(asked.said()).toBe('');
    asked.socket.write('}');
    await expect.poll(asked.said).toMatch(/^HTTP\/1.1 200 /);
  });

  it('take so many connections from one address, and more when some are over', async () => {
    const { url } = await startTestServer('sqlite', { CAIRN_LIMIT_ADDRESS_CONNECTIONS: '3' });
    const ask = () => converse(url, 'GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n');
    const asked = [ask(), ask(), ask()];
    for (const { said } of asked) await expect.poll(said).toContain('200 OK');
    const refused = ask();
    await refused.closed;
    expect(refused.said()).toBe('');
    asked[0]?.socket.destroy();
    await expect
      .poll(async () => {
        const again = ask();
        await Promise.race([again.closed, expect.poll(again.said).toContain('200 OK')]);
        return again.said();
      })
      .toContain('200 OK');
  });

  it('take any number from a proxy that is trusted', async () => {
    const settings = { CAIRN_LIMIT_ADDRESS_CONNECTIONS: '1', CAIRN_TRUSTED_PROXIES: 'loopback' };
    const { url } = await startTestServer('sqlite', settings);
    const asked = [1, 2, 3].map(() => converse(url, 'GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n'));
    for (const { said } of asked) await expect.poll(said).toContain('200 OK');
  });

  it('answer what came before the app was made', async () => {
    const server = createHttpServer(pino({ level: 'silent' }), RULES);
    const serve = holdRequests(server);
    const port = await listen(server, { port: 0, host: '127.0.0.1' });
    onTestFinished(() => closeServer(server));
    const arrived = new Promise((resolve) => server.once('request', resolve));
    const early = fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: 'early' });
    await arrived;
    serve(async (incoming, outgoing) => {
      for await (const bytes of incoming) outgoing.write(bytes);
      outgoing.end();
    });
    expect(await (await early).text()).toBe('early');
    const late = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: 'late' });
    expect(await late.text()).toBe('late');
  });

  it.each([
    ['POST /no/such/path', 404],
    ['GET /health/live', 200],
    ['HEAD /health/live', 200],
    ['POST /trpc/auth.whoami', 415],
    ['POST /api/repos/a/b/streams/s/submissions', 404],
    ['POST http://[/', 400],
  ])('answer %s though its body never ends, and close', async (line, status) => {
    const { url } = await startTestServer('sqlite');
    const asked = converse(url, `${line} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n`);
    drip(asked, '3\r\n{}\n\r\n');
    await asked.closed;
    expect(asked.said()).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(asked.said().match(/HTTP\/1.1/g)).toHaveLength(1);
  });

  it('end a body that comes too slowly, with an answer', async () => {
    const { url, store } = await startTestServer('sqlite', { CAIRN_LIMIT_BODY_MS: '200' });
    const token = await createOwnerToken(store);
    const head = `authorization: Bearer ${token}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked`;
    const asked = converse(url, `POST /trpc/org.create HTTP/1.1\r\nhost: x\r\n${head}\r\n\r\n`);
    drip(asked, '1\r\n \r\n');
    await asked.closed;
    expect(asked.said()).toMatch(/^HTTP\/1.1 408 Request Timeout\r\n/);
    expect(asked.said()).toContain('"code":"REQUEST_TIMEOUT"');
  });

  it.each([
    ['none', 'HTTP/1.1', '', 400],
    ['two', 'HTTP/1.1', 'host: x\r\nHost: y\r\n', 400],
    ['one', 'HTTP/1.1', 'HOST: x\r\n', 200],
    ['none in HTTP/1.0', 'HTTP/1.0', '', 200],
  ])('take a request with one Host: %s', async (_, version, hosts, status) => {
    const { url } = await startTestServer('sqlite');
    const asked = converse(url, `GET /health/live ${version}\r\n${hosts}connection: close\r\n\r\n`);
    await asked.closed;
    expect(asked.said()).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(asked.said().includes('exactly one Host header')).toBe(status === 400);
  });

  it('close those that wait for a next request when the server stops', async () => {
    const { url, stop } = await startTestServer('sqlite');
    const asked = converse(url, 'GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n');
    await expect.poll(asked.said).toContain('200 OK');
    await stop();
    await asked.closed;
  });
});
