// Refusals of the OAuth server: unregistered redirect addresses, codes in the wrong hands, and every way around PKCE.
import { describe, expect, it } from 'vitest';
import { Browser, type Visited } from '../../../../../test/support/browser.ts';
import {
  authorize,
  authorizeUrl,
  exchange,
  expectRefused,
  newBrowser,
  openSite,
  pkce,
  postForm,
  postJson,
  REDIRECT,
  registerClient,
  whoami,
} from '../../../../../test/support/oauth.ts';
import { startTestServer } from '../../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../../test/support/store.ts';

const HTTPS_REDIRECT = 'https://app.example/callback';

const OTHER_REDIRECTS = [
  'https://evil.example/callback',
  'https://app.example/other',
  'https://app.example/callback/',
  'https://app.example/callback/../callback2',
  'https://app.example/callback?next=https://evil.example',
  'https://app.example/callback?',
  'https://app.example/callback#',
  'https://app.example/Callback',
  'https://app.example/call%62ack',
  'https://app.example/%63allback',
  'https://app.example//callback',
  'https://app.example:444/callback',
  'https://app.example:443/callback',
  'https://app.example./callback',
  'https://APP.example/callback',
  'HTTPS://app.example/callback',
  'https://app.example\\@evil.example/callback',
  'https://app.example@evil.example/callback',
  'https://evil.example@app.example/callback',
  'https://evil.example#app.example/callback',
  'https://app.example.evil.example/callback',
  'https://app.example%2eevil.example/callback',
  'https://app.example/callback%0d%0aset-cookie:a=b',
  'https://app.example/callback\tx',
  ' https://app.example/callback',
  'https://app.example/callback ',
  'http://app.example/callback',
  '//app.example/callback',
  '/callback',
  'callback',
  'javascript:alert(1)//app.example/callback',
  'data:text/html,app.example/callback',
  'http://127.0.0.1@evil.example/callback',
  'http://127.0.0.1:9@evil.example/callback',
  'http://evil@127.0.0.1:9/callback',
  'http://127.0.0.1.evil.example/callback',
  'http://127.0.0.1:9/other',
  'http://127.0.0.1:9/callback?x=1',
  'http://127.0.0.1:9/callback#x',
  'http://127.0.0.2:9/callback',
  'http://127.1:9/callback',
  'http://2130706433/callback',
  'http://0x7f000001/callback',
  'http://[::1]:9/callback',
  'http://localhost:9/callback',
  'https://127.0.0.1:9/callback',
  'http://0.0.0.0:9/callback',
  '',
];

function expectOwnPage({ status, headers, text, url }: Visited, what: string): void {
  expect({ what, status, url, location: headers.get('location') }).toMatchObject({ status: 400, location: null });
  expect(headers.get('content-type'), what).toMatch(/^text\/html/);
  expect(text, what).not.toContain('http-equiv');
  expect(text, what).not.toContain('evil');
  expect(text, what).toContain('role="alert"');
}

