// Authentication at the server's entrance: sessions, tokens and their header, valid or damaged.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import {
  compactJws,
  type ForgedWorld,
  forgedAlgorithms,
  forgedClaims,
  forgedForms,
  forgedHeaders,
  forgedKeys,
  headerOf,
  signerOf,
} from '../../../../test/support/forged-session.ts';
import { createPerson } from '../../../../test/support/person.ts';
import { createComponentToken, createSession, TEST_SECRET, TEST_URL } from '../../../../test/support/principal.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { rawGet, sendRaw } from '../../../../test/support/raw-request.ts';
import {
  createOwnerToken,
  createTestApp,
  ownerIdOf,
  startTestServer,
  type TestApp,
} from '../../../../test/support/server.ts';
import { runStatement } from '../../../../test/support/statement.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import { findAccountByEmail } from '../account/account.sql.ts';
import { createToken } from '../account/account.ts';
import type { Engine } from '../engine/database.ts';
import { deriveSigningKey } from '../keys/session-jwt.ts';
import type { Store } from '../store.ts';
import { mintToken } from './principal.ts';

type Headers = Record<string, string>;

const CHALLENGE = `Bearer resource_metadata="${TEST_URL}/.well-known/oauth-protected-resource"`;
const key = deriveSigningKey(TEST_SECRET);

async function whoIs({ app }: Pick<TestApp, 'app'>, headers: Headers, query = ''): Promise<string> {
  const answer = await app.request(`/trpc/auth.whoami${query}`, { headers });
  const text = await answer.text();
  if (answer.status === 200) return JSON.parse(text).result.data.kind;
  expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, CHALLENGE]);
  expect(JSON.parse(text).error.data.cairn.code).toBe('UNAUTHENTICATED');
  return text;
}

const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });

async function accountOf(store: Store, email: string): Promise<number> {
  const { id } = (await findAccountByEmail(store.database, email)) ?? {};
  if (id === undefined) throw new Error(`there is no ${email}`);
  return id;
}

async function prepare(engine: Engine) {
  const testApp = await createTestApp(engine);
  const { store } = testApp;
  const pat = await createOwnerToken(store);
  const accountId = await ownerIdOf(store);
  const session = await createSession(store, { accountId });
  const now = Math.floor(Date.now() / 1_000);
  const claims = {
    ...{ sid: session.sessionId, scope: 'cairn', iss: TEST_URL, aud: TEST_URL, sub: String(accountId), jti: 'x' },
    ...{ iat: now - 60, exp: now + 3_000 },
  };
  const refused = await whoIs(testApp, bearer('nonsense'));
  return { ...testApp, testApp, pat, accountId, session, claims, refused };
}

