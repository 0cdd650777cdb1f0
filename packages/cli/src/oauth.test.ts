// Failures of device sign-in, with a scripted server. test/sign-in-browser.test.ts covers success with our own server.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { testFolder } from '../../../test/support/server.ts';
import { processIo } from './io.ts';
import { endSession, signInByDevice } from './oauth.ts';
import { runCommand } from './program.ts';

type Answer = readonly [status: number, body: object | string] | 'cut';

interface Asked {
  readonly path: string;
  readonly form: Record<string, string>;
}

const TOKENS: Answer = [
  200,
  { access_token: 'access', refresh_token: 'refresh', expires_in: 3_600, token_type: 'bearer', scope: 'cairn' },
];
const refusal = (error: string): Answer => [400, { error }];
const PENDING = refusal('authorization_pending');

async function startAnswering(answers: readonly Answer[], metadata: object = {}, device: object = {}) {
  const asked: Asked[] = [];
  let next = 0;
  const answerFor = (path: string | undefined, url: string): Answer => {
    if (path === '/.well-known/oauth-authorization-server') return [200, { ...metadataOf(url), ...metadata }];
    if (path === '/oauth/device-authorization') return [200, { ...deviceCodeOf(url), ...device }];
    next += 1;
    return answers[Math.min(next, answers.length) - 1] ?? [404, {}];
  };
  const server = createServer(async (request: IncomingMessage, response) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const form = Object.fromEntries(new URLSearchParams(await text(request)));
    asked.push({ path: request.url ?? '', form });
    const answer = answerFor(request.url, url);
    if (answer === 'cut') return void request.socket.destroy();
    const [status, body] = answer;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const metadataOf = (url: string) => ({
  issuer: url,
  token_endpoint: `${url}/oauth/token`,
  device_authorization_endpoint: `${url}/oauth/device-authorization`,
  revocation_endpoint: `${url}/oauth/revoke`,
});

const deviceCodeOf = (url: string) => ({
  device_code: 'device-secret',
  user_code: 'BCDF-GHJK',
  verification_uri: `${url}/oauth/device`,
  expires_in: 600,
  interval: 0.01,
});

const attempt = (url: string) =>
  signInByDevice(url, () => {}).then(
    () => 'done',
    ({ code, message }) => {
      expect(message).not.toContain('device-secret');
      return `${code}: ${message}`;
    },
  );

describe('signInByDevice', () => {
  it('waits as long as it is told, over a server that is away for a while', async () => {
    const { url, asked } = await startAnswering([PENDING, 'cut', PENDING, refusal('slow_down'), TOKENS]);
    const shown: string[] = [];
    const session = await signInByDevice(url, ({ userCode, verificationUriComplete }) => {
      shown.push(userCode, verificationUriComplete);
    });
    expect(shown).toEqual(['BCDF-GHJK', `${url}/oauth/device`]);
    expect(session).toMatchObject({ accessToken: 'access', refreshToken: 'refresh' });
    const [, begun, ...polls] = asked;
    const client = { client_id: 'cairn-cli', resource: url };
    expect(begun?.form).toEqual({ ...client, scope: 'openid offline_access cairn' });
    expect(polls).toHaveLength(5);
    const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: 'device-secret' };
    for (const { form } of polls) expect(form).toEqual({ ...client, ...grant });
  });

  it.each([
    [[refusal('access_denied')], {}, 'FORBIDDEN: The sign-in was denied'],
    [[refusal('expired_token')], {}, 'UNAUTHENTICATED: The sign-in timed out.'],
    [[refusal('invalid_client')], {}, 'FORBIDDEN: The server refused the sign-in: invalid_client.'],
    [[[200, '<html>']], {}, 'NETWORK_ERROR: No usable answer from'],
    [[[200, { access_token: 'a', token_type: 'bearer', expires_in: 1 }]], {}, 'NOT_FOUND: '],
    [[], { issuer: 'https://evil.example' }, 'VALIDATION_ERROR: The server at'],
    [[], { issuer: 'nonsense' }, 'VALIDATION_ERROR: The server at'],
    [[], { device_authorization_endpoint: undefined }, 'NOT_FOUND: '],
  ] as [Answer[], object, string][])('answers %j with %j are told: %s', async (answers, metadata, message) => {
    const { url } = await startAnswering(answers, metadata);
    expect(await attempt(url)).toContain(message);
  });

  it.each([
    [{ token_endpoint: 'https://evil.example/oauth/token' }, {}],
    [{ device_authorization_endpoint: 'https://evil.example/oauth/device-authorization' }, {}],
    [{ revocation_endpoint: 'http://127.0.0.1:1/oauth/revoke' }, {}],
    [{ token_endpoint: 7 }, {}],
    [{}, { verification_uri: 'https://other.example/oauth/device' }],
    [{}, { verification_uri_complete: 'https://other.example/oauth/device?user_code=BCDF-GHJK' }],
    [{}, { verification_uri_complete: 'file:///etc/passwd' }],
    [{}, { verification_uri: '--help' }],
  ])('leads nobody from one server to another, by %j or %j', async (metadata, device) => {
    const { url, asked } = await startAnswering([TOKENS], metadata, device);
    const shown: unknown[] = [];
    const attempted = signInByDevice(url, (code) => shown.push(code));
    await expect(attempted).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(shown).toEqual([]);
    expect(asked.filter(({ path }) => path === '/oauth/token')).toEqual([]);
  });

  it('tells that a server knows no such sign-in', async () => {
    const server = createServer((_, response) => response.writeHead(404).end('<html>'));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await attempt(url)).toContain('cairn auth login --with-token');
  });
});

