// A standard client of the OAuth server discovers, registers, and gets, uses and refreshes tokens.
import * as oauth from 'openid-client';
import { describe, expect, it } from 'vitest';
import { Browser } from '../../../../../test/support/browser.ts';
import { createPerson } from '../../../../../test/support/person.ts';
import { OWNER, startTestServer } from '../../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../../test/support/store.ts';
import type { Engine } from '../../engine/database.ts';

const REDIRECT = 'http://127.0.0.1:9/callback';
const { email, password } = OWNER;

async function openSite(engine: Engine) {
  const server = await startTestServer(engine);
  await createPerson(server.store, { ...OWNER, operator: true });
  return server;
}

const insecure = { execute: [oauth.allowInsecureRequests] };

async function discover(url: string): Promise<URL> {
  const refused = await fetch(`${url}/trpc/token.list?input={}`);
  expect(refused.status).toBe(401);
  const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
  const { authorization_servers: servers } = (await (await fetch(metadata)).json()) as {
    authorization_servers: string[];
  };
  return new URL(servers[0] ?? '');
}

async function register(url: string): Promise<oauth.Configuration> {
  const options = { algorithm: 'oauth2', ...insecure } as const;
  const issuer = await discover(url);
  return await oauth.dynamicClientRegistration(
    issuer,
    { client_name: 'Notes', redirect_uris: [REDIRECT] },
    oauth.None(),
    options,
  );
}

async function authorize(browser: Browser, client: oauth.Configuration, more: Record<string, string> = {}) {
  const verifier = oauth.randomPKCECodeVerifier();
  const state = oauth.randomState();
  const address = oauth.buildAuthorizationUrl(client, {
    redirect_uri: REDIRECT,
    scope: 'openid offline_access cairn',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    ...more,
  });
  let page = await browser.open(address.href);
  if (page.url.includes('/auth/sign-in')) page = await browser.submit(page, { email, password });
  expect(page.text).toContain('Allow Notes to act for you?');
  const back = await browser.submit(page, { decision: 'allow' });
  return await oauth.authorizationCodeGrant(client, new URL(back.url), {
    pkceCodeVerifier: verifier,
    expectedState: state,
  });
}

const whoami = async (url: string, token: string) =>
  await fetch(`${url}/trpc/auth.whoami`, { headers: { authorization: `Bearer ${token}` } });

describe.each(UPPER_ENGINES)('a standard client on %s', (engine) => {
  it('gets a token, calls, refreshes; a replayed refresh token ends it all', async () => {
    const { url } = await openSite(engine);
    const client = await register(url);
    const browser = new Browser({ stopsAt: /^http:\/\/127\.0\.0\.1:9\// });
    const tokens = await authorize(browser, client);
    expect((await whoami(url, tokens.access_token)).status).toBe(200);
    expect(tokens.claims()).toMatchObject({ iss: url, sub: '1' });
    const fresh = await oauth.refreshTokenGrant(client, tokens.refresh_token ?? '');
    expect((await whoami(url, fresh.access_token)).status).toBe(200);
    await expect(oauth.refreshTokenGrant(client, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    for (const ended of [tokens, fresh]) expect((await whoami(url, ended.access_token)).status).toBe(401);
    await expect(oauth.refreshTokenGrant(client, fresh.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });
});