describe.each(ENGINES)('session tokens on %s', (engine) => {
  it(verifies('let their account in, on every path', '5/kind-jwt'), async () => {
    const { app, testApp, session, claims } = await prepare(engine);
    const good = compactJws(headerOf(key), claims, signerOf(key));
    for (const token of [session.token, good]) {
      expect(await whoIs(testApp, bearer(token))).toBe('session');
      expect(await whoIs(testApp, { authorization: `bEaReR   ${token}  ` })).toBe('session');
      for (const path of ['/health/live', '/', '/openapi.json']) {
        expect((await app.request(path, { headers: bearer(token) })).status).toBe(200);
      }
    }
    expect((await caller(app, good)('auth.whoami', {})).data()).toMatchObject({
      kind: 'session',
      handle: 'ada',
      operator: true,
      expiresAt: claims.exp * 1_000,
    });
  });

  it(verifies('that are forged are all refused alike, and no key of others is fetched', '5/kind-other'), async () => {
    const { testApp, claims, refused } = await prepare(engine);
    let contacts = 0;
    const foreign = createServer((_, response) => response.end('{"keys":[]}')).on('connection', () => {
      contacts += 1;
    });
    await new Promise<void>((done) => foreign.listen(0, '127.0.0.1', done));
    onTestFinished(() => new Promise<void>((done) => void foreign.close(() => done())));
    const foreignUrl = `http://127.0.0.1:${(foreign.address() as AddressInfo).port}`;
    const world: ForgedWorld = { key, claims, foreignUrl };
    const forged = [
      ...forgedAlgorithms(world),
      ...forgedKeys(world),
      ...forgedHeaders(world),
      ...forgedClaims(world),
      ...(await forgedForms(world)),
    ];
    const accepted: string[] = [];
    for (const [what, token] of forged) if ((await whoIs(testApp, bearer(token))) !== refused) accepted.push(what);
    expect(accepted).toEqual([]);
    expect(contacts).toBe(0);
    expect(testApp.logged.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });

  it('that are changed by chance are refused, and never a fault of ours', async () => {
    const { app, claims } = await prepare(engine);
    const good = compactJws(headerOf(key), claims, signerOf(key));
    await fc.assert(
      fc.asyncProperty(fc.nat(good.length - 1), fc.integer({ min: 0x20, max: 0xff }), async (at, code) => {
        // HTTP forbids DEL in a header, so no request has it.
        fc.pre(code !== 0x7f && good.charCodeAt(at) !== code && !(code === 0x20 && at === good.length - 1));
        const changed = good.slice(0, at) + String.fromCharCode(code) + good.slice(at + 1);
        expect((await app.request('/trpc/auth.whoami', { headers: bearer(changed) })).status).toBe(401);
      }),
      { numRuns: 300 },
    );
  });

  it('end with their session, their account, and never pass to another', async () => {
    const { testApp, store, accountId, session, claims, refused } = await prepare(engine);
    await createPerson(store, { email: 'eve@example.com', password: 'long enough it is', operator: false });
    const eve = await accountOf(store, 'eve@example.com');
    const ofEve = compactJws(headerOf(key), { ...claims, sub: String(eve) }, signerOf(key));
    expect(await whoIs(testApp, bearer(ofEve))).toBe(refused);

    const again = await createSession(store, { accountId });
    const eves = await createSession(store, { accountId: eve });
    await store.write.endSessions({ accountId, now: Date.now() });
    for (const { token } of [session, again]) expect(await whoIs(testApp, bearer(token))).toBe(refused);
    expect(await whoIs(testApp, bearer(eves.token))).toBe('session');

    const short = await createSession(store, { accountId });
    expect(await whoIs(testApp, bearer(short.token))).toBe('session');
    await runStatement(store, `update session set expires_at = ${Date.now() - 1} where id = '${short.sessionId}'`);
    expect(await whoIs(testApp, bearer(short.token))).toBe(refused);

    const last = await createSession(store, { accountId });
    const { token: pat } = await createToken(store, {
      email: 'ada@example.com',
      name: 'last',
      scopes: [{ permissions: ['repo:read'] }],
    });
    expect([await whoIs(testApp, bearer(last.token)), await whoIs(testApp, bearer(pat))]).toEqual(['session', 'token']);
    await runStatement(store, `update account set deactivated_at = ${Date.now()} where id = ${accountId}`);
    for (const token of [last.token, pat]) expect(await whoIs(testApp, bearer(token))).toBe(refused);
    expect(await whoIs(testApp, bearer(eves.token))).toBe('session');
  });

  it('for /mcp are good there alone, and those for the server are good there too', async () => {
    const { app, testApp, store, accountId, refused } = await prepare(engine);
    const { token: forMcp } = await createSession(store, { accountId, audience: `${TEST_URL}/mcp` });
    const { token: forServer } = await createSession(store, { accountId });
    const post = async (path: string, token: string) => {
      const headers = { ...bearer(token), 'content-type': 'application/json' };
      return (await app.request(path, { method: 'POST', headers, body: '{}' })).status;
    };
    expect(await whoIs(testApp, bearer(forMcp))).toBe(refused);
    for (const path of ['/', '/health/live', '/api/repos/a/b/head', '/mcp/.well-known/oauth-protected-resource']) {
      expect([path, (await app.request(path, { headers: bearer(forMcp) })).status]).toEqual([path, 401]);
    }
    for (const path of ['/mcp/', '//mcp', '/mcp/x', '/MCP', '/trpc/auth.whoami', '/mcp%2f', '/x/../mcp/y']) {
      expect([path, await post(path, forMcp)]).toEqual([path, 401]);
    }
    for (const token of [forMcp, forServer]) expect(await post('/mcp', token)).not.toBe(401);
    const others = [`${TEST_URL}/mcp/`, `${TEST_URL}/MCP`, `${TEST_URL}/mcp2`, '/mcp', 'mcp'];
    for (const audience of others) {
      const { token } = await createSession(store, { accountId, audience });
      expect([audience, await post('/mcp', token)]).toEqual([audience, 401]);
    }
  });
});

async function createCredentials(store: Store): Promise<Record<'token' | 'session' | 'component', string>> {
  const token = await createOwnerToken(store);
  const { token: session } = await createSession(store, { accountId: await ownerIdOf(store) });
  const repository = { orgName: 'ada', name: 'world', description: '', visibility: 'private' } as const;
  const { repoId } = await store.write.createRepository(repository);
  return { token, session, component: await createComponentToken(store, { repoId }) };
}

describe('the Authorization header', () => {
  it('is a scheme and one token, or nothing', async () => {
    const testApp = await createTestApp('sqlite');
    const credentials = await createCredentials(testApp.store);
    for (const [kind, token] of Object.entries(credentials)) {
      for (const good of [`Bearer ${token}`, `bearer ${token}`, `BEARER    ${token}`, ` Bearer ${token} `]) {
        expect([good, await whoIs(testApp, { authorization: good })]).toEqual([good, kind]);
      }
      const basic = Buffer.from(`ada:${token}`).toString('base64');
      const malformed = [
        ...['', ' ', 'Bearer', 'Bearer ', 'Bearer=', token, `Bearer${token}`, `Bearer\t${token}`, `Bearer:${token}`],
        ...[`Bearer ${token} ${token}`, `Bearer ${token},${token}`, `Bearer ${token}, Bearer ${token}`],
        ...[`Bearer ${token};`, `Bearer "${token}"`, `Bearer <${token}>`, `Bearer token=${token}`, `Bearer ,${token}`],
        ...[`Bearer ${token}\u00a0`, `Bearer\u00a0${token}`, `Bearer \u00ff${token}`],
        ...[`Basic ${basic}`, `Basic ${token}`, `Token ${token}`, `Digest ${token}`, `Bearer Bearer ${token}`],
        ...[`Bearer, ${token}`, `Bearers ${token}`, `X-Bearer ${token}`, `null`, `undefined`, `Bearer null`],
        ...[`Bearer ${encodeURIComponent(`${token}\r\n`)}`, `Bearer ${token}%00`, `Bearer '${token}'--`],
      ];
      for (const header of malformed) {
        const who = await whoIs(testApp, { authorization: header });
        expect([header, who.startsWith('{')]).toEqual([header, true]);
        if (header.includes(token)) expect(who).not.toContain(token);
      }
    }
  });

  it('is the only place from which a credential is taken', async () => {
    const { app, store } = await createTestApp('sqlite');
    const credentials = await createCredentials(store);
    const names = ['access_token', 'token', 'bearer', 'authorization', 'Authorization', 'api_key', 'jwt', 'ticket'];
    const others = [
      'proxy-authorization',
      'x-authorization',
      'x-api-key',
      'x-access-token',
      'x-forwarded-authorization',
    ];
    const anonymous = async (path: string, init: RequestInit) => {
      const body = await (await app.request(path, init)).text();
      expect([
        path,
        JSON.stringify(init).slice(0, 60),
        body.includes('"anonymous"') || body.includes('VALIDATION_ERROR'),
      ]).toEqual([path, JSON.stringify(init).slice(0, 60), true]);
      expect(body).not.toMatch(/"handle"|"component":/);
    };
    for (const token of Object.values(credentials)) {
      for (const name of names) {
        await anonymous(`/trpc/auth.whoami?${name}=${token}`, {});
        await anonymous(`/trpc/auth.whoami?${name}=Bearer%20${token}`, {});
        await anonymous('/trpc/auth.whoami', { headers: { cookie: `${name}=${token}; ${name}=Bearer ${token}` } });
        const headers = { 'content-type': 'application/json' };
        await anonymous('/trpc/auth.whoami', { method: 'POST', headers, body: JSON.stringify({ [name]: token }) });
      }
      for (const name of others) await anonymous('/trpc/auth.whoami', { headers: { [name]: `Bearer ${token}` } });
      await anonymous(`/trpc/auth.whoami?input=${encodeURIComponent(JSON.stringify({ token }))}`, {});
    }
  });

  it.each(ENGINES)('that came strangely over the wire is refused, and the server goes on, on %s', async (engine) => {
    const { url, store } = await startTestServer(engine);
    const pat = await createOwnerToken(store);
    const get = (...lines: string[]) => sendRaw(url, rawGet('/trpc/auth.whoami', lines));
    const who = async (...lines: string[]) => {
      const { status, body } = await get(...lines);
      return status === 200 ? JSON.parse(body).result.data.kind : status;
    };
    expect(await who(`authorization: Bearer ${pat}`)).toBe('token');
    expect(await who(`AUTHORIZATION:Bearer ${pat}`)).toBe('token');
    expect(await who()).toBe('anonymous');
    const bad = mintToken();
    for (const [first, second] of [
      [pat, pat],
      [pat, bad],
      [bad, pat],
    ]) {
      expect(await who(`authorization: Bearer ${first}`, `Authorization: Bearer ${second}`)).toBe(401);
    }
    expect(await who(`authorization: Bearer ${pat}`, 'authorization:')).toBe(401);
    expect(await who('authorization:', `authorization: Bearer ${pat}`)).toBe(401);
    expect(await who('authorization:')).toBe(401);
    const strange = [
      ...[`authorization : Bearer ${pat}`, ` authorization: Bearer ${pat}`, `authorization: Bearer\u0000${pat}`],
      ...[
        `authorization: Bearer ${pat}\u0000`,
        `authorization: Bearer ${pat}\u0001`,
        `authorization: Bearer ${pat}\u007f`,
      ],
      ...[
        `authorization: Bearer ${pat}\u00e9`,
        `authorization: Bearer\u00a0${pat}`,
        `authorization: Bearer \u00ff${pat}`,
      ],
      ...[`authorization: Bearer\r\n ${pat}`, `authorization: Bearer ${pat}\r`, `authorization: Bearer ${pat}\n\tx`],
      ...[`authorization: Bearer ${pat}\r\n\tfolded`, `authorization:\r\n Bearer ${pat}`],
    ];
    for (const line of strange) expect([line, await who(line)]).toEqual([line, expect.toBeOneOf([400, 401])]);
    expect(await who(`x: authorization: Bearer ${pat}`)).toBe('anonymous');
    expect(await who(`authorization: Bearer ${pat}`)).toBe('token');
  });

  it('of any size is answered, and the server goes on', async () => {
    const { url, store } = await startTestServer('sqlite');
    const pat = await createOwnerToken(store);
    const { token: session } = await createSession(store, { accountId: await ownerIdOf(store), url });
    for (const size of [4_096, 4_097, 8_192, 15_000, 16_384, 65_536, 1_000_000]) {
      const long = [
        'x'.repeat(size),
        `${pat}${'A'.repeat(size)}`,
        `cairn_pat_${'A'.repeat(size)}`,
        `${session}${'A'.repeat(size)}`,
        `${'A'.repeat(size)}.A.A`,
        '.'.repeat(size),
        `a${'='.repeat(size)}`,
        `a${' '.repeat(size)}b`,
        `${'a '.repeat(size / 2)}`,
      ];
      for (const value of long) {
        const { status, body, headers } = await sendRaw(
          url,
          rawGet('/trpc/auth.whoami', [`authorization: Bearer ${value}`]),
        );
        const shown = [size, value.slice(0, 12), status];
        expect(shown).toEqual([size, value.slice(0, 12), size < 16_000 ? 401 : 431]);
        expect(headers.some(([name]) => name === 'x-request-id')).toBe(true);
        expect(body.length).toBeLessThan(1_000);
        expect(body).not.toContain(pat);
      }
    }
    const { status } = await sendRaw(url, rawGet('/trpc/auth.whoami', [`authorization: Bearer ${pat}`]));
    expect(status).toBe(200);
  });
});

describe.each(ENGINES)('damaged tokens on %s', (engine) => {
  it(verifies('are refused, whatever was done to them', '5/kind-other'), async () => {
    const testApp = await createTestApp(engine);
    const { store } = testApp;
    const { token: pat, component } = await createCredentials(store);
    const repoId = 1;
    const setup = await createComponentToken(store, { repoId, kind: 'setup' });
    const good = { token: pat, component, setup };
    const refused = await whoIs(testApp, bearer('nonsense'));
    const prefixes = [
      'cairn_pat_',
      'cairn_run_',
      'cairn_setup_',
      'cairn_',
      '',
      'CAIRN_PAT_',
      'cairn-pat-',
      'xcairn_pat_',
    ];
    for (const token of Object.values(good)) {
      expect(await whoIs(testApp, bearer(token))).not.toBe(refused);
      const cut = token.lastIndexOf('_') + 1;
      const [prefix, secret] = [token.slice(0, cut), token.slice(cut)];
      const damaged = [
        ...prefixes.filter((other) => other !== prefix).map((other) => other + secret),
        ...[token.toUpperCase(), token.toLowerCase(), prefix + secret.toLowerCase(), prefix.toUpperCase() + secret],
        ...[
          token.slice(0, -1),
          token.slice(1),
          `${token}0`,
          `0${token}`,
          token + token,
          prefix,
          secret,
          `${prefix}0${secret}`,
        ],
        ...[`${token}.`, `${token}=`, `${token}/`, `${token}~`, `${prefix}-${secret}`, `${prefix}${secret.slice(1)}`],
        ...[prefix + [...secret].reverse().join(''), `${prefix}${'0'.repeat(49)}`, `${prefix}${'z'.repeat(49)}`],
        ...[...secret].map((character, at) => {
          const other = character === '0' ? '1' : '0';
          return prefix + secret.slice(0, at) + other + secret.slice(at + 1);
        }),
        mintToken('personal'),
        mintToken('setup'),
        mintToken('runtime'),
      ].filter((other) => other !== token);
      for (const other of damaged) expect([other, await whoIs(testApp, bearer(other))]).toEqual([other, refused]);
      for (const strange of [' ', '\t', '\u00a0', '\u00e9', '\u00ad', '%00', '%20', '"', '\\', '\u00b5'].map(
        (character) => prefix + secret.slice(0, 9) + character + secret.slice(9),
      )) {
        expect([strange, (await whoIs(testApp, bearer(strange))).startsWith('{')]).toEqual([strange, true]);
      }
    }
    expect(testApp.logged.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });

  it('look-alikes and bytes that no header holds come over a socket, and are refused', async () => {
    const { url, store } = await startTestServer(engine);
    const pat = await createOwnerToken(store);
    const at = pat.length - 20;
    const lettersAndDigits = ['\u0430', '\u03bf', '\uff41', '\uff10', '\u017f', '\u212a'];
    const unseen = ['\u200b', '\ufeff', '\0', '\u0008'];
    const lookalikes = [...lettersAndDigits, ...unseen, '\ud83d\ude00'];
    for (const character of lookalikes) {
      const changed = pat.slice(0, at) + character + pat.slice(at + 1);
      const prefixed = `Bearer ${character}${pat}`;
      for (const value of [`Bearer ${changed}`, prefixed, `Bearer ${pat}${character}`]) {
        const { status, body } = await sendRaw(
          url,
          Buffer.from(rawGet('/trpc/auth.whoami', [`authorization: ${value}`]), 'utf8'),
        );
        expect([value, status]).toEqual([value, expect.toBeOneOf([400, 401])]);
        expect(body).not.toContain(pat);
      }
    }
    const { status } = await sendRaw(url, rawGet('/trpc/auth.whoami', [`authorization: Bearer ${pat}`]));
    expect(status).toBe(200);
  });
});
