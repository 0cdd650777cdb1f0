// The OAuth server refuses bad input in a form that clients can parse. No log line may hold a code, state or cookie.
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  authorize,
  connect,
  newBrowser,
  openSite,
  postForm,
  postJson,
  refresh,
  registerClient,
} from '../../../../../test/support/oauth.ts';
import { createPerson } from '../../../../../test/support/person.ts';
import { sendRaw } from '../../../../../test/support/raw-request.ts';
import { OWNER, settingsOf, startTestServer } from '../../../../../test/support/server.ts';
import { preparedLocation, UPPER_ENGINES } from '../../../../../test/support/store.ts';
import { readConfig } from '../../config.ts';
import { startServer } from '../../server.ts';

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;

const ODD_BODIES: [path: string, what: string, contentType: string | undefined, body: string][] = [
  ...['/oauth/token', '/oauth/revoke', '/oauth/device-authorization'].flatMap(
    (path): [string, string, string | undefined, string][] => [
      [path, 'nothing', undefined, ''],
      [path, 'an empty form', FORM, ''],
      [path, 'no form', 'text/plain', 'grant_type=authorization_code'],
      [path, 'JSON', JSON_TYPE, '{"grant_type":"authorization_code"}'],
      [path, 'a multipart form', 'multipart/form-data; boundary=x', '--x--'],
      [path, 'an unknown charset', `${FORM}; charset=klingon`, 'grant_type=x'],
      [path, 'a megabyte', FORM, `a=${'x'.repeat(1_000_000)}`],
      [path, 'many fields', FORM, 'a=1&'.repeat(10_000)],
      [
        path,
        'keys of the prototype',
        FORM,
        '__proto__=x&constructor=y&toString=z&grant_type=__proto__&client_id=__proto__',
      ],
      [path, 'brackets', FORM, 'client_id[$gt]=&grant_type[]=refresh_token&refresh_token[a]=1'],
      [path, 'bad escapes', FORM, 'grant_type=%zz&client_id=%ff%fe&refresh_token=%00'],
      [path, 'a client that is none', FORM, 'grant_type=client_credentials&client_id=nobody&token=x'],
      [path, 'a field twice', FORM, 'client_id=cairn-cli&client_id=cairn-cli&grant_type=refresh_token'],
    ],
  ),
  ['/oauth/token', 'NUL', FORM, 'grant_type=refresh_token&client_id=cairn-cli&refresh_token=%00&scope=%00'],
  ['/oauth/token', 'a password', FORM, 'grant_type=password&client_id=cairn-cli&username=a&password=b'],
  ['/oauth/token', 'a client alone', FORM, 'grant_type=client_credentials&client_id=cairn-cli'],
  ['/oauth/token', 'a code of nobody', FORM, 'grant_type=authorization_code&client_id=cairn-cli&code=x'],
  ...(
    [
      ['nothing', undefined, ''],
      ['an empty body', JSON_TYPE, ''],
      ['no JSON', JSON_TYPE, '{'],
      ['a list', JSON_TYPE, '[]'],
      ['null', JSON_TYPE, 'null'],
      ['a text', JSON_TYPE, '"x"'],
      ['a number', JSON_TYPE, '1'],
      ['a form', FORM, 'redirect_uris=https://app.example/'],
      ['a megabyte', JSON_TYPE, JSON.stringify({ client_name: 'x'.repeat(1_000_000) })],
      ['great depth', JSON_TYPE, deep],
      ['keys of the prototype', JSON_TYPE, '{"__proto__":{"redirect_uris":["https://a.example/"]},"constructor":1}'],
      ['no address', JSON_TYPE, '{}'],
      ['addresses that are none', JSON_TYPE, '{"redirect_uris":"https://a.example/"}'],
      ['an object for addresses', JSON_TYPE, '{"redirect_uris":{"length":1,"0":"https://a.example/"}}'],
      [
        '21 addresses',
        JSON_TYPE,
        JSON.stringify({ redirect_uris: Array.from({ length: 21 }, (_, n) => `https://a.example/${n}`) }),
      ],
      ['a long address', JSON_TYPE, JSON.stringify({ redirect_uris: [`https://a.example/${'x'.repeat(3_000)}`] })],
      [
        'a long name',
        JSON_TYPE,
        JSON.stringify({ redirect_uris: ['https://a.example/'], client_name: 'x'.repeat(101) }),
      ],
      ['a name with a line break', JSON_TYPE, '{"redirect_uris":["https://a.example/"],"client_name":"a\\nb"}'],
      ['a name that is none', JSON_TYPE, '{"redirect_uris":["https://a.example/"],"client_name":{"a":1}}'],
      ['a number for a name', JSON_TYPE, '{"redirect_uris":["https://a.example/"],"client_name":7}'],
      ['another response type', JSON_TYPE, '{"redirect_uris":["https://a.example/"],"response_types":["token"]}'],
      ['another grant', JSON_TYPE, '{"redirect_uris":["https://a.example/"],"grant_types":["password"]}'],
      [
        'another way to be known',
        JSON_TYPE,
        '{"redirect_uris":["https://a.example/"],"token_endpoint_auth_method":"private_key_jwt","jwks_uri":"http://127.0.0.1:1/"}',
      ],
      [
        'an algorithm that is none',
        JSON_TYPE,
        '{"redirect_uris":["https://a.example/"],"id_token_signed_response_alg":"none"}',
      ],
    ] as const
  ).map(([what, type, body]): [string, string, string | undefined, string] => ['/oauth/register', what, type, body]),
];

