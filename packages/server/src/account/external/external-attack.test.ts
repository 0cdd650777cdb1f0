// Attacks by people and providers with a false identity, on the way to an identity provider and back.
import { describe, expect, it } from 'vitest';
import { Browser, type Visited } from '../../../../../test/support/browser.ts';
import { csrfOf } from '../../../../../test/support/csrf.ts';
import { OTHER_CLIENT, signInAtProvider, startTestProvider } from '../../../../../test/support/openid-provider.ts';
import { createPerson } from '../../../../../test/support/person.ts';
import { createOwnerToken, createTestApp, startTestServer } from '../../../../../test/support/server.ts';
import { runStatement } from '../../../../../test/support/statement.ts';
import { UPPER_ENGINES } from '../../../../../test/support/store.ts';
import type { Engine } from '../../engine/database.ts';
import { findIdentityHolder } from './external-identity.sql.ts';

const GRACE = { email: 'grace@example.com', name: 'grace', password: 'a password of grace' };

async function prepare(engine: Engine) {
  const provider = await startTestProvider();
  const { url, store } = await startTestServer(engine, { ...provider.settings, CAIRN_SIGNUP: 'open' });
  provider.serve(url);
  await createOwnerToken(store);
  for (const name of ['eve', 'mallory']) {
    provider.people.set(name, { email: `${name}@example.com`, email_verified: true });
  }
  const holderOf = async (subject: string) =>
    await findIdentityHolder(store.database, { issuer: provider.issuer, subject });
  const comeBack = async (login: string) => {
    const browser = new Browser({ stopsAt: /\/(callback|other)\?/ });
    const page = await browser.open(`${url}/auth/external?next=/docs/api`);
    return { browser, address: new URL((await signInAtProvider(browser, page, login)).url) };
  };
  const isSignedIn = (browser: Browser) => browser.cookiesFor(`${url}/auth/x`).cairn_session !== undefined;
  return { url, store, provider, holderOf, comeBack, isSignedIn };
}

type Site = Awaited<ReturnType<typeof prepare>>;

const flowOf = (browser: Browser, { url }: Site) => browser.cookiesFor(`${url}/auth/external`).cairn_external;

function expectRefused({ isSignedIn }: Site, browser: Browser, page: Visited): void {
  expect([page.status, isSignedIn(browser)]).toEqual([401, false]);
  expect(page.text).toContain('role="alert"');
  expect(page.text).toContain('Start again');
}

