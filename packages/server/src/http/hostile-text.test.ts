// Texts that could break out of SQL, headers, paths, logs or objects, put into every text of every procedure and every
// segment of every route. Deep and huge data is in hostile-input.test.ts.
import { type ProcedureName, QUERIES } from '@cairn/protocol/procedure-kinds';
import { PROCEDURE_NAMES } from '@cairn/protocol/procedures';
import { ROUTES, type RouteKey, routeAddress } from '@cairn/protocol/routes';
import { describe, expect, it } from 'vitest';
import { createPerson } from '../../../../test/support/person.ts';
import { createSession } from '../../../../test/support/principal.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { sendRaw } from '../../../../test/support/raw-request.ts';
import { type SampleWorld, sampleInput, type TextPlace, textPlaces } from '../../../../test/support/sample-input.ts';
import {
  createOwnerToken,
  createTestApp,
  ownerIdOf,
  startTestServer,
  type TestApp,
} from '../../../../test/support/server.ts';
import { contentsOf } from '../../../../test/support/statement.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { IS_LONG } from '../../../../test/support/suite.ts';
import type { Store } from '../store.ts';

const ESSENTIAL = [
  `'; drop table record; --`,
  `" or ""="`,
  'x\u0000y',
  'x\r\nx-injected: yes\r\n\r\n<script>',
  '../../etc/passwd',
  'x'.repeat(5_000),
  '__proto__',
  'constructor',
];
const FURTHER = [
  `') union select hash, 1 from token --`,
  `x' or '1'='1`,
  '$1',
  '$$; drop table account; $$',
  '#1',
  '\\',
  `\\'; --`,
  '/* */',
  '`; vacuum; `',
  '%',
  '_%',
  '\u0000',
  '\nset-cookie: a=b',
  '%0d%0ax-injected:%20yes',
  '%00',
  '%2e%2e%2f',
  '..',
  '/',
  '//x',
  `\${7*7}{{7*7}}`,
  '<img src=x onerror=alert(1)>',
  '\u202e\u200b\ufeff',
  'İſK\u0345ﷺ',
  '\ud83d\ude00'.repeat(300),
  'e\u0301'.repeat(200),
  '\u001b[31m\u0007\u009b',
  'a/'.repeat(600),
  '*'.repeat(500),
  '**/'.repeat(40),
  '[a-z]{1,',
  '(a+)+$',
  'NaN',
  '1e309',
  '-1',
  '00000000-0000-0000-0000-000000000000',
  'null',
  'toString',
  'hasOwnProperty',
];
const HOSTILE = [...ESSENTIAL, ...FURTHER];
const oneIn = (count: number, texts: readonly string[], index: number) =>
  texts.filter((_, at) => (at + index) % count === 0);
const textsFor = (index: number) => [
  ...oneIn(IS_LONG ? 1 : 4, ESSENTIAL, index),
  ...oneIn(IS_LONG ? 8 : 24, FURTHER, index),
];

const OUR_HEADERS = new Set([
  ...['x-request-id', 'x-content-type-options', 'x-frame-options', 'referrer-policy', 'content-security-policy'],
  ...['cross-origin-opener-policy', 'content-type', 'content-encoding', 'cache-control', 'vary', 'www-authenticate'],
  ...['allow', 'retry-after', 'access-control-allow-origin', 'access-control-expose-headers', 'etag', 'location'],
]);
const COOKIE_HEADERS: ReadonlySet<string> = new Set(['set-cookie', 'pragma']);
const NONE: ReadonlySet<string> = new Set();
const NODE_HEADERS = new Set(['connection', 'date', 'keep-alive', 'content-length', 'transfer-encoding']);

const foreignHeaders = (names: Iterable<string>) =>
  [...names].filter((name) => !OUR_HEADERS.has(name) && !NODE_HEADERS.has(name));

async function createSamples(
  { app, store }: TestApp,
  { token, orgName }: { token: string; orgName: string },
): Promise<SampleWorld> {
  const ownerId = await ownerIdOf(store);
  await store.write.createOrganization({ name: orgName, description: '', ownerId, now: Date.now() });
  const call = caller(app, token);
  (await call('repo.create', { orgName, name: 'world' })).data();
  const address = { orgName, repoName: 'world' };
  const fields = { x: 'number', 'to?': 'wref', 'label?': 'string' };
  (await call('shape.create', { ...address, name: 'Sensor', fields })).data();
  (await call('commit.submit', { ...address, operations: [{ name: 'Sensor/a', data: { x: 1 } }] })).data();
  const { durableId } = (await call('thing.get', { ...address, wref: 'Sensor/a' })).data();
  const tokenName = `t-${orgName}`;
  (await call('token.create', { name: tokenName, scopes: [{ permissions: ['repo:read'] }] })).data();
  return { ...address, shapeName: 'Sensor', recordName: 'Sensor/a', durableId, tokenName, handle: 'eve' };
}

