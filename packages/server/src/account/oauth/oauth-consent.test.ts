// Only the person at the browser decides, on our own page, once.
import { describe, expect, it } from 'vitest';
import { type Browser, formsOf, type Visited } from '../../../../../test/support/browser.ts';
import {
  authorizeUrl,
  connect,
  newBrowser,
  openSignedIn,
  openSite,
  pkce,
  REDIRECT,
  registerClient,
} from '../../../../../test/support/oauth.ts';
import { createPerson } from '../../../../../test/support/person.ts';
import { OWNER } from '../../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../../test/support/store.ts';
import type { Engine } from '../../engine/database.ts';

const BEA = { email: 'bea@example.com', name: 'bea', password: 'correct horse battery' };

async function openQuestion(engine: Engine) {
  const server = await openSite(engine);
  await createPerson(server.store, { ...BEA, operator: false });
  const { client_id } = await registerClient(server.url);
  const { challenge } = await pkce();
  const address = (more: Record<string, string> = {}) =>
    authorizeUrl(server.url, { client_id, code_challenge: challenge, ...more });
  const browser = newBrowser();
  const question = await openSignedIn(browser, address());
  expect(question.text).toContain('act for you?');
  const grants = async () =>
    await server.store.database.query("select id from session where kind = 'client' and ended_at is null");
  return { ...server, browser, question, address, client_id, grants };
}

const csrfOf = (page: Visited) => formsOf(page)[0]?.values.csrf ?? '';
const sameOrigin = (url: string) => ({ origin: url, 'sec-fetch-site': 'same-origin' });

async function decide(
  browser: Browser,
  address: string,
  fields: Record<string, string>,
  headers: Record<string, string>,
) {
  return await browser.send(address, { method: 'POST', headers, body: new URLSearchParams(fields) });
}

