// Slow and large bodies, over real sockets.
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createOwnerToken, startTestServer } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { createToken, EVERYTHING } from '../account/account.ts';
import { BodyRoom } from './exchange.ts';

describe.each(UPPER_ENGINES)('a slow body on %s', (engine) => {
  it('is of no use to who has lost the right meanwhile', async () => {
    const { url, store } = await startTestServer(engine);
    await createOwnerToken(store);
    const { token } = await createToken(store, { email: 'ada@example.com', name: 'thief', scopes: EVERYTHING });
    const body = JSON.stringify({ name: 'acme' });
    const answered = new Promise<number>((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const sent = request(`${url}/trpc/org.create`, { method: 'POST', headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      });
      sent.on('error', reject);
      sent.write(body.slice(0, 3));
      const management = { accountId: 1, ancestorId: undefined };
      setTimeout(async () => {
        await store.write.revokeToken({ management, name: 'thief', now: Date.now() });
        setTimeout(() => sent.end(body.slice(3)), 400);
      }, 100);
    });
    expect(await answered).toBe(401);
    expect(await store.database.query("select id from organization where name = 'acme'")).toEqual([]);
  });
});

interface Sending {
  readonly sent: ClientRequest;
  readonly answer: Promise<{ status: number | undefined; retryAfter: string | undefined; body: string }>;
}

function begin(url: string, { path = '/trpc/org.create', token = '', length = 500_000, begun = 0 }): Sending {
  const headers = {
    ...(token !== '' && { authorization: `Bearer ${token}` }),
    'content-type': 'application/json',
    'content-length': length,
  };
  const sent = request(url + path, { method: 'POST', headers, agent: false });
  sent.on('error', () => {});
  onTestFinished(() => void sent.destroy());
  const answer = new Promise<IncomingMessage>((resolve) => sent.once('response', resolve)).then(async (message) => ({
    status: message.statusCode,
    retryAfter: message.headers['retry-after'],
    body: await text(message),
  }));
  sent.flushHeaders();
  if (begun > 0) sent.write(' '.repeat(begun));
  return { sent, answer };
}

describe('a large body', () => {
  it.each(['org.create', 'commit.submit', 'token.create,org.create', 'auth.endSession'])(
    'is not waited for where its caller needs a credential and has none: %s',
    async (names) => {
      const { url } = await startTestServer('sqlite');
      const { status, body } = await begin(url, { path: `/trpc/${names}`, length: 8_000_000 }).answer;
      expect([status, body]).toEqual([401, expect.stringContaining('UNAUTHENTICATED')]);
    },
  );

  it.each(['/trpc/auth.whoami', '/trpc/org.create,auth.whoami', '/mcp'])(
    'is small without a credential, on %s',
    async (path) => {
      const { url } = await startTestServer('sqlite');
      const { status, body } = await begin(url, { path, length: 262_145 }).answer;
      expect([status, body]).toEqual([413, expect.stringContaining('Send a bearer token, or a smaller body.')]);
      const sending = begin(url, { path, length: 262_144 });
      sending.sent.end(' '.repeat(262_144));
      expect((await sending.answer).status).not.toBe(413);
    },
  );

  it('waits for others of its caller, and small ones do not', async () => {
    const { url, store } = await startTestServer('sqlite', { CAIRN_LIMIT_CALLER_BODIES_BYTES: '1000000' });
    const token = await createOwnerToken(store);
    const half = { token, length: 500_001, begun: 500_000 };
    const sendings = [1, 2, 3].map(() => begin(url, half));
    const answers = sendings.map(({ answer }, index) => answer.then((answered) => ({ ...answered, index })));
    const { index, ...refused } = await Promise.race(answers);
    expect(refused).toEqual({
      status: 503,
      retryAfter: '1',
      body: expect.stringContaining('too many large request bodies'),
    });
    const small = begin(url, { token, length: 15 });
    small.sent.end('{"name":"acme"}');
    expect((await small.answer).status).toBe(200);
    const [one, two] = sendings.filter((_, nth) => nth !== index);
    for (const next of [() => one, () => begin(url, half), () => two]) {
      const sending = next();
      sending?.sent.end('x');
      expect((await sending?.answer)?.status).toBe(400);
    }
  });

  it('takes no room after it timed out, though more of it arrives', async () => {
    const settings = { CAIRN_LIMIT_BODY_MS: '100', CAIRN_LIMIT_CALLER_BODIES_BYTES: '300000' };
    const { url, store } = await startTestServer('sqlite', settings);
    const token = await createOwnerToken(store);
    for (let n = 0; n < 4; n++) {
      const { sent, answer } = begin(url, { token, length: 400_000, begun: 100_000 });
      expect((await answer).status).toBe(408);
      sent.write(' '.repeat(200_000));
    }
    const whole = begin(url, { token, length: 200_000 });
    whole.sent.end(' '.repeat(200_000));
    expect((await whole.answer).status).toBe(400);
  });

  it('is held within bounds for all, and let go when its client leaves', async () => {
    const room = new BodyRoom({ bodiesBytes: 300_000, callerBodiesBytes: 200_000 });
    const ada = room.hold('ada');
    ada.add(200_000);
    room.hold('eve').add(200_000);
    expect(() => room.hold('bob').add(150_000)).toThrow('too many large request bodies');
    expect(() => room.hold('ada').add(160_000)).toThrow('too many large request bodies');
    room.hold('bob').add(50_000);
    ada.release();
    ada.release();
    room.hold('bob').add(150_000);
    expect(() => ada.add(1)).toThrow('too many large request bodies');
    const drip = room.hold('drip');
    expect(() => {
      for (let n = 0; n < 2_000; n++) drip.add(1);
    }).toThrow('too many large request bodies');
  });
});
