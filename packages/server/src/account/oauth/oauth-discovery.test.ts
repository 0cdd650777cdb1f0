// Discovery for clients before the sign-in. All addresses come from the public URL, never from the request.
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/spec/verifies.ts';
import { openSite, postForm, postJson, registerClient } from '../../../../../test/support/oauth.ts';
import { startTestServer } from '../../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../../test/support/store.ts';
import { rotateSigningKey } from '../../keys/signing-keys.ts';

const WELL_KNOWN = [
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
  '/mcp/.well-known/oauth-protected-resource',
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
  '/.well-known/jwks.json',
];
const FOR_CLIENTS = ['/oauth/token', '/oauth/register', '/oauth/revoke', '/oauth/device-authorization'];
const FOR_PEOPLE = ['/oauth/authorize', '/oauth/device', '/auth/sign-in', '/auth/interaction/x', '/auth/setup'];
const ELSEWHERE = 'https://elsewhere.example';

describe.each(UPPER_ENGINES)('the documents of the OAuth server on %s', (engine) => {
  it(
    verifies(
      'describe what tokens are for and who gives them, as RFC 9728 and RFC 8414 have it',
      '4.7/protected-resource',
      '4.7/protected-resource-mcp',
      '4.7/mcp-protected-resource',
      '4.7/authorization-server',
    ),
    async () => {
      const { url } = await startTestServer(engine);
      const documents = new Map<string, Record<string, unknown>>();
      for (const path of WELL_KNOWN) {
        const answer = await fetch(`${url}${path}`);
        expect({ path, status: answer.status }).toEqual({ path, status: 200 });
        expect(answer.headers.get('content-type'), path).toMatch(/^application\/(json|jwk-set\+json)/);
        expect(answer.headers.get('x-request-id'), path).toBeTruthy();
        documents.set(path, (await answer.json()) as Record<string, unknown>);
        const head = await fetch(`${url}${path}`, { method: 'HEAD' });
        expect({ path, status: head.status, text: await head.text() }).toEqual({ path, status: 200, text: '' });
        expect(head.headers.get('content-type'), path).toBe(answer.headers.get('content-type'));
        expect((await fetch(`${url}${path}`, { method: 'POST' })).status, path).toBe(405);
      }
      const resource = (path: string) => ({
        resource: `${url}${path}`,
        authorization_servers: [url],
        bearer_methods_supported: ['header'],
        scopes_supported: expect.arrayContaining(['cairn']),
      });
      expect(documents.get(WELL_KNOWN[0] ?? '')).toMatchObject(resource(''));
      expect(documents.get(WELL_KNOWN[1] ?? '')).toMatchObject(resource('/mcp'));
      expect(documents.get(WELL_KNOWN[2] ?? '')).toMatchObject(resource('/mcp'));
      const server = documents.get('/.well-known/oauth-authorization-server');
      expect(documents.get('/.well-known/openid-configuration')).toEqual(server);
      expect(server).toMatchObject({
        issuer: url,
        authorization_endpoint: `${url}/oauth/authorize`,
        token_endpoint: `${url}/oauth/token`,
        registration_endpoint: `${url}/oauth/register`,
        revocation_endpoint: `${url}/oauth/revoke`,
        device_authorization_endpoint: `${url}/oauth/device-authorization`,
        jwks_uri: `${url}/.well-known/jwks.json`,
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        code_challenge_methods_supported: ['S256'],
        scopes_supported: ['openid', 'offline_access', 'cairn'],
        grant_types_supported: expect.arrayContaining(['authorization_code', 'refresh_token']),
        token_endpoint_auth_methods_supported: expect.arrayContaining(['none']),
        id_token_signing_alg_values_supported: ['EdDSA'],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: true,
      });
      expect(server?.grant_types_supported).not.toContain('implicit');
      for (const [name, value] of Object.entries(server ?? {})) {
        if (/_endpoint$|_uri$/.test(name)) expect(value, name).toMatch(new RegExp(`^${url}/`));
      }
      const { keys } = documents.get('/.well-known/jwks.json') as { keys: Record<string, unknown>[] };
      for (const key of keys)
        expect(Object.keys(key).toSorted((a, b) => a.localeCompare(b))).toEqual([
          'alg',
          'crv',
          'kid',
          'kty',
          'use',
          'x',
        ]);
    },
  );

  it('are named by every refusal for want of a token, and by that of the tools their own', async () => {
    const { url } = await startTestServer(engine);
    const authorization = 'Bearer not-a-token';
    const bad = { headers: { authorization } };
    const named = async (answer: Response) => {
      expect(answer.status).toBe(401);
      return /^Bearer .*resource_metadata="([^"]+)"/.exec(answer.headers.get('www-authenticate') ?? '')?.[1];
    };
    const general = `${url}/.well-known/oauth-protected-resource`;
    expect(await named(await fetch(`${url}/trpc/token.list?input={}`))).toBe(general);
    expect(await named(await fetch(`${url}/trpc/token.list?input={}`, bad))).toBe(general);
    expect(await named(await fetch(`${url}/.well-known/jwks.json`, bad))).toBe(general);
    expect(await named(await postJson(`${url}/mcp`, {}, { authorization }))).toBe(`${general}/mcp`);
  });

  it('are the same for every Host, and so is every address in an answer', async () => {
    const { url } = await openSite(engine);
    const { client_id } = await registerClient(url);
    const { port } = new URL(url);
    const authorizing = `/oauth/authorize?client_id=${client_id}&response_type=code&code_challenge=${'a'.repeat(43)}&code_challenge_method=S256&redirect_uri=http://127.0.0.1:9/callback`;
    for (const path of [...WELL_KNOWN, authorizing, '/oauth/authorize', '/oauth/device', '/auth/sign-in']) {
      for (const headers of [
        { host: 'evil.example' },
        { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', 'x-forwarded-port': '444' },
        { forwarded: 'host=evil.example;proto=https' },
      ]) {
        const { text, sent } = await get({ port, path, headers });
        expect(`${text}${sent}`, path).not.toMatch(/evil\.example|:444|https:/);
      }
    }
  });

  it('may be read by pages of origins that may read here, as may what clients call; what rests on a cookie by none', async () => {
    const { url } = await startTestServer(engine, { CAIRN_CORS_ORIGINS: ELSEWHERE });
    const headers = { origin: ELSEWHERE };
    for (const path of WELL_KNOWN) {
      const answer = await fetch(`${url}${path}`, { headers });
      expect(answer.headers.get('access-control-allow-origin'), path).toBe('*');
      expect(answer.headers.get('access-control-allow-credentials'), path).toBe(null);
    }
    for (const path of FOR_CLIENTS) {
      const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' };
      const asked = await fetch(`${url}${path}`, { method: 'OPTIONS', headers: { ...headers, ...preflight } });
      expect(asked.headers.get('access-control-allow-origin'), path).toBe('*');
      const answer = await postForm(`${url}${path}`, { client_id: 'cairn-cli' }, headers);
      expect(answer.headers.get('access-control-allow-origin'), path).toBe('*');
      expect(answer.headers.get('access-control-allow-credentials'), path).toBe(null);
    }
    for (const path of FOR_PEOPLE) {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const answer = await fetch(`${url}${path}`, { method, headers, redirect: 'manual' });
        expect(answer.headers.get('access-control-allow-origin'), `${method} ${path}`).toBe(null);
      }
    }
  });

  it('list the key before as well when another signs', async () => {
    const { url, store } = await startTestServer(engine);
    const listed = async () => {
      const { keys } = (await (await fetch(`${url}/.well-known/jwks.json`)).json()) as { keys: { kid: string }[] };
      return keys.map(({ kid }) => kid);
    };
    const [before] = await listed();
    await rotateSigningKey(store);
    const header = Buffer.from('{"alg":"EdDSA","typ":"at+jwt","kid":"aaaaaaaaaaaaaaaa"}').toString('base64url');
    await fetch(url, { headers: { authorization: `Bearer ${header}.e30.${'A'.repeat(86)}` } });
    const after = await listed();
    expect(after).toHaveLength(2);
    expect(after[1]).toBe(before);
  });
});

interface Asked {
  readonly port: string;
  readonly path: string;
  readonly headers: Record<string, string>;
}

/** fetch cannot set the Host header. */
async function get({ port, path, headers }: Asked): Promise<{ text: string; sent: string }> {
  return await new Promise((resolve, reject) => {
    const asking = request(
      { host: '127.0.0.1', port, path, headers: { accept: 'text/html', ...headers } },
      (answer) => {
        let text = '';
        answer.on('data', (chunk) => {
          text += chunk;
        });
        answer.on('end', () => resolve({ text, sent: JSON.stringify(answer.headers) }));
      },
    );
    asking.on('error', reject);
    asking.end();
  });
}