describe.each(UPPER_ENGINES)('the OAuth server on %s', (engine) => {
  it('leads nobody to an address that the client has not registered', async () => {
    const { url } = await openSite(engine);
    const { client_id } = await registerClient(url, { redirect_uris: [HTTPS_REDIRECT, REDIRECT] });
    const { challenge } = await pkce();
    const browser = new Browser();
    const refused = async (redirect: string, more: object = {}) => {
      const asked = { client_id, redirect_uri: redirect, code_challenge: challenge, ...more };
      expectOwnPage(await browser.send(authorizeUrl(url, asked)), `${redirect} ${JSON.stringify(more)}`);
    };
    for (const redirect of OTHER_REDIRECTS) await refused(redirect);
    for (const redirect of OTHER_REDIRECTS.slice(0, 5)) {
      await refused(redirect, { prompt: 'none' });
      await refused(redirect, { response_type: 'token' });
      await refused(redirect, { code_challenge: undefined });
    }
    const twice = await browser.send(
      authorizeUrl(url, { client_id, redirect_uri: [REDIRECT, 'https://evil.example/'], code_challenge: challenge }),
    );
    expectOwnPage(twice, 'two at once');
    const none = await browser.send(
      authorizeUrl(url, { client_id, redirect_uri: undefined, code_challenge: challenge }),
    );
    expectOwnPage(none, 'none, of two');
    for (const unknown of ['nobody', '', undefined, 'cairn-cli', 'https://evil.example/client', '__proto__']) {
      const page = await browser.send(authorizeUrl(url, { client_id: unknown, code_challenge: challenge }));
      expectOwnPage(page, `the client ${unknown}`);
    }
    const other = await browser.send(
      authorizeUrl(url, { client_id, redirect_uri: 'http://127.0.0.1:1234/callback', code_challenge: challenge }),
    );
    expect(other.headers.get('location')).toContain('/auth/interaction/');
  });

  it('registers no address that would run something, or be read on the way', async () => {
    const { url } = await startTestServer(engine, { CAIRN_LIMIT_ADDRESS_CLIENT_BURST: '100' });
    for (const redirect of [
      'javascript:alert(1)',
      'JavaScript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      'blob:https://app.example/x',
      'file:///etc/passwd',
      'about:blank',
      'view-source:https://app.example/',
      'intent://app.example/#Intent;end',
      'ftp://app.example/callback',
      'http://app.example/callback',
      'http://127.0.0.1@evil.example/callback',
      'http://127.0.0.1.evil.example/callback',
      'http://user:password@127.0.0.1/callback',
      'https://user@app.example/callback',
      'https://app.example/callback#fragment',
      'https://app.example/a\u0000b',
      'https://',
      '//app.example',
      '/callback',
      'callback',
      '',
      7,
      null,
      {},
      [],
    ]) {
      const answer = await postJson(`${url}/oauth/register`, { redirect_uris: [redirect] });
      const body = (await answer.json()) as { error: string };
      expect({ redirect, status: answer.status, error: body.error }).toEqual({
        ...{ redirect, status: 400 },
        error: expect.stringMatching(/^invalid_(redirect_uri|client_metadata)$/),
      });
    }
  });

  const refusedParameters: [string, Record<string, string | string[] | undefined>, string][] = [
    ['no challenge', { code_challenge: undefined }, 'invalid_request'],
    ['a challenge alone', { code_challenge_method: undefined }, 'invalid_request'],
    ['plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a challenge of another form', { code_challenge: 'short' }, 'invalid_request'],
    ['a token', { response_type: 'token' }, 'invalid_request'],
    ['an id_token', { response_type: 'id_token', nonce: 'n' }, 'invalid_request'],
    ['more than a code', { response_type: 'code id_token', nonce: 'n' }, 'invalid_request'],
    ['nothing', { response_type: 'none' }, 'unsupported_response_type'],
    ['no type', { response_type: undefined }, 'invalid_request'],
    ['a request object', { request: 'e30.e30.' }, 'request_not_supported'],
    ['one at an address', { request_uri: 'https://evil.example/r' }, 'request_uri_not_supported'],
    ['a pushed one', { request_uri: 'urn:ietf:params:oauth:request_uri:x' }, 'request_uri_not_supported'],
    ['a registration', { registration: '{}' }, 'registration_not_supported'],
    ['no question', { prompt: 'none' }, 'login_required'],
    ['no question and one', { prompt: 'none consent' }, 'invalid_request'],
    ['an unknown question', { prompt: 'rubbish' }, 'invalid_request'],
    ['a state twice', { state: ['a', 'b'] }, 'invalid_request'],
    ['a scope twice', { scope: ['cairn', 'openid'] }, 'invalid_request'],
    ['a challenge twice', { code_challenge: ['a'.repeat(43), 'b'.repeat(43)] }, 'invalid_request'],
    ['an unknown resource', { resource: 'https://evil.example/' }, 'invalid_target'],
    ['a negative age', { max_age: '-1' }, 'invalid_request'],
  ];
  it('tells who came why it is refused, and leads to no client that nobody has decided about', async () => {
    const { url } = await openSite(engine);
    const { client_id } = await registerClient(url);
    const { challenge } = await pkce();
    for (const [what, parameters, error] of refusedParameters) {
      const asked = { client_id, code_challenge: challenge, ...parameters };
      const { status, headers, text } = await new Browser().send(authorizeUrl(url, asked));
      expect([what, status, headers.get('location')]).toEqual([what, 400, null]);
      expect(text, what).toContain(`<code>${error}</code>`);
    }
  });

  it.each(['cursor://anysphere.cursor-retrieval/oauth/callback', 'https://app.example/back'])(
    'leads to %s once somebody has decided',
    async (redirect_uri) => {
      const { url } = await openSite(engine);
      const { client_id } = await registerClient(url, { redirect_uris: [redirect_uri] });
      const { challenge } = await pkce();
      const asked = authorizeUrl(url, { client_id, redirect_uri, code_challenge: challenge });
      const silent = await new Browser().send(`${asked}&prompt=none`);
      expect([silent.status, silent.headers.get('location')]).toEqual([400, null]);
      const browser = new Browser({ stopsAt: /^(http:\/\/127\.0\.0\.1:9\/|cursor:|https:\/\/app\.)/ });
      await authorize({ url, browser }, { client_id: (await registerClient(url)).client_id });
      for (const [decision, sign] of [
        ['refuse', 'error=access_denied'],
        ['allow', 'code='],
      ] as const) {
        const { url: to } = await browser.submit(await browser.open(asked), { decision });
        expect(to.startsWith(redirect_uri) && to.includes(sign), to).toBe(true);
      }
    },
  );

  it('answers by a page without scripts, whatever way a client prefers', async () => {
    const { url } = await openSite(engine);
    const { client_id } = await registerClient(url, { response_modes: ['query', 'form_post', 'fragment'] });
    const { challenge } = await pkce();
    const modes = ['fragment', 'form_post', 'web_message', 'jwt', 'query.jwt', 'form_post.jwt', 'rubbish', ''];
    for (const mode of [...modes, ['query', 'form_post'], ['form_post', 'form_post']]) {
      for (const more of [
        {},
        { response_type: 'token' },
        { prompt: 'none' },
        { redirect_uri: 'https://evil.example/' },
      ]) {
        const asked = { client_id, code_challenge: challenge, response_mode: mode, ...more };
        const { status, text, headers } = await new Browser().send(authorizeUrl(url, asked));
        const what = JSON.stringify({ mode, ...more });
        expect(text, what).not.toMatch(/<script|onload|<form/);
        expect(headers.get('content-security-policy'), what).not.toContain('script-src');
        expect({ what, status, location: headers.get('location') }).toEqual({ what, status: 400, location: null });
        if (!('redirect_uri' in more)) {
          expect(text, what).toMatch(/<code>(unsupported_response_mode|invalid_request)<\/code>/);
        }
      }
    }
  });
});