const NEEDS_SOCKET = /^\/(oauth\/|\.well-known\/(oauth-authorization-server|openid-configuration|jwks))/;

const CANARY = 'canary';
async function canaryOf(store: Store): Promise<string> {
  const contents = await contentsOf(store);
  const kept = Object.entries(contents).map(([table, rows]) => [
    table,
    rows.filter((row) => String(row).includes(CANARY)),
  ]);
  return JSON.stringify(kept);
}

const writesOf = async (store: Store) => (await store.counts()).writes;

async function send(app: TestApp['app'], token: string, { name, input }: { name: ProcedureName; input: unknown }) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify(input);
  const query = QUERIES.has(name) && body.length < 4_000;
  const answer = await (query
    ? app.request(`/trpc/${name}?input=${encodeURIComponent(body)}`, { headers })
    : app.request(`/trpc/${name}`, { method: 'POST', headers, body }));
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

function targetsOf(path: string, text: string): string[] {
  const encoded = encodeURIComponent(text.slice(0, 2_000));
  const places = [...path.matchAll(/:\w+/g)].map(([place]) => place);
  return [
    ...places.map((place) => path.replace(place, encoded)),
    `${path}?${encoded}=${encoded}`,
    `${path}?input=${encoded}&batch=${encoded}&cursor=${encoded}&code=${encoded}&__proto__[x]=1`,
    `${path}/${encoded}`,
  ].map((target) => target.replaceAll(/:\w+/g, CANARY));
}