describe.each(UPPER_ENGINES)('consent on %s', (engine) => {
  it('is taken from our own page alone', async () => {
    const { url, browser, question, grants } = await openQuestion(engine);
    const good = { csrf: csrfOf(question), decision: 'allow' };
    const attempts: [string, Record<string, string>, Record<string, string>][] = [
      ['another origin', good, { origin: 'https://evil.example' }],
      ['another origin, said to be ours', good, { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }],
      ['another port', good, { origin: url.replace(/:\d+$/, ':1') }],
      ['an origin that begins like ours', good, { origin: `${url}.evil.example` }],
      ['no origin', good, {}],
      ['a hidden origin', good, { origin: 'null', 'sec-fetch-site': 'cross-site' }],
      ['a page of the same site', good, { 'sec-fetch-site': 'same-site' }],
      ['no field', { decision: 'allow' }, sameOrigin(url)],
      ['an empty field', { csrf: '', decision: 'allow' }, sameOrigin(url)],
      ['a field of somebody else', { csrf: 'x'.repeat(43), decision: 'allow' }, sameOrigin(url)],
      ['no decision', { csrf: good.csrf }, sameOrigin(url)],
      ['another decision', { csrf: good.csrf, decision: 'yes' }, sameOrigin(url)],
    ];
    for (const [what, fields, headers] of attempts) {
      const { status, text } = await decide(browser, question.url, fields, headers);
      expect([400, 403], what).toContain(status);
      expect(text, what).not.toContain('http-equiv');
    }
    const json = await browser.send(question.url, {
      method: 'POST',
      headers: { ...sameOrigin(url), 'content-type': 'application/json' },
    });
    expect(json.status).toBe(415);
    expect(await grants()).toEqual([]);
    const allowed = await decide(browser, question.url, good, sameOrigin(url));
    expect(allowed.status).toBe(200);
    expect(await grants()).toHaveLength(1);
  });

  it('is asked for each time, and each time it is a session of its own', async () => {
    const { url, browser, address, question, grants } = await openQuestion(engine);
    const first = await browser.submit(question, { decision: 'allow' });
    expect(new URL(first.url).searchParams.has('code')).toBe(true);
    const second = await browser.open(address());
    expect(second.text).toContain('act for you?');
    const refused = await browser.submit(second, { decision: 'refuse' });
    expect(new URL(refused.url).searchParams.get('error')).toBe('access_denied');
    expect(await grants()).toHaveLength(1);
    const again = await decide(browser, question.url, { csrf: csrfOf(question), decision: 'allow' }, sameOrigin(url));
    expect(again.status).toBe(409);
    await connect({ url, browser });
    expect(await grants()).toHaveLength(2);
    const silent = await browser.open(address({ prompt: 'none' }));
    expect([silent.status, silent.text]).toEqual([400, expect.stringContaining('interaction_required')]);
  });

  it.each([{ prompt: 'login' }, { max_age: '0' }])('waits until somebody has signed in anew: %o', async (asked) => {
    const { browser, address } = await openQuestion(engine);
    const page = await browser.open(address(asked));
    expect(page.url).toContain('/auth/sign-in');
    const next = new URL(page.url).searchParams.get('next') ?? '';
    expect((await browser.open(new URL(next, page.url).href)).url).toBe(page.url);
    const { email, password } = OWNER;
    expect((await browser.submit(page, { email, password })).text).toContain('act for you?');
  });

  it('is not for a browser in which it was not begun', async () => {
    const { url, browser, question, grants } = await openQuestion(engine);
    const victim = newBrowser();
    const signInPage = await victim.open(`${url}/auth/sign-in`);
    await victim.submit(signInPage, { email: BEA.email, password: BEA.password });
    const opened = await victim.open(question.url);
    expect(opened.status).toBe(409);
    expect(formsOf(opened)).toEqual([]);
    const sent = await decide(victim, question.url, { csrf: csrfOf(question), decision: 'allow' }, sameOrigin(url));
    expect(sent.status).toBe(409);
    const uid = new URL(question.url).pathname.split('/').at(-1);
    const resumed = await victim.send(`${url}/oauth/authorize/${uid}`);
    expect(resumed.headers.get('location') ?? '').not.toContain(REDIRECT);
    expect(await grants()).toEqual([]);
    const cookies = browser.cookiesFor(question.url);
    expect(Object.keys(cookies).length).toBeGreaterThan(1);
  });

  it('is that of who is signed in when they decide, not of who was when it began', async () => {
    const { url, browser, question, address, grants } = await openQuestion(engine);
    const asAda = csrfOf(question);
    const signInPage = await browser.open(`${url}/auth/sign-in`);
    await browser.submit(signInPage, { email: BEA.email, password: BEA.password });
    const changed = await browser.open(question.url);
    expect(changed.status).toBe(409);
    const old = await decide(browser, question.url, { csrf: asAda, decision: 'allow' }, sameOrigin(url));
    expect(old.status).toBe(409);
    expect(await grants()).toEqual([]);
    const anew = await browser.open(address());
    expect(anew.text).toContain('<strong>bea</strong>');
    const mixed = await decide(browser, anew.url, { csrf: asAda, decision: 'allow' }, sameOrigin(url));
    expect(mixed.status).toBe(403);
    const signedOut = await decide(browser, `${url}/auth/sign-out`, { csrf: csrfOf(anew) }, sameOrigin(url));
    expect(signedOut.status).toBe(200);
    const after = await decide(browser, anew.url, { csrf: csrfOf(anew), decision: 'allow' }, sameOrigin(url));
    expect(after.status).toBe(409);
    expect(await grants()).toEqual([]);
  });

  it('cannot be had by cookies that somebody prepared', async () => {
    const { url, address, grants } = await openQuestion(engine);
    const attacker = newBrowser();
    const theirs = await openSignedIn(attacker, address(), BEA);
    const victim = newBrowser();
    for (const [name, value] of Object.entries(attacker.cookiesFor(`${url}/oauth/authorize`))) {
      victim.setCookie(url, name, value);
    }
    const before = victim.cookiesFor(`${url}/auth/x`).cairn_session;
    const signInPage = await victim.open(`${url}/auth/sign-in`);
    await victim.submit(signInPage, { email: OWNER.email, password: OWNER.password });
    expect(victim.cookiesFor(`${url}/auth/x`).cairn_session).not.toBe(before);
    const question = await victim.open(address());
    expect(question.text).toContain('<strong>ada</strong>');
    const page = await attacker.open(address());
    expect(page.text).not.toContain('<strong>ada</strong>');
    expect(theirs.text).toContain('<strong>bea</strong>');
    expect(await grants()).toEqual([]);
  });

  it('lets nobody sign others out, and says of itself what it knows', async () => {
    const { url, browser, question } = await openQuestion(engine);
    for (const [fields, headers] of [
      [{ csrf: csrfOf(question) }, { origin: 'https://evil.example' }],
      [{ csrf: 'x'.repeat(43) }, sameOrigin(url)],
      [{}, sameOrigin(url)],
    ] as [Record<string, string>, Record<string, string>][]) {
      expect([400, 403]).toContain((await decide(browser, `${url}/auth/sign-out`, fields, headers)).status);
    }
    expect((await browser.open(question.url)).status).toBe(200);
    const name = '<b onclick=x>"&\'</b>';
    const { client_id } = await registerClient(url, { client_name: name });
    const { challenge } = await pkce();
    const asked = { client_id, code_challenge: challenge, resource: `${url}/mcp` };
    const odd = await browser.open(authorizeUrl(url, asked));
    expect(odd.text).not.toContain('<b onclick');
    expect(odd.text).toContain('&lt;b onclick=x&gt;');
    expect(odd.text).toContain('nobody has checked it');
    expect(odd.text).toContain('127.0.0.1:9');
    expect(odd.text).toContain('not manage tokens');
  });
});