describe('cairn auth login', () => {
  const runLogin = async (url: string, args: readonly string[], isTerminal: boolean) => {
    const opened: string[] = [];
    let stderr = '';
    const code = await runCommand(['auth', 'login', '--url', url, ...args], {
      ...processIo,
      stdout: () => {},
      stderr: (said) => {
        stderr += said;
      },
      isTerminal,
      openPage: (page) => opened.push(page),
      environment: { CAIRN_CONFIG: join(testFolder(), 'profiles.json') },
    });
    return { code, opened, stderr };
  };

  it('opens the page for who is at a terminal, and shows it in any case', async () => {
    const { url } = await startAnswering([refusal('access_denied')]);
    const page = `${url}/oauth/device`;
    for (const [args, isTerminal, opened] of [
      [[], true, [page]],
      [['--quiet'], true, [page]],
      [['--no-browser'], true, []],
      [[], false, []],
    ] as const) {
      const login = await runLogin(url, args, isTerminal);
      expect(login).toMatchObject({ code: 1, opened });
      expect(login.stderr).toContain(`Open ${page}\nand compare the code there: BCDF-GHJK\n`);
      expect(login.stderr).toContain('The sign-in was denied');
    }
  });
});

describe('what a server says', () => {
  it('is no command for the terminal', async () => {
    const escapes = '\u001b]0;x\u0007\u009b31mred\rover';
    const { url } = await startAnswering([[400, { error: 'invalid_scope', error_description: escapes }]]);
    let said = '';
    const keep = (text: string) => {
      said += text;
    };
    const code = await runCommand(['auth', 'login', '--url', url], {
      ...processIo,
      ...{ stdout: keep, stderr: keep, isTerminal: false },
      environment: { CAIRN_CONFIG: join(testFolder(), 'profiles.json') },
    });
    expect(code).toBe(1);
    expect(said).toContain('The server refused the sign-in:');
    expect(said).not.toMatch(/[^\P{Cc}\n]/u);
  });
});

describe('endSession', () => {
  it('sends the refresh token to its own server alone', async () => {
    const session = { accessToken: 'access', refreshToken: 'refresh-secret', expiresAt: 0 };
    const other = await startAnswering([[200, {}]]);
    const { url } = await startAnswering([[200, {}]], { revocation_endpoint: `${other.url}/oauth/revoke` });
    await expect(endSession({ url, handle: 'ada', session })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(other.asked).toEqual([]);
  });

  it('revokes the refresh token, and is silent about its value when that fails', async () => {
    const session = { accessToken: 'access', refreshToken: 'refresh-secret', expiresAt: 0 };
    const { url, asked } = await startAnswering([[200, {}]]);
    await endSession({ url, handle: 'ada', session });
    expect(asked.at(-1)).toMatchObject({ path: '/oauth/revoke', form: { token: 'refresh-secret' } });
    const failing = await startAnswering([[503, { error: 'server_error' }]]);
    const error = await endSession({ url: failing.url, handle: 'ada', session }).catch(String);
    expect(error).not.toContain('secret');
    expect(error).toContain('Error');
  });
});
