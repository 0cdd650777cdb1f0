// Calls to a failing server: the retries, and the error of each failure.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createOwnerToken, startTestServer } from '../../../test/support/server.ts';
import { acceptInvitation, CairnClient, CairnError, isRetryable, setUpServer } from './index.ts';

/** A server that gives these answers in turn, and then repeats the last one. */
async function startFailing(...answers: RequestListener[]): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${new URL(request.url ?? '', 'http://x').pathname}`);
    (answers.length > 1 ? answers.shift() : answers[0])?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

const answer =
  (status: number, body: string, headers = {}): RequestListener =>
  (request, response) => {
    request.resume();
    response.writeHead(status, headers).end(body);
  };
const cut: RequestListener = (request) => request.destroy();
const page = (status: number, headers = {}) => answer(status, '<h1>Something in between</h1>', headers);
const commitId = '8c7e0f1e-0000-4000-8000-000000000000';
const refused = (code: string, more = {}) => {
  const error = { message: 'No.', code: -1, data: { cairn: { code, message: 'No.', ...more } } };
  const json = { 'content-type': 'application/json' };
  return (name: 'read' | 'write') => answer(503, JSON.stringify(name === 'read' ? [{ error }] : { error }), json);
};
const me = answer(200, JSON.stringify([{ result: { data: { kind: 'anonymous' } } }]));
const committed = answer(200, JSON.stringify({ result: { data: { repoSeq: 1 } } }));

const clientOf = (url: string) => new CairnClient({ url, retry: { pauseMs: 0 } });
const operations = [{ name: 'Location/cave', data: {} }];

async function failureOf(promise: PromiseLike<unknown>): Promise<CairnError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof CairnError)) throw new Error(`expected a CairnError, got ${String(error)}`);
  return error;
}

describe('an address at which something else answers', () => {
  const html = { 'content-type': 'text/html; charset=utf-8' };
  const json = { 'content-type': 'application/json' };

  it.each(['/api', '/docs', '/mcp/'])('is told to be that of the server alone: %s', async (path) => {
    const { url } = await startTestServer('sqlite');
    const words = `There is no Cairn server at ${url}${path}, which answered 404. Give the address of a Cairn server, without the path, such as ${url}.`;
    const error = await failureOf(clientOf(`${url}${path}`).auth.whoami());
    expect([error.code, error.message]).toEqual(['NOT_FOUND', words]);
  });

  it('is told the same to who writes', async () => {
    const { url } = await startTestServer('sqlite');
    const { message } = await failureOf(clientOf(`${url}/api`).org.create('acme'));
    expect(message).toContain(`There is no Cairn server at ${url}/api, which answered 404.`);
  });

  it.each([
    ['a page', 200, answer(200, '<h1>Welcome</h1>', html), 'NETWORK_ERROR'],
    ['JSON of another server', 200, answer(200, '{"hello":"world"}', json), 'NETWORK_ERROR'],
    ['a page that is missing', 404, answer(404, '<h1>Not found</h1>', html), 'NOT_FOUND'],
    ['a refusal in JSON', 404, answer(404, '{"message":"no Route matched"}', json), 'NOT_FOUND'],
  ])('is told to be none: %s', async (_, status, given, code) => {
    const { url } = await startFailing(given);
    const error = await failureOf(clientOf(url).auth.whoami());
    const words = `There is no Cairn server at ${url}, which answered ${status}. Give the address of a Cairn server, such as http://localhost:8787.`;
    expect([error.code, error.message]).toEqual([code, words]);
  });

  it('is told to be none by the forms of signing in', async () => {
    const { url } = await startFailing(answer(200, '<h1>Welcome</h1>', html));
    const { message } = await failureOf(setUpServer(url, { code: 'c', password: 'p', email: 'a@example.com' }));
    expect(message).toContain(`There is no Cairn server at ${url}, which answered 200.`);
  });

  it('is not taken for that of a proxy which refuses, or does not reach the server', async () => {
    const { url } = await startFailing(answer(413, '<h1>Too large</h1>', html), answer(502, '<h1>No</h1>', html));
    const between = 'but not like a Cairn server: something in front of it, such as a proxy,';
    const refusal = await failureOf(clientOf(url).auth.whoami());
    expect([refusal.code, refusal.message]).toEqual([
      'PAYLOAD_TOO_LARGE',
      `${url} answered 413, ${between} refuses the request.`,
    ]);
    const unreached = await failureOf(clientOf(url).auth.whoami());
    expect(unreached).toMatchObject({ code: 'NETWORK_ERROR', isRetryable: true });
    expect(unreached.message).toBe(`${url} answered 502, ${between} cannot reach the server. Try again later.`);
  });

  it('is told in words where what came is no JSON', async () => {
    const { url } = await startFailing(answer(200, '{"result":', json));
    const { message } = await failureOf(clientOf(url).auth.whoami());
    expect(message).toContain(`No usable answer from ${url}: it is not valid JSON, or it is incomplete.`);
  });
});