describe.each(UPPER_ENGINES)('what comes to the OAuth server on %s', (engine) => {
  it('is refused in a form that clients read, whatever it is', async () => {
    const { url } = await startTestServer(engine, {
      CAIRN_LIMIT_ANONYMOUS_REQUESTS_PER_HOUR: '0',
      CAIRN_LIMIT_ADDRESS_CLIENT_BURST: '1000',
    });
    for (const [path, what, contentType, body] of ODD_BODIES) {
      const headers = contentType === undefined ? {} : { 'content-type': contentType };
      const sent = Buffer.from(body);
      const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: sent.length === 0 ? null : sent });
      const text = await answer.text();
      const where = `${what} to ${path}: ${answer.status} ${text.slice(0, 300)}`;
      expect(answer.status, where).toBeGreaterThanOrEqual(400);
      expect(answer.status, where).toBeLessThan(500);
      expect(JSON.parse(text).error, where).toBeTypeOf('string');
      expect(answer.headers.get('x-request-id'), where).toBeTruthy();
      expect(answer.headers.get('x-content-type-options'), where).toBe('nosniff');
    }
  });

  it('is not heard for long when it registers one client after the other', async () => {
    const { url } = await startTestServer(engine, {
      CAIRN_LIMIT_ADDRESS_CLIENT_BURST: '3',
      CAIRN_LIMIT_ADDRESS_CLIENTS_PER_HOUR: '1',
    });
    for (let count = 0; count < 3; count += 1) await registerClient(url);
    const refused = await postJson(`${url}/oauth/register`, { redirect_uris: ['https://a.example/'] });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('is answered with the headers of all answers, on every path', async () => {
    const { url } = await openSite(engine);
    const { client_id } = await registerClient(url);
    const paths = [
      '/oauth/authorize',
      `/oauth/authorize?client_id=${client_id}`,
      `/oauth/authorize?client_id=${client_id}&redirect_uri=http://127.0.0.1:9/callback`,
      '/oauth/authorize/x',
      '/oauth/device',
      '/oauth/device?user_code=AAAA-AAAA',
      '/oauth/device/x',
      '/oauth/x',
      '/oauth',
      '/oauth/token',
      '/.well-known/jwks.json',
      '/.well-known/openid-configuration',
      '/.well-known/x',
      '/auth/interaction/x',
      '/auth/x',
      '/auth/sign-in',
    ];
    for (const path of paths) {
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE']) {
        const answer = await fetch(`${url}${path}`, {
          method,
          redirect: 'manual',
          headers: { accept: 'text/html', 'x-request-id': 'given-1', origin: url },
        });
        const what = `${method} ${path} ${answer.status}`;
        expect(answer.status, what).toBeLessThan(500);
        expect(answer.headers.get('x-request-id'), what).toBe('given-1');
        expect(answer.headers.get('x-frame-options'), what).toBe('DENY');
        expect(answer.headers.get('content-security-policy'), what).toContain("frame-ancestors 'none'");
        expect(answer.headers.get('x-content-type-options'), what).toBe('nosniff');
        expect(await answer.text(), what).not.toMatch(/<script|session\/end/);
      }
    }
  });

  it('must have come in time', async () => {
    const { url } = await startTestServer(engine, { CAIRN_LIMIT_BODY_MS: '200' });
    for (const [path, type] of [
      ['/oauth/token', FORM],
      ['/oauth/register', JSON_TYPE],
      ['/oauth/device', FORM],
    ]) {
      const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\norigin: ${url}\r\ncontent-type: ${type}\r\ncontent-length: 100\r\n\r\n`;
      const { status } = await sendRaw(url, `${head}client_id=`).catch(() => ({ status: 0 }));
      expect([0, 400, 408], path).toContain(status);
    }
  });

  it('leaves no code, state, token or cookie in the log', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
    const server = await startServer(readConfig([], { PORT: '0', ...settingsOf(await preparedLocation(engine)) }), log);
    onTestFinished(() => server.stop());
    const { url, store } = server;
    await createPerson(store, { ...OWNER, operator: true });
    const browser = newBrowser();
    const state = 'state-that-nobody-should-read';
    const tokens = await connect({ url, browser }, { state });
    const { client_id, client_secret = '' } = await registerClient(url, {
      token_endpoint_auth_method: 'client_secret_post',
    });
    const { code, verifier } = await authorize({ url, browser }, { client_id, state });
    await postForm(`${url}/oauth/token`, {
      grant_type: 'authorization_code',
      client_id,
      client_secret,
      code,
      code_verifier: 'x'.repeat(50),
    });
    await refresh(url, tokens);
    await refresh(url, tokens);
    await browser.send(`${url}/oauth/device?user_code=WXYZ-WXYZ`);
    await postJson(`${url}/oauth/register`, '{"redirect_uris":["https://a.example/?secret-in-it"');
    const kept = lines.join('');
    expect(kept).toContain('/oauth/authorize');
    expect(kept).toContain('/oauth/token');
    const cookies = Object.values(browser.cookiesFor(`${url}/oauth/authorize`)).filter((value) => value.length >= 20);
    const secrets = [
      state,
      code,
      verifier,
      client_secret,
      tokens.access_token,
      tokens.refresh_token,
      'WXYZ',
      'secret-in-it',
      ...cookies,
    ];
    for (const secret of secrets) expect(kept.includes(secret), secret).toBe(false);
    expect(kept).not.toMatch(/"level":(50|60)/);
  });
});
