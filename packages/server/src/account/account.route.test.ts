// The account page, and the explorer's exchange of the cookie for a JWT.
import { describe, expect, it } from 'vitest';
import { Browser, formsOf, type Visited } from '../../../../test/support/browser.ts';
import { createPerson } from '../../../../test/support/person.ts';
import { OWNER, startTestServer } from '../../../../test/support/server.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import type { Engine } from '../engine/database.ts';

const { email, password } = OWNER;

async function openSite(engine: Engine) {
  const server = await startTestServer(engine);
  const { id: accountId } = await createPerson(server.store, { ...OWNER, operator: true });
  const { url } = server;
  const signIn = async (browser = new Browser()) => {
    const page = await browser.submit(await browser.open(`${url}/auth/sign-in?next=/auth/account`), {
      email,
      password,
    });
    return { browser, page };
  };
  const trade = (browser: Browser, headers: Record<string, string> = { origin: url }) =>
    browser.send(`${url}/auth/session-token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{}',
    });
  const whoami = async (jwt: string) => {
    const answer = await fetch(`${url}/trpc/auth.whoami`, { headers: { authorization: `Bearer ${jwt}` } });
    return { status: answer.status, body: await answer.text() };
  };
  return { ...server, accountId, signIn, trade, whoami };
}

function formAt(page: Visited, wanted: Record<string, string>): number {
  return formsOf(page).findIndex(({ values }) =>
    Object.entries(wanted).every(([name, value]) => values[name] === value),
  );
}

const tokenOf = ({ text }: Visited): string => JSON.parse(text).accessToken;

describe.each(ENGINES)('the page of an account on %s', (engine) => {
  it('shows browsers and clients, and ends one of them', async () => {
    const { url, store, accountId, signIn } = await openSite(engine);
    const { browser, page } = await signIn();
    const { browser: other } = await signIn();
    expect([page.status, page.url]).toEqual([200, `${url}/auth/account`]);
    expect(page.headers.get('cache-control')).toBe('no-store');
    const client = { id: 'https://tool.example/client.json', name: '<b>A tool</b>' };
    const now = Date.now();
    await store.write.createSession({ id: 'grant-1', accountId, createdAt: now, expiresAt: now + 60_000, client });
    const shown = await browser.open(`${url}/auth/account`);
    expect(shown.text).toContain('<h1>ada</h1>');
    expect(shown.text).toContain('You sign in as ada@example.com.');
    expect(shown.text).toContain('&lt;b&gt;A tool&lt;/b&gt; (tool.example)');
    expect(shown.text.match(/\(this browser\)/g)).toHaveLength(1);
    const led = await browser.submit(shown, {}, formAt(shown, { id: 'grant-1' }));
    expect(led.url).toBe(`${url}/auth/account`);
    expect(led.text).not.toContain('A tool');
    const ids = formsOf(led).flatMap(({ values }) => values.id ?? []);
    expect(ids).toHaveLength(1);
    const [mine] = formsOf(await other.open(`${url}/auth/account`)).flatMap(({ values }) => values.csrf ?? []);
    expect(mine).toBeDefined();
    const sessions = await store.database.query<{ id: string }>(
      "select id from session where kind = 'browser' order by created_at desc",
    );
    await browser.submit(led, {}, formAt(led, { id: sessions[0]?.id ?? '' }));
    expect((await other.open(`${url}/auth/account`)).url).toBe(`${url}/auth/sign-in`);
    expect((await browser.open(`${url}/auth/account`)).url).toBe(`${url}/auth/account`);
  });

  it('leads to signing in who is not', async () => {
    const { url } = await openSite(engine);
    expect((await new Browser().open(`${url}/auth/account`)).url).toContain('/auth/sign-in');
  });

  it('signs out everywhere, here too', async () => {
    const { url, signIn, trade, whoami } = await openSite(engine);
    const [{ browser }, { browser: other }] = [await signIn(), await signIn()];
    const tokens = [tokenOf(await trade(browser)), tokenOf(await trade(other))];
    for (const token of tokens) expect((await whoami(token)).status).toBe(200);
    const page = await browser.open(`${url}/auth/account`);
    const out = await browser.submit(page, {}, formAt(page, { all: 'yes' }));
    expect([out.status, out.text]).toEqual([200, expect.stringContaining('You are signed out everywhere')]);
    expect(browser.cookiesFor(`${url}/auth/account`)).toEqual({});
    for (const token of tokens) expect((await whoami(token)).status).toBe(401);
    expect((await other.open(`${url}/auth/account`)).url).toContain('/auth/sign-in');
  });

  it('takes forms of its own alone', async () => {
    const { url, signIn } = await openSite(engine);
    const { browser, page } = await signIn();
    const { page: others } = await signIn();
    const csrf = formsOf(page)[0]?.values.csrf ?? '';
    const end = (fields: Record<string, string>, headers: Record<string, string> = { origin: url }) =>
      browser.send(`${url}/auth/sessions/end`, { method: 'POST', headers, body: new URLSearchParams(fields) });
    const refused = [
      await end({ all: 'yes', csrf }, { origin: 'https://evil.example' }),
      await end({ all: 'yes', csrf }, {}),
      await end({ all: 'yes', csrf: '' }),
      await end({ all: 'yes', csrf: formsOf(others)[0]?.values.csrf ?? '' }),
      await end({ all: 'yes', csrf: `${csrf}x` }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
    expect(refused[0]?.text).toContain('role="alert"');
    expect((await end({ id: 'not-there', csrf })).status).toBe(404);
    expect((await end({ csrf })).status).toBe(404);
    const json = await browser.send(`${url}/auth/sessions/end`, {
      method: 'POST',
      headers: { origin: url, 'content-type': 'application/json' },
      body: JSON.stringify({ all: 'yes', csrf }),
    });
    expect(json.status).toBe(415);
    expect((await browser.open(`${url}/auth/account`)).url).toBe(`${url}/auth/account`);
  });

  it('cannot be framed, and is read by nobody else', async () => {
    const { url, signIn } = await openSite(engine);
    const { browser } = await signIn();
    for (const path of ['/auth/account', '/auth/sign-in', '/auth/forgot', '/auth/sign-up']) {
      const { headers } = await browser.send(`${url}${path}`, { headers: { origin: 'https://evil.example' } });
      expect([path, headers.get('x-frame-options')]).toEqual([path, 'DENY']);
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  });
});

describe.each(ENGINES)("the explorer's trade on %s", (engine) => {
  it('gives a JWT of the same session, which ends with it', async () => {
    const { url, store, signIn, trade, whoami } = await openSite(engine);
    const { browser } = await signIn();
    const traded = await trade(browser);
    expect([traded.status, traded.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const { accessToken, expiresAt } = JSON.parse(traded.text);
    const claims = JSON.parse(Buffer.from(accessToken.split('.')[1], 'base64url').toString());
    const [session] = await store.database.query<{ id: string }>('select id from session');
    expect(claims).toMatchObject({ iss: url, aud: url, sid: session?.id, exp: expiresAt / 1_000 });
    expect(JSON.parse((await whoami(accessToken)).body).result.data).toMatchObject({ kind: 'session', handle: 'ada' });
    const page = await browser.open(`${url}/auth/account`);
    await browser.submit(
      page,
      {},
      formsOf(page).findIndex(({ action }) => action === '/auth/sign-out'),
    );
    expect((await whoami(accessToken)).status).toBe(401);
    expect((await trade(browser)).status).toBe(204);
  });

  it('is for pages of this server, by script', async () => {
    const { url, signIn, trade } = await openSite(engine);
    const { browser } = await signIn();
    const refused = [
      await trade(browser, { origin: 'https://evil.example' }),
      await trade(browser, {}),
      await trade(browser, { origin: 'null', 'sec-fetch-site': 'cross-site' }),
      await trade(browser, { origin: url, 'content-type': 'text/plain' }),
      await trade(browser, { origin: url, 'content-type': 'application/x-www-form-urlencoded' }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 415, 415]);
    expect(refused.map(({ text }) => text).join('')).not.toContain('eyJ');
    expect((await trade(new Browser())).status).toBe(204);
    expect((await browser.send(`${url}/auth/session-token`)).status).toBe(405);
  });

  it('is needed: the cookie is worth nothing elsewhere', async () => {
    const { url, signIn } = await openSite(engine);
    const { browser } = await signIn();
    expect(browser.cookiesFor(`${url}/trpc/auth.whoami`)).toHaveProperty('cairn_session');
    const asked = await browser.send(`${url}/trpc/auth.whoami`);
    expect(JSON.parse(asked.text).result.data).toEqual({ kind: 'anonymous' });
    const listed = await browser.send(`${url}/trpc/auth.listSessions`);
    expect(listed.status).toBe(401);
  });
});