describe('a call', () => {
  it.each([
    ['a connection that breaks', cut],
    ['a page of a proxy', page(502)],
    ['what is no JSON', page(200)],
    ['a server that is not ready', refused('UNAVAILABLE')('read')],
  ])('that reads is made again after %s', async (_, failing) => {
    const { url, requests } = await startFailing(failing, failing, me);
    expect(await clientOf(url).auth.whoami()).toEqual({ kind: 'anonymous' });
    expect(requests).toEqual(Array(3).fill('GET /trpc/auth.whoami'));
  });

  it('that reads is given up after two more, or as many as it is told', async () => {
    const { url, requests } = await startFailing(page(502));
    const error = await failureOf(clientOf(url).auth.whoami());
    expect(error).toMatchObject({ code: 'NETWORK_ERROR', isRetryable: true });
    expect(error.message).toBe(
      `${url} answered 502, but not like a Cairn server: something in front of it, such as a proxy, cannot reach the server. Try again later.`,
    );
    expect(requests).toHaveLength(3);
    await failureOf(new CairnClient({ url, retry: { tries: 0 } }).auth.whoami());
    expect(requests).toHaveLength(4);
  });

  it('that commits is made again when it has a submission id, and not when it has none', async () => {
    const { url, requests } = await startFailing(cut, refused('UNAVAILABLE')('write'), committed, cut);
    const { commit, repo } = clientOf(url);
    const input = { submissionId: commitId, operations };
    expect(await commit.submit('acme', 'world', input)).toEqual({ repoSeq: 1 });
    expect(requests).toHaveLength(3);
    await failureOf(commit.submit('acme', 'world', { operations }));
    expect(requests).toHaveLength(4);
    await failureOf(repo.create('acme', 'other'));
    expect(requests).toHaveLength(5);
    await failureOf(repo('acme/world').commit().add('Location/cave', {}).submit());
    expect(requests).toHaveLength(8);
  });

  it('waits as long as it is told to, and asks at once where that is too long', async () => {
    const soon = await startFailing(refused('RATE_LIMITED', { retryAfter: 0.05 })('read'), me);
    // The client's own pause would never end.
    await new CairnClient({ url: soon.url, retry: { pauseMs: 3_600_000 } }).auth.whoami();
    expect(soon.requests).toHaveLength(2);
    const late = await startFailing(page(503, { 'retry-after': '3600' }));
    expect(await failureOf(clientOf(late.url).auth.whoami())).toMatchObject({ retryAfter: 3_600 });
    expect(late.requests).toHaveLength(1);
    const date = new Date(Date.now() + 7_200_000).toUTCString();
    const dated = await startFailing(page(429, { 'retry-after': date }));
    const limited = await failureOf(clientOf(dated.url).auth.whoami());
    expect(limited).toMatchObject({ code: 'RATE_LIMITED', retryAfter: expect.closeTo(7_200, -2) });
  });

  it('is not made with what JSON cannot say', async () => {
    const { url, requests } = await startFailing(me);
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    for (const data of [circle, { count: 1n }]) {
      const error = await failureOf(clientOf(url).repo('acme/world').commit().add('Location/cave', data).submit());
      expect([error.code, error.isRetryable]).toEqual(['VALIDATION_ERROR', false]);
      expect(error.message).toMatch(/^Nothing was sent: .* JSON\..* BigInt/);
    }
    const asked = clientOf(url).thing.query('acme', 'world', { limit: 1n as unknown as number });
    expect((await failureOf(asked)).code).toBe('VALIDATION_ERROR');
    expect(requests).toEqual([]);
  });

  it('is not made again where that is of no use', async () => {
    const { url, requests } = await startFailing(refused('NOT_FOUND')('read'), page(404), page(413));
    for (const code of ['NOT_FOUND', 'NOT_FOUND', 'PAYLOAD_TOO_LARGE']) {
      const error = await failureOf(clientOf(url).auth.whoami());
      expect([error.code, error.isRetryable, isRetryable(error)]).toEqual([code, false, false]);
    }
    expect(requests).toHaveLength(3);
  });
});

