// The audience of a token (RFC 8707): this whole server, or only its tools. Tokens for other servers are refused.
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import {
  authorize,
  claimsOf,
  connect,
  exchange,
  expectRefused,
  newBrowser,
  openSite,
  postJson,
  refresh,
  registerClient,
  type Tokens,
  whoami,
} from '../../../../../test/support/oauth.ts';
import { createPerson } from '../../../../../test/support/person.ts';
import { createSession, TEST_SECRET } from '../../../../../test/support/principal.ts';
import { createTestApp, OWNER, ownerIdOf } from '../../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../../test/support/store.ts';
import { deriveSigningKey } from '../../keys/session-jwt.ts';
import { rotateSigningKey } from '../../keys/signing-keys.ts';

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const callTools = async (url: string, token: string) => await postJson(`${url}/mcp`, {}, bearer(token));

describe.each(UPPER_ENGINES)('a token on %s', (engine) => {
  it('is for what was asked for: all of the server, or its tools alone', async () => {
    const { url } = await openSite(engine);
    const browser = newBrowser();
    const site = { url, browser };
    for (const resource of [undefined, url, `${url}/`]) {
      const tokens = await connect(site, { resource });
      expect(claimsOf(tokens.access_token).aud, resource).toBe(url);
      expect((await whoami(url, tokens.access_token)).status).toBe(200);
      expect((await callTools(url, tokens.access_token)).status).not.toBe(401);
      const again = (await (await refresh(url, tokens)).json()) as Tokens;
      expect(claimsOf(again.access_token).aud, resource).toBe(url);
    }
    for (const resource of [`${url}/mcp`, `${url}/mcp/`]) {
      const tokens = await connect(site, { resource });
      const again = (await (await refresh(url, tokens)).json()) as Tokens;
      for (const { access_token: token } of [tokens, again]) {
        expect(claimsOf(token).aud, resource).toBe(`${url}/mcp`);
        expect((await callTools(url, token)).status).not.toBe(401);
        for (const path of [
          '/trpc/auth.whoami',
          '/mcp/',
          '/mcp/x',
          '/',
          '/docs/api',
          '/sse',
          '/MCP',
          '/.well-known/jwks.json',
        ]) {
          expect((await fetch(`${url}${path}`, { headers: bearer(token) })).status, path).toBe(401);
        }
        expect((await postJson(`${url}/trpc/token.create`, {}, bearer(token))).status).toBe(401);
      }
      const fresh = { ...tokens, refresh_token: again.refresh_token };
      await expectRefused(await refresh(url, fresh, { resource: url }), 'invalid_target');
    }
  });

  it('is for one of two when both were allowed, and never for what was not', async () => {
    const { url } = await openSite(engine);
    const browser = newBrowser();
    const { client_id } = await registerClient(url);
    const both = await authorize({ url, browser }, { client_id, resource: [url, `${url}/mcp`] });
    const tokens = (await (await exchange(url, { client_id, ...both }, { resource: `${url}/mcp` })).json()) as Tokens;
    expect(claimsOf(tokens.access_token).aud).toBe(`${url}/mcp`);
    const all = await refresh(url, { client_id, ...tokens }, { resource: url });
    expect(claimsOf(((await all.json()) as Tokens).access_token).aud).toBe(url);

    const tools = await authorize({ url, browser }, { client_id, resource: `${url}/mcp` });
    await expectRefused(await exchange(url, { client_id, ...tools }, { resource: url }), 'invalid_target');
    for (const resource of [
      'https://evil.example',
      `${url}/other`,
      `${url}/mcp/x`,
      `${url}/mcp?x=1`,
      'rubbish',
      `${url}.evil.example`,
    ]) {
      const code = await authorize({ url, browser }, { client_id });
      await expectRefused(await exchange(url, { client_id, ...code }, { resource }), 'invalid_target');
    }
  });

  it('opens nothing without the scope of this server', async () => {
    const { url } = await openSite(engine);
    const tokens = await connect({ url }, { scope: 'openid' });
    expect(claimsOf(tokens.id_token ?? '')).toMatchObject({ iss: url, sub: '1' });
    for (const token of [tokens.access_token, tokens.id_token ?? '']) {
      expect((await whoami(url, token)).status).toBe(401);
      expect((await callTools(url, token)).status).toBe(401);
    }
  });

  it('of another server is refused everywhere', async () => {
    const [here, there] = [await openSite(engine), await openSite(engine)];
    const foreign = await connect({ url: there.url });
    const tools = await connect({ url: there.url }, { resource: `${there.url}/mcp` });
    for (const token of [foreign.access_token, tools.access_token, foreign.refresh_token, foreign.id_token ?? '']) {
      const paths = ['/trpc/auth.whoami', '/', '/.well-known/jwks.json', '/auth/sign-in', '/oauth/device'];
      const answers = await Promise.all(paths.map((path) => fetch(`${here.url}${path}`, { headers: bearer(token) })));
      expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 401));
      expect((await callTools(here.url, token)).status).toBe(401);
    }
    await expectRefused(await refresh(here.url, foreign), 'invalid_client', 401);
    // Mix-up attack: a client was led to one server and asks the other.
    const strayed = await authorize({ url: there.url }, { client_id: foreign.client_id });
    expect(strayed.back.searchParams.get('iss')).toBe(there.url);
    await expectRefused(await exchange(here.url, { ...foreign, ...strayed }), 'invalid_client', 401);
    const mine = await registerClient(here.url);
    await expectRefused(await exchange(here.url, { ...strayed, client_id: mine.client_id }), 'invalid_grant');
    await expectRefused(await refresh(here.url, { ...foreign, client_id: mine.client_id }), 'invalid_grant');
  });

  it('of a server at the same address, but with another secret, is refused too', async () => {
    const address = 'http://cairn.example';
    const app = async (secret: string) => {
      const { app: served, store } = await createTestApp(engine, { CAIRN_PUBLIC_URL: address });
      await createPerson(store, { ...OWNER, operator: true });
      const key = deriveSigningKey(secret);
      const { token } = await createSession(store, { accountId: await ownerIdOf(store), url: address, key });
      return (await served.request('/trpc/auth.whoami', { headers: bearer(token) })).status;
    };
    expect(await app(TEST_SECRET)).toBe(200);
    expect(await app('the secret of another')).toBe(401);
  });

  it('stays good when the signing key is another, and new ones are signed with that', async () => {
    const { url, store } = await openSite(engine);
    const before = await connect({ url });
    await rotateSigningKey(store);
    const header = Buffer.from('{"alg":"EdDSA","typ":"at+jwt","kid":"aaaaaaaaaaaaaaaa"}').toString('base64url');
    await whoami(url, `${header}.e30.${'A'.repeat(86)}`);
    const answer = await refresh(url, before);
    const after = (await answer.json()) as Tokens;
    const kid = (token = '') => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;
    expect(kid(after.access_token)).not.toBe(kid(before.access_token));
    expect(kid(after.id_token)).toBe(kid(after.access_token));
    const keys = createLocalJWKSet((await (await fetch(`${url}/.well-known/jwks.json`)).json()) as JSONWebKeySet);
    for (const { access_token, id_token = '', client_id = before.client_id } of [
      before,
      { ...after, client_id: undefined },
    ]) {
      expect((await whoami(url, access_token)).status).toBe(200);
      await jwtVerify(access_token, keys, { issuer: url, audience: url, typ: 'at+jwt' });
      await jwtVerify(id_token, keys, { issuer: url, audience: client_id });
    }
  });
});