describe.each(UPPER_ENGINES)('hostile texts on %s', (engine) => {
  const prepare = async () => {
    const testApp = await createTestApp(engine);
    const { store, app } = testApp;
    const owner = await createOwnerToken(store);
    const { token } = await createSession(store, { accountId: await ownerIdOf(store) });
    await createPerson(store, { email: 'eve@example.com', password: 'long enough it is', operator: false });
    await createSamples(testApp, { token, orgName: CANARY });
    return { ...testApp, testApp, store, app, token, owner };
  };

  it('in any text of any procedure are refused or kept as they are', async () => {
    const { testApp, app, store, token, logged } = await prepare();
    const canary = await canaryOf(store);
    const wrong: unknown[] = [];
    let placeCount = 0;
    const tryTexts = async (name: ProcedureName, place: TextPlace) => {
      let taken = false;
      for (const text of textsFor(placeCount)) {
        const { status, headers, text: body } = await send(app, token, { name, input: place.put(text) });
        taken ||= status === 200;
        const foreign = foreignHeaders(headers.keys());
        if (status >= 500 || foreign.length > 0) wrong.push([name, place.path, text.slice(0, 40), status, foreign]);
        expect(() => JSON.parse(body)).not.toThrow();
      }
      return taken;
    };
    const tryQuery = async (name: ProcedureName, world: SampleWorld) => {
      const contents = JSON.stringify(await contentsOf(store));
      for (const place of textPlaces(name, sampleInput(name, world))) {
        placeCount += 1;
        await tryTexts(name, place);
      }
      if (JSON.stringify(await contentsOf(store)) !== contents) wrong.push([name, 'changed']);
    };
    const tryMutation = async (name: ProcedureName, world: SampleWorld) => {
      let contents = JSON.stringify(await contentsOf(store));
      let writes = await writesOf(store);
      for (const place of textPlaces(name, sampleInput(name, world))) {
        placeCount += 1;
        const taken = await tryTexts(name, place);
        // Most calls are refused before anything is written, and reading the whole store for each takes minutes.
        if (writes === (await writesOf(store))) continue;
        writes = await writesOf(store);
        const now = JSON.stringify(await contentsOf(store));
        if (!taken && now !== contents) wrong.push([name, place.path, 'changed']);
        contents = now;
      }
      if (JSON.stringify(await contentsOf(store)) !== contents) wrong.push([name, 'changed and was not counted']);
    };
    const shared = await createSamples(testApp, { token, orgName: 'read' });
    for (const [index, name] of PROCEDURE_NAMES.entries()) {
      if (QUERIES.has(name)) await tryQuery(name, shared);
      else await tryMutation(name, await createSamples(testApp, { token, orgName: `org-${index}` }));
    }
    expect(wrong).toEqual([]);
    expect(placeCount).toBeGreaterThan(150);
    expect(await canaryOf(store)).toBe(canary);
    expect(logged.filter(({ level }) => Number(level) >= 50)).toEqual([]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('in any segment or query of any route are answered as any other', async () => {
    const { app, store, token, logged } = await prepare();
    const before = JSON.stringify(await contentsOf(store));
    const wrong: unknown[] = [];
    const tryTarget = async (method: string, path: string, target: string) => {
      for (const headers of [{}, { authorization: `Bearer ${token}` }] as Record<string, string>[]) {
        const answer = await app.request(target, { method, headers });
        await answer.text();
        const own = path === '/auth/external/callback' ? COOKIE_HEADERS : NONE;
        const foreign = foreignHeaders(answer.headers.keys()).filter((name) => !own.has(name));
        const fault = answer.status >= 500 && answer.status !== 501;
        if (fault || foreign.length > 0) wrong.push([method, target.slice(0, 80), answer.status, foreign]);
      }
    };
    const keys = [...Object.keys(ROUTES), 'GET /trpc/:name', 'POST /trpc/:name'] as RouteKey[];
    for (const [index, key] of keys.entries()) {
      const { method, path } = routeAddress(key);
      if (NEEDS_SOCKET.test(path)) continue;
      for (const text of textsFor(index))
        for (const target of targetsOf(path, text)) await tryTarget(method, path, target);
    }
    expect(wrong).toEqual([]);
    expect(JSON.stringify(await contentsOf(store))).toBe(before);
    expect(logged.filter(({ level, status }) => Number(level) >= 50 && status !== 501)).toEqual([]);
  });

  it('in any segment or query of the OAuth server are answered as any other', async () => {
    const { url, store } = await startTestServer(engine, { CAIRN_LIMIT_ANONYMOUS_BURST: '100000' });
    const contents = async () => {
      const { oauth_item: _items, rate_bucket: _counts, ...rest } = await contentsOf(store);
      return JSON.stringify(rest);
    };
    await expect.poll(contents).toContain('signing-generations');
    const before = await contents();
    const wrong: unknown[] = [];
    const keys = (Object.keys(ROUTES) as RouteKey[]).filter((one) => NEEDS_SOCKET.test(routeAddress(one).path));
    for (const [index, key] of keys.entries()) {
      const { method, path } = routeAddress(key);
      for (const target of textsFor(index).flatMap((text) => targetsOf(path, text))) {
        const answer = await fetch(`${url}${target}`, { method, redirect: 'manual' });
        await answer.text();
        const foreign = foreignHeaders(answer.headers.keys()).filter((name) => !COOKIE_HEADERS.has(name));
        if (answer.status >= 500 || foreign.length > 0)
          wrong.push([method, target.slice(0, 80), answer.status, foreign]);
      }
    }
    expect(wrong).toEqual([]);
    expect(await contents()).toBe(before);
  });

  it('over a socket make no header, no second answer and no fault', async () => {
    const { url, store } = await startTestServer(engine);
    const token = await createOwnerToken(store);
    const wrong: unknown[] = [];
    const targets = (text: string) => [
      `/${text}`,
      `/trpc/auth.whoami?input=${text}`,
      `/trpc/${text}`,
      `/api/repos/${text}/${text}/head`,
      `/${text}/${text}/readme.md`,
      `/api/repos/canary/canary/about/${text}?${text}`,
      `http://evil.example/${text}`,
      text,
    ];
    const requests = [
      ...HOSTILE.slice(0, 26),
      '%',
      '%zz',
      '%ff%fe',
      '%c0%af',
      '%ed%a0%80',
      '*',
      'x y',
      '?',
      '#',
      '\u007f',
    ].flatMap((text) => [
      ...targets(text).map((target) => `GET ${target} HTTP/1.1\r\nhost: localhost\r\n`),
      ...['x-request-id', 'host', 'origin', 'accept-encoding', 'x-forwarded-for', 'content-type', 'if-none-match'].map(
        (name) => `GET /health/live HTTP/1.1\r\n${name}: ${text.replaceAll(/[\r\n]+/g, '\r\n ')}\r\n`,
      ),
    ]);
    for (const request of requests) {
      const { status, headers, body } = await sendRaw(
        url,
        Buffer.from(`${request}authorization: Bearer ${token}\r\nconnection: close\r\n\r\n`, 'utf8'),
      ).catch((error: Error) => ({ status: 0, headers: [], body: error.message }));
      const foreign = foreignHeaders(headers.map(([name]) => name));
      const fault = status === 0 || (status >= 500 && status !== 501);
      if (fault || foreign.length > 0 || /HTTP\/1\.1 \d/.test(body))
        wrong.push([request.slice(0, 90), status, foreign, body.slice(0, 90)]);
    }
    expect(wrong).toEqual([]);
    expect((await fetch(`${url}/health/ready`)).status).toBe(200);
  });
});