describe('one class of error', () => {
  it('is thrown by what needs no client', async () => {
    const { url } = await startFailing(page(200), page(502), cut);
    const account = { code: 'once', email: 'ada@example.com', password: 'a password of some length' };
    expect(await failureOf(setUpServer(url, account))).toMatchObject({ code: 'NETWORK_ERROR' });
    expect(await failureOf(setUpServer(url, account))).toMatchObject({ code: 'NETWORK_ERROR' });
    expect(await failureOf(acceptInvitation(url, account))).toMatchObject({ code: 'NETWORK_ERROR' });
    const server = await startTestServer('sqlite');
    expect(await failureOf(acceptInvitation(server.url, account))).toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('is thrown when the caller ends it', async () => {
    const { url } = await startFailing(() => {});
    for (const signal of [AbortSignal.abort(), AbortSignal.abort('enough'), AbortSignal.timeout(20)]) {
      const error = await failureOf(clientOf(url).repo.export('acme', 'world', { signal }).header);
      expect(error).toMatchObject({ code: 'ABORTED', isRetryable: false, cause: signal.reason });
      expect(error.message).toMatch(/^The caller aborted: ./);
    }
  });

  it('is thrown for rows that are none', async () => {
    const header = JSON.stringify({ type: 'header', atRepoSeq: 1, commitId: 'a', formatVersion: 1 });
    const body = `${header}\n{"kind":"thing",\n${JSON.stringify({ type: 'end', recordCount: 1 })}\n`;
    const { url } = await startFailing(answer(200, body));
    const rows = clientOf(url).repo('acme/world').export()[Symbol.asyncIterator]();
    expect(await failureOf(rows.next())).toMatchObject({
      code: 'NETWORK_ERROR',
      message: expect.stringContaining('The response is not an export.'),
    });
  });
});

describe('CairnClient.fromEnv', () => {
  const within = async (environment: Record<string, string | undefined>, use: () => Promise<void>) => {
    const before = { ...process.env };
    onTestFinished(() => {
      process.env = before;
    });
    process.env = { ...before, CAIRN_URL: '', CAIRN_TOKEN: '', ...environment };
    await use();
  };

  it('takes the address and the token of the environment', async () => {
    const { url, store } = await startTestServer('sqlite');
    const token = await createOwnerToken(store);
    await within({ CAIRN_URL: url, CAIRN_TOKEN: token }, async () => {
      expect(await CairnClient.fromEnv().auth.whoami()).toMatchObject({ handle: 'ada' });
      const sent: string[] = [];
      const watching: typeof fetch = (input, init) => {
        sent.push(String(input));
        return fetch(input, init);
      };
      await CairnClient.fromEnv({ fetch: watching }).auth.whoami();
      expect(sent).toHaveLength(1);
    });
    await within({ CAIRN_URL: url }, async () => {
      expect(await CairnClient.fromEnv().auth.whoami()).toEqual({ kind: 'anonymous' });
    });
  });

  it('says what to set where there is no address, and where there is no environment', async () => {
    await within({}, async () => {
      expect(() => CairnClient.fromEnv()).toThrow('CAIRN_URL is not set. Set it to the address of a Cairn server');
    });
    const { process: present } = globalThis;
    onTestFinished(() => {
      globalThis.process = present;
    });
    Reflect.deleteProperty(globalThis, 'process');
    expect(() => CairnClient.fromEnv()).toThrow('CAIRN_URL is not set.');
    globalThis.process = present;
  });
});
