// Refreshes of a session's tokens, and their failures. The tests of `cairn auth login` cover the server side.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CairnError, refreshingToken, refreshSession, type SessionTokens } from './index.ts';

const tokensOf = (name: string, lastsMs: number): SessionTokens => ({
  accessToken: name,
  refreshToken: `refresh-${name}`,
  expiresAt: Date.now() + lastsMs,
});

const [HOUR, SECONDS] = [3_600_000, 20_000];
const refused = new CairnError('UNAUTHENTICATED', { message: 'The session has ended.' });
const away = new CairnError('NETWORK_ERROR', { message: 'No answer.' });

describe('refreshingToken', () => {
  it('gives the token while it lasts, and the next one shortly before it ends', async () => {
    const renewed: string[] = [];
    const renew = async ({ refreshToken }: SessionTokens) => {
      renewed.push(refreshToken);
      return tokensOf('second', HOUR);
    };
    const lasting = refreshingToken(tokensOf('first', HOUR), renew);
    expect([await lasting(), renewed]).toEqual(['first', []]);
    const ending = refreshingToken(tokensOf('first', SECONDS), renew);
    expect(await Promise.all([ending(), ending(), ending()])).toEqual(['second', 'second', 'second']);
    expect([await ending(), renewed]).toEqual(['second', ['refresh-first']]);
  });

  it('gets the next one when the server refuses the present one, but not when it refuses an older one', async () => {
    let count = 0;
    const getToken = refreshingToken(tokensOf('0', HOUR), async () => {
      count += 1;
      return tokensOf(`${count}`, HOUR);
    });
    expect(await Promise.all([getToken('0'), getToken('0')])).toEqual(['1', '1']);
    expect(await getToken('0')).toBe('1');
    expect(await getToken('1')).toBe('2');
  });

  it('gives one that is about to end when the next cannot be had, and fails when it is over or refused', async () => {
    const failing = (lastsMs: number, error: CairnError) =>
      refreshingToken(tokensOf('old', lastsMs), async () => {
        throw error;
      });
    expect(await failing(SECONDS, away)()).toBe('old');
    await expect(failing(-1, away)()).rejects.toBe(away);
    await expect(failing(SECONDS, refused)()).rejects.toBe(refused);
    await expect(failing(HOUR, away)('old')).rejects.toBe(away);
  });

  it('tries again after a failure', async () => {
    let tries = 0;
    const getToken = refreshingToken(tokensOf('old', -1), async () => {
      tries += 1;
      if (tries === 1) throw away;
      return tokensOf('new', HOUR);
    });
    await expect(getToken()).rejects.toBe(away);
    expect(await getToken()).toBe('new');
  });
});

async function startAnswering(status: number, body: string, headers: Record<string, string> = {}): Promise<string> {
  const server = createServer((_, answer) => answer.writeHead(status, headers).end(body));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('refreshSession', () => {
  it.each([
    [400, '{"error":"invalid_grant"}', {}, { code: 'UNAUTHENTICATED' }],
    [401, '{"error":"invalid_client"}', {}, { code: 'UNAUTHENTICATED' }],
    [429, '{"error":"temporarily_unavailable"}', { 'retry-after': '7' }, { code: 'RATE_LIMITED', retryAfter: 7 }],
    [503, '{"error":"server_error"}', {}, { code: 'NETWORK_ERROR' }],
    [502, '<html>', {}, { code: 'NETWORK_ERROR' }],
    [200, '{"access_token":1}', {}, { code: 'NETWORK_ERROR' }],
    [200, 'null', {}, { code: 'NETWORK_ERROR' }],
  ])('an answer of %i with %s', async (status, body, headers, expected) => {
    const url = await startAnswering(status, body, headers);
    const asked = refreshSession(url, { refreshToken: 'the-secret', clientId: 'x' });
    const error = await asked.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject(expected);
    expect(String(error)).not.toContain('the-secret');
  });

  it('gives the next tokens, which last from when they were asked for', async () => {
    const url = await startAnswering(200, '{"access_token":"a","refresh_token":"r","expires_in":3600}');
    const before = Date.now();
    const next = await refreshSession(url, { refreshToken: 'old', clientId: 'x' });
    expect(next).toMatchObject({ accessToken: 'a', refreshToken: 'r' });
    expect(next.expiresAt).toBeGreaterThanOrEqual(before + HOUR);
    expect(next.expiresAt).toBeLessThanOrEqual(Date.now() + HOUR);
  });

  it('says when nobody answers', async () => {
    const asked = refreshSession('http://127.0.0.1:1', { refreshToken: 'old', clientId: 'x' });
    await expect(asked).rejects.toMatchObject({ code: 'NETWORK_ERROR' });
  });
});