describe.each(UPPER_ENGINES)('a code on %s', (engine) => {
  it('is good for its client, its address and its verifier alone', async () => {
    const { url } = await openSite(engine);
    const { client_id } = await registerClient(url, { redirect_uris: [REDIRECT, HTTPS_REDIRECT] });
    const other = await registerClient(url);
    const browser = newBrowser();
    const fresh = async () => ({ client_id, ...(await authorize({ url, browser }, { client_id })) });
    const another = await pkce();
    const attempts: [string, Record<string, string>, string][] = [
      ['another client', { client_id: other.client_id }, 'invalid_grant'],
      ['another address of the client', { redirect_uri: HTTPS_REDIRECT }, 'invalid_grant'],
      ['an address nearby', { redirect_uri: `${REDIRECT}/` }, 'invalid_grant'],
      ['another port', { redirect_uri: REDIRECT.replace(':9/', ':10/') }, 'invalid_grant'],
      ['another verifier', { code_verifier: another.verifier }, 'invalid_grant'],
      ['a short verifier', { code_verifier: 'x' }, 'invalid_request'],
    ];
    for (const [what, more, error] of attempts) {
      const answer = await exchange(url, await fresh(), more);
      expect({ what, status: answer.status, ...((await answer.json()) as object) }).toMatchObject({
        what,
        status: 400,
        error,
      });
    }
    const { code, verifier } = await fresh();
    const without = { grant_type: 'authorization_code', client_id, code, redirect_uri: REDIRECT };
    await expectRefused(await postForm(`${url}/oauth/token`, without), 'invalid_grant');
    const shown = await pkce();
    const plain = await authorize({ url, browser }, { client_id, code_challenge: shown.challenge });
    await expectRefused(await exchange(url, { client_id, ...plain, verifier: shown.challenge }), 'invalid_grant');
    const twice: [string, string][] = Object.entries({ ...without, code_verifier: verifier });
    await expectRefused(await postForm(`${url}/oauth/token`, [...twice, ['code', code]]), 'invalid_request');
  });

  it('comes back with who gave it, to the state that was sent, and says so when it is refused', async () => {
    const { url } = await openSite(engine);
    const { client_id } = await registerClient(url);
    const browser = newBrowser();
    const { back } = await authorize({ url, browser }, { client_id, state: 'a b&c=d' });
    expect(Object.fromEntries(back.searchParams)).toEqual({
      code: expect.stringMatching(/^[\w-]{43}$/),
      iss: url,
      state: 'a b&c=d',
    });
    const { challenge } = await pkce();
    const question = await browser.open(authorizeUrl(url, { client_id, code_challenge: challenge, state: 's' }));
    const refused = new URL((await browser.submit(question, { decision: 'refuse' })).url);
    expect(Object.fromEntries(refused.searchParams)).toEqual({
      ...{ error: 'access_denied', iss: url, state: 's' },
      error_description: expect.any(String),
    });
  });

  it('grants nothing that nobody asked for', async () => {
    const { url } = await openSite(engine);
    const { client_id } = await registerClient(url);
    const browser = newBrowser();
    const rubbish = { client_id, scope: 'cairn rubbish admin:* offline_access' };
    const { back, ...authorized } = await authorize({ url, browser }, rubbish).catch((error) => {
      throw new Error(`scope rubbish: ${error.message}`);
    });
    const tokens = (await (await exchange(url, { client_id, ...authorized })).json()) as Record<string, string>;
    expect(tokens.scope).toBe('cairn');
    expect((await whoami(url, tokens.access_token ?? '')).status).toBe(200);
    expect(back.searchParams.has('error')).toBe(false);
  });
});