describe.each(UPPER_ENGINES)('the way back from a provider on %s', (engine) => {
  it('is gone once, in the browser that went there, with what it kept for it', async () => {
    const site = await prepare(engine);
    const { url, holderOf, comeBack, isSignedIn } = site;
    const { browser, address } = await comeBack('eve');
    const flow = flowOf(browser, site) ?? '';
    expect(browser.flagsOf('cairn_external')).toMatch(/Max-Age=900.*HttpOnly; SameSite=Lax/);
    // Login CSRF: another browser finishes the sign-in, first without and then with flow state of its own.
    expectRefused(site, ...(await visit(new Browser(), address)));
    const victim = new Browser({ stopsAt: /\/callback\?/ });
    await signInAtProvider(victim, await victim.open(`${url}/auth/external`), 'mallory');
    expectRefused(site, ...(await visit(victim, address)));
    const forged = new Browser();
    for (const value of ['x', Buffer.from('{"intent":{"kind":"sign-in"}}').toString('base64url'), `${flow}A`]) {
      forged.setCookie(url, 'cairn_external', value);
      expectRefused(site, ...(await visit(forged, address)));
    }
    const [, page] = await visit(browser, address);
    expect([page.status, isSignedIn(browser)]).toEqual([200, true]);
    expect(flowOf(browser, site)).toBeUndefined();
    const accountId = (await holderOf('eve'))?.accountId;
    const again = new Browser();
    expectRefused(site, ...(await visit(again, address)));
    again.setCookie(url, 'cairn_external', flow);
    expectRefused(site, ...(await visit(again, address)));
    expect((await holderOf('eve'))?.accountId).toBe(accountId);
  });

  it('is not begun by a page of others with an invitation of theirs', async () => {
    const { url } = await prepare(engine);
    for (const site of ['cross-site', 'same-site']) {
      const headers = { 'sec-fetch-site': site };
      const led = await new Browser().send(`${url}/auth/external?code=theirs`, { headers });
      expect([led.status, led.headers.get('location')]).toEqual([303, '/auth/invite?code=theirs']);
      expect(led.headers.getSetCookie()).toEqual([]);
    }
  });

  it('proves no address that others than the provider would take for another', async () => {
    const { provider, comeBack, holderOf } = await prepare(engine);
    // The Kelvin sign becomes a k in lower case.
    provider.people.set('eve', { email: 'mi\u212ae@example.com', email_verified: true });
    const { browser, address } = await comeBack('eve');
    const [, page] = await visit(browser, address);
    expect([page.status, await holderOf('eve')]).toEqual([403, undefined]);
  });

  it('is refused with another state, without one, with two, and with the code of another', async () => {
    const site = await prepare(engine);
    const { comeBack, holderOf } = site;
    const other = (await comeBack('mallory')).address.searchParams;
    const changes: ((query: URLSearchParams) => void)[] = [
      (query) => query.set('state', other.get('state') ?? ''),
      (query) => query.set('state', ''),
      (query) => query.delete('state'),
      (query) => query.append('state', query.get('state') ?? ''),
      (query) => query.append('code', other.get('code') ?? ''),
      // Code injection: the code of another sign-in does not fit this verifier.
      (query) => query.set('code', other.get('code') ?? ''),
      (query) => query.set('code', 'made-up'),
      (query) => query.delete('code'),
      (query) => query.set('error', 'access_denied'),
    ];
    for (const change of changes) {
      const { browser, address } = await comeBack('eve');
      change(address.searchParams);
      expectRefused(site, ...(await visit(browser, address)));
    }
    expect([await holderOf('eve'), await holderOf('mallory')]).toEqual([undefined, undefined]);
  });

  it('is refused when it comes from another provider: mix-up', async () => {
    const site = await prepare(engine);
    for (const iss of ['https://evil.example', `${site.provider.issuer}/`, '', undefined]) {
      const { browser, address } = await site.comeBack('eve');
      expect(address.searchParams.get('iss')).toBe(site.provider.issuer);
      if (iss === undefined) address.searchParams.delete('iss');
      else address.searchParams.set('iss', iss);
      expectRefused(site, ...(await visit(browser, address)));
    }
    expect(await site.holderOf('eve')).toBeUndefined();
  });

  it('is refused with a code that was given to another client', async () => {
    const site = await prepare(engine);
    const { provider, comeBack, holderOf } = site;
    const thief = new Browser({ stopsAt: /\/other\?/ });
    const { clientId, redirectUri } = OTHER_CLIENT;
    const query = new URLSearchParams({
      ...{ client_id: clientId, redirect_uri: redirectUri, response_type: 'code', scope: 'openid email' },
      ...{ code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' },
    });
    const page = await thief.open(`${provider.issuer}/auth?${query}`);
    const stolen = new URL((await signInAtProvider(thief, page, 'mallory')).url).searchParams.get('code') ?? '';
    expect(stolen).not.toBe('');
    const { browser, address } = await comeBack('eve');
    address.searchParams.set('code', stolen);
    expectRefused(site, ...(await visit(browser, address)));
    expect([await holderOf('eve'), await holderOf('mallory')]).toEqual([undefined, undefined]);
  });

  const now = Math.floor(Date.now() / 1_000);
  it.each<[string, Record<string, unknown>]>([
    ['another nonce', { nonce: 'of another sign-in' }],
    ['no nonce', { nonce: undefined }],
    ['another audience', { aud: 'other' }],
    ['a second audience and no word of whom it is for', { aud: ['cairn', 'other'] }],
    ['two audiences, for the other', { aud: ['cairn', 'other'], azp: 'other' }],
    ['another issuer', { iss: 'https://evil.example' }],
    ['no subject', { sub: undefined }],
    ['its end in the past', { exp: now - 600 }],
    ['no end', { exp: undefined }],
  ])('is refused with an ID token with %s', async (_what, changed) => {
    const site = await prepare(engine);
    const { provider, comeBack, holderOf } = site;
    provider.lies.idToken = (claims) => JSON.parse(JSON.stringify({ ...claims, ...changed }));
    const { browser, address } = await comeBack('eve');
    expectRefused(site, ...(await visit(browser, address)));
    expect(await holderOf('eve')).toBeUndefined();
  });

  it('is refused with an ID token that somebody else has signed', async () => {
    const site = await prepare(engine);
    site.provider.lies.signature = true;
    const { browser, address } = await site.comeBack('eve');
    expectRefused(site, ...(await visit(browser, address)));
  });

  it('leads nobody to another server', async () => {
    const { url } = await prepare(engine);
    for (const next of ['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)']) {
      const browser = new Browser();
      const page = await browser.open(`${url}/auth/external?next=${encodeURIComponent(next)}`);
      const led = await signInAtProvider(browser, page, 'eve');
      expect(new URL(led.url).origin).toBe(url);
      expect(led.text).not.toContain('evil');
    }
  });
});

describe.each(UPPER_ENGINES)('connecting an identity on %s', (engine) => {
  async function signedIn(site: Site) {
    await createPerson(site.store, { ...GRACE, operator: false });
    const browser = new Browser({ stopsAt: /\/callback\?/ });
    const { email, password } = GRACE;
    await browser.submit(await browser.open(`${site.url}/auth/sign-in?next=/docs/api`), { email, password });
    return browser;
  }

  it('takes a form of our own, made for this browser, and the password', async () => {
    const site = await prepare(engine);
    const { url, holderOf } = site;
    const browser = await signedIn(site);
    const body = new URLSearchParams({ csrf: 'made-up', password: GRACE.password });
    for (const path of ['/auth/external', '/auth/external/unlink']) {
      const more = new URLSearchParams({ ...Object.fromEntries(body), issuer: 'x', subject: 'x' });
      const sent = { method: 'POST', body: path.endsWith('unlink') ? more : body };
      const answer = (headers: Record<string, string>) => browser.send(`${url}${path}`, { ...sent, headers });
      expect((await answer({ origin: 'https://evil.example' })).status).toBe(403);
      expect((await answer({ origin: url })).status).toBe(403);
      expect((await new Browser().send(`${url}${path}`, { ...sent, headers: { origin: url } })).status).toBe(401);
    }
    // A sign-in that a link starts connects no identity to the current session.
    const led = await signInAtProvider(browser, await browser.open(`${url}/auth/external?link=1`), 'mallory');
    await visit(browser, new URL(led.url));
    expect(await holderOf('mallory')).toMatchObject({ handle: 'mallory' });
  });

  it('is for the session that began it: no other browser can be made to finish it', async () => {
    const site = await prepare(engine);
    const { url, store, holderOf } = site;
    const graces = await signedIn(site);
    const cookie = { cairn_session: graces.cookiesFor(`${url}/auth/x`).cairn_session ?? '' };
    const mallory = new Browser({ stopsAt: /\/callback\?/ });
    const first = await signInAtProvider(mallory, await mallory.open(`${url}/auth/external`), 'mallory');
    await visit(mallory, new URL(first.url));
    const csrf = csrfOf(mallory, url);
    const form = '<form method="post" action="/auth/external"></form>';
    const page = { url: `${url}/auth/account`, status: 200, headers: new Headers(), text: form };
    const beyond = new Browser({ stopsAt: /\/callback\?/ });
    beyond.setCookie(url, 'cairn_session', mallory.cookiesFor(`${url}/auth/x`).cairn_session ?? '');
    const address = new URL((await signInAtProvider(beyond, await beyond.submit(page, { csrf }), 'eve')).url);
    const flow = flowOf(beyond, site) ?? '';
    beyond.setCookie(url, 'cairn_session', cookie.cairn_session);
    beyond.setCookie(url, 'cairn_external', flow);
    const [, refused] = await visit(beyond, address);
    expect(refused.status).toBe(401);
    expect(await holderOf('eve')).toBeUndefined();
    await runStatement(store, 'update session set ended_at = 1');
    const [, late] = await visit(mallory, address);
    expect([late.status, await holderOf('eve')]).toEqual([401, undefined]);
  });
});

describe.each(UPPER_ENGINES)('a provider on %s', (engine) => {
  it('that is down holds up nobody who signs in with a password', async () => {
    const site = await prepare(engine);
    const { url, store, provider, comeBack } = site;
    const { browser, address } = await comeBack('eve');
    await provider.stop();
    const [, page] = await visit(browser, address);
    expect([page.status, page.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8']);
    expect(page.text).toContain('Example cannot be reached');
    await createPerson(store, { ...GRACE, operator: false });
    const other = new Browser();
    const { email, password } = GRACE;
    await other.submit(await other.open(`${url}/auth/sign-in?next=/docs/api`), { email, password });
    expect(site.isSignedIn(other)).toBe(true);
  });

  it('that is not there yet is asked again when it is', async () => {
    const provider = await startTestProvider();
    const { url, store } = await startTestServer(engine, { ...provider.settings, CAIRN_SIGNUP: 'open' });
    await createOwnerToken(store);
    provider.people.set('eve', { email: 'eve@example.com', email_verified: true });
    const browser = new Browser();
    const refused = await browser.open(`${url}/auth/external`);
    expect([refused.status, refused.text.includes('Example cannot be reached')]).toEqual([503, true]);
    provider.serve(url);
    const led = await signInAtProvider(browser, await browser.open(`${url}/auth/external?next=/docs/api`), 'eve');
    expect(led.url).toBe(`${url}/docs/api`);
  });
});

describe.each(UPPER_ENGINES)('on https, on %s', (engine) => {
  it('no other host can set the cookie, and the log holds nothing of what is secret', async () => {
    const provider = await startTestProvider();
    const url = 'https://cairn.example';
    const site = { ...provider.settings, CAIRN_PUBLIC_URL: url, CAIRN_SIGNUP: 'open' };
    const { app, store, logged } = await createTestApp(engine, site);
    provider.serve(url);
    await createOwnerToken(store);
    provider.people.set('eve', { email: 'eve@example.com', email_verified: true });
    const departure = await app.request('/auth/external');
    const [kept = ''] = departure.headers.getSetCookie();
    expect(kept).toMatch(/^__Host-cairn_external=[\w-]+; Max-Age=900; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    const browser = new Browser({ stopsAt: /^https:/ });
    const page = await browser.open(departure.headers.get('location') ?? '');
    const { pathname, search, searchParams } = new URL((await signInAtProvider(browser, page, 'eve')).url);
    const [cookie = ''] = kept.split(';');
    const visitBy = (query: string) => app.request(`${pathname}${query}`, { headers: { cookie } });
    expect((await visitBy(search.replace('code=', 'code=x'))).status).toBe(401);
    const arrival = await visitBy(search);
    expect(arrival.status).toBe(200);
    const [session = '', , used = ''] = arrival.headers.getSetCookie();
    expect(session).toMatch(/^__Host-cairn_session=[\w-]{43};.*Secure/);
    expect(used).toMatch(/^__Host-cairn_external=; Max-Age=0/);
    const log = JSON.stringify(logged);
    expect(log).toContain('External sign-in failed.');
    const secrets = [cookie.split('=')[1], session.slice(21, 64), provider.settings.CAIRN_OIDC_CLIENT_SECRET];
    for (const secret of [...secrets, searchParams.get('code'), searchParams.get('state')]) {
      expect(secret?.length).toBeGreaterThan(20);
      expect(log).not.toContain(secret);
    }
  });
});

async function visit(browser: Browser, address: URL): Promise<[Browser, Visited]> {
  return [browser, await browser.send(address.href)];
}
