// Server-side request forgery: every target is tried at both entry points, and loopback listeners count connections.
// The test resolves names itself, so no packet leaves the machine.
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NAMES, ssrfCorpus } from '../../../../../test/support/ssrf-corpus.ts';
import { createOutbound } from './client.ts';

async function listen(server: Server, host: string, port = 0): Promise<number> {
  await new Promise<void>((done, failed) => {
    server.once('error', failed).listen(port, host, done);
  });
  return (server.address() as AddressInfo).port;
}

let connections = 0;
const count = () =>
  createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
const listeners = [count(), count()];
let port = 0;

beforeAll(async () => {
  const [first, second] = listeners as [Server, Server];
  port = await listen(first, '127.0.0.1');
  await listen(second, '::1', port).catch(() => undefined);
});

beforeEach(() => {
  connections = 0;
});

afterAll(async () => {
  await Promise.all(listeners.map((server) => new Promise((done) => server.close(done))));
});

const resolve = async (name: string) => NAMES[name] ?? [];

async function refusalsOf(url: string) {
  const outbound = createOutbound({ allow: [], resolve, connectMs: 1_000, totalMs: 1_000 });
  const checked = await outbound.check(url, 'webhookUrl').then(
    () => 'passed',
    (error: { code?: string }) => error.code,
  );
  const sent = await outbound.send({ method: 'POST', url, headers: {}, body: '{}' });
  return [checked, sent.kind === 'failure' ? sent.code : sent.kind];
}

describe('targets that are not public', () => {
  it('are refused when they are saved and when they are sent to, and nobody is connected to', async () => {
    const urls = ssrfCorpus(port);
    expect(new Set(urls).size).toBeGreaterThan(500);
    const wrong: unknown[] = [];
    for (const url of urls) {
      const [checked, sent] = await refusalsOf(url);
      if (checked !== 'VALIDATION_ERROR' || sent !== 'TARGET_REFUSED') wrong.push([url, checked, sent]);
    }
    expect(wrong).toEqual([]);
    expect(connections).toBe(0);
  });

  it('are refused with a path and words that say what to do, and nothing of what may be secret', async () => {
    const { check } = createOutbound({ allow: [], resolve });
    const refused = check('https://10.0.0.1/path?key=secret', 'webhookUrl');
    await expect(refused).rejects.toMatchObject({ code: 'VALIDATION_ERROR', details: [{ path: 'webhookUrl' }] });
    await expect(refused).rejects.toThrow(/10\.0\.0\.1 .* not public\. .*CAIRN_OUTBOUND_ALLOW=10\.0\.0\.1:443/);
    const local = check('http://127.0.0.1:9000/hook', 'webhookUrl');
    await expect(local).rejects.toThrow(/start with https.*CAIRN_OUTBOUND_ALLOW=127\.0\.0\.1:9000 and restart/);
    const six = check('https://[fd00::1]:8443/hook', 'webhookUrl');
    await expect(six).rejects.toThrow(/CAIRN_OUTBOUND_ALLOW=\[fd00::1\]:8443 and restart/);
    await expect(refused).rejects.not.toThrow(/secret|path\?/);
  });

  it('are not reached by a name that changes after it was checked', async () => {
    for (const later of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '169.254.169.254', '10.0.0.1']) {
      let asked = 0;
      const rebinding = async () => {
        asked += 1;
        return asked === 1 ? ['93.184.215.14'] : [later];
      };
      const outbound = createOutbound({ allow: [], resolve: rebinding });
      await outbound.check('https://rebinding.example.com:8443/', 'webhookUrl');
      const sent = await outbound.send({ method: 'POST', url: 'https://rebinding.example.com:8443/', headers: {} });
      expect(sent).toMatchObject({ kind: 'failure', code: 'TARGET_REFUSED' });
    }
    expect(connections).toBe(0);
  });

  it.each([301, 302, 303, 307, 308])('are not reached by a redirect with %i', async (status) => {
    const redirecting = createHttpServer((_request, response) => {
      response.writeHead(status, { location: `http://127.0.0.1:${port}/` }).end();
    });
    const from = await listen(redirecting, '127.0.0.1');
    const outbound = createOutbound({ allow: [`127.0.0.1:${from}`] });
    const sent = await outbound.send({ method: 'POST', url: `http://127.0.0.1:${from}/`, headers: {}, body: '{}' });
    await new Promise((done) => redirecting.close(done));
    expect(sent).toMatchObject({ kind: 'answer', status });
    expect(connections).toBe(0);
  });

  it('are not reached because another port, name or form of them is permitted', async () => {
    const outbound = createOutbound({ allow: ['127.0.0.1:1', `localhost:${port}`, 'private.example.com:1'], resolve });
    const others = [
      `http://127.0.0.1:${port}/`,
      `http://[::1]:${port}/`,
      `http://0x7f.1:1/`,
      `http://2130706433:1/`,
      `http://localhost.:${port}/`,
      `http://a.localhost:${port}/`,
      'https://private.example.com/',
      'http://private.example.com/',
    ];
    for (const url of others) {
      await expect(outbound.check(url, 'webhookUrl')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
      expect(await outbound.send({ method: 'GET', url, headers: {} })).toMatchObject({ code: 'TARGET_REFUSED' });
    }
    expect(connections).toBe(0);
  });
});

describe('the listeners', () => {
  it('count who comes in', async () => {
    const outbound = createOutbound({ allow: [`127.0.0.1:${port}`] });
    await outbound.send({ method: 'GET', url: `http://127.0.0.1:${port}/`, headers: {} });
    expect(connections).toBe(1);
  });
});

describe('targets that are public', () => {
  it.each([
    'https://public.example.com',
    'https://PUBLIC.example.com/hook?key=secret#part',
    'https://public.example.com:443/',
    'https://public.example.com:8443/%20',
    'https://93.184.215.14/',
    'https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/',
    'https://1.1.1.1:8443/',
  ])('pass: %s', async (url) => {
    await createOutbound({ allow: [], resolve }).check(url, 'webhookUrl');
  });

  it.each([
    [`http://localhost:8080/`, 'localhost:8080'],
    [`https://10.0.0.1:444/`, '10.0.0.1:444'],
    [`http://[fd00::1]/`, '[fd00::1]:80'],
    [`https://hooks.internal/`, 'hooks.internal:443'],
    [`http://receiver:3000/`, 'receiver:3000'],
  ])('are not needed where the operator permits another: %s', async (url, permitted) => {
    await createOutbound({ allow: [permitted], resolve: async () => ['10.0.0.1'] }).check(url, 'webhookUrl');
  });
});
