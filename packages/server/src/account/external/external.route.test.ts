// External sign-in against a real provider, row by row of the table in docs/accounts.md.
import { CairnClient } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import { Browser, formsOf, type Visited } from '../../../../../test/support/browser.ts';
import { csrfOf } from '../../../../../test/support/csrf.ts';
import { signInAtProvider, startTestProvider } from '../../../../../test/support/openid-provider.ts';
import { createPerson } from '../../../../../test/support/person.ts';
import { createOwnerToken, OWNER, startTestServer } from '../../../../../test/support/server.ts';
import { runStatement } from '../../../../../test/support/statement.ts';
import { UPPER_ENGINES } from '../../../../../test/support/store.ts';
import type { Engine } from '../../engine/database.ts';
import { createToken, EVERYTHING } from '../account.ts';
import { setAccountActive } from '../operator.ts';
import { findIdentityHolder, listIdentities } from './external-identity.sql.ts';

const GRACE = { email: 'grace@example.com', name: 'grace', password: 'a password of grace' };
const EVE = { email: 'eve@example.com', name: 'eve', password: 'a password of eve' };
const NEXT = '/docs/api';

async function prepare(engine: Engine, environment: Record<string, string> = {}) {
  const provider = await startTestProvider();
  const { url, store } = await startTestServer(engine, { ...provider.settings, ...environment });
  provider.serve(url);
  await createOwnerToken(store);
  const grace = await createPerson(store, { ...GRACE, operator: false });
  const { issuer, people } = provider;
  people.set('g-1', { email: GRACE.email, email_verified: true });
  const holderOf = async (subject: string) => await findIdentityHolder(store.database, { issuer, subject });
  const signInAs = async (login: string, browser = new Browser()) => {
    const page = await browser.open(`${url}/auth/external?next=${NEXT}`);
    return { browser, page: await signInAtProvider(browser, page, login) };
  };
  const link = async (browser: Browser, fields: Record<string, string>) => {
    const page = await browser.open(`${url}/auth/account`);
    const form = formsOf(page).findIndex(({ action }) => action === '/auth/external');
    return await browser.submit(page, fields, form);
  };
  const unlink = async (browser: Browser, subject: string) => {
    const form = `<form method="post" action="/auth/external/unlink"></form>`;
    const page = { url: `${url}/auth/account`, status: 200, headers: new Headers(), text: form };
    return await browser.submit(page, { csrf: csrfOf(browser, url), issuer, subject });
  };
  const signInWithPassword = async ({ email, password } = GRACE, browser = new Browser()) => {
    await browser.submit(await browser.open(`${url}/auth/sign-in?next=${NEXT}`), { email, password });
    return browser;
  };
  return { url, store, provider, people, grace, holderOf, signInAs, link, unlink, signInWithPassword };
}

const isSignedIn = (browser: Browser, url: string) => browser.cookiesFor(`${url}/auth/x`).cairn_session !== undefined;

function problemOf({ text }: Visited): string {
  return /<p class="problem" role="alert">([^<]*)/.exec(text)?.[1] ?? `no problem in ${text}`;
}

describe.each(UPPER_ENGINES)('an identity on %s', (engine) => {
  it('is offered on the page where people sign in, and only where a provider is set', async () => {
    const { url } = await prepare(engine);
    const page = await new Browser().open(`${url}/auth/sign-in?next=${NEXT}`);
    expect(page.text).toContain(`<a href="/auth/external?next=${encodeURIComponent(NEXT)}">Continue with Example</a>`);
    const plain = await startTestServer(engine);
    expect((await new Browser().open(`${plain.url}/auth/sign-in`)).text).not.toContain('Continue');
    expect((await new Browser().open(`${plain.url}/auth/external`)).status).toBe(404);
  });

  it('that is unknown is not connected because of its email address, whether it is verified or not', async () => {
    for (const signup of ['invitation', 'open']) {
      const { url, store, people, grace, signInAs } = await prepare(engine, { CAIRN_SIGNUP: signup });
      for (const email_verified of [true, false, undefined, 'true', 1]) {
        people.set('g-1', { email: GRACE.email, email_verified });
        const { browser, page } = await signInAs('g-1');
        expect([page.status, isSignedIn(browser, url)]).toEqual([403, false]);
        expect(problemOf(page)).toMatch(/password/);
        if (signup === 'open' && email_verified === true) {
          expect(problemOf(page)).toContain('Sign in with its password, then connect Example on your account page.');
        }
      }
      expect(await listIdentities(store.database, grace.id)).toEqual([]);
    }
  });

  it('that is unknown learns nothing of who has an account, where sign-up is closed', async () => {
    const { people, signInAs } = await prepare(engine);
    people.set('n-1', { email: 'nobody@example.com', email_verified: true });
    const [known, unknown] = [(await signInAs('g-1')).page, (await signInAs('n-1')).page];
    expect([known.status, known.text]).toEqual([403, unknown.text]);
    expect(problemOf(unknown)).toContain('ask an admin of an organization for an invitation');
  });

  it('with a verified address that no account has makes an account, where sign-up is open', async () => {
    const { url, store, people, holderOf, signInAs } = await prepare(engine, { CAIRN_SIGNUP: 'open' });
    people.set('n-1', { email: 'New.One@example.com', email_verified: true });
    const { browser, page } = await signInAs('n-1');
    expect([page.url, isSignedIn(browser, url)]).toEqual([`${url}${NEXT}`, true]);
    const made = await holderOf('n-1');
    expect(made).toMatchObject({ handle: 'new-one', email: 'new.one@example.com' });
    people.set('n-1', { email: GRACE.email, email_verified: true });
    await signInAs('n-1');
    expect((await holderOf('n-1'))?.accountId).toBe(made?.accountId);
    expect(await listIdentities(store.database, made?.accountId ?? 0)).toHaveLength(1);
    for (const password of ['', ' ', 'a password of nobody']) {
      const tried = new Browser();
      const answer = await tried.submit(await tried.open(`${url}/auth/sign-in`), {
        email: 'new.one@example.com',
        password,
      });
      expect([answer.status, isSignedIn(tried, url)]).toEqual([401, false]);
    }
    people.set('n-2', { email: 'new_one@example.com', email_verified: true });
    await signInAs('n-2');
    expect((await holderOf('n-2'))?.handle).toMatch(/^new-one-\d{4}$/);
  });

  it('makes no account where the provider does not say in so many words that the address is verified', async () => {
    const { url, people, holderOf, signInAs } = await prepare(engine, { CAIRN_SIGNUP: 'open' });
    for (const email_verified of [undefined, false, 'true', 1, null]) {
      people.set('n-1', { email: 'new@example.com', email_verified });
      const { browser, page } = await signInAs('n-1');
      expect([page.status, isSignedIn(browser, url), await holderOf('n-1')]).toEqual([403, false, undefined]);
      expect(problemOf(page)).toContain('does not confirm your email address');
    }
    people.set('n-1', {});
    expect((await signInAs('n-1')).page.status).toBe(403);
    people.set('n-1', { email: 'no address', email_verified: true });
    expect((await signInAs('n-1')).page.status).toBe(400);
  });

  it('is connected by who is signed in and knows the password, and signs in from then on', async () => {
    const { url, store, provider, grace, holderOf, ...site } = await prepare(engine);
    const { signInAs, link, unlink, signInWithPassword } = site;
    const browser = await signInWithPassword();
    const wrong = await link(browser, { password: 'not that of grace' });
    expect([wrong.status, formsOf(wrong)[0]?.action]).toEqual([401, '/auth/external']);
    expect((await link(browser, {})).status).toBe(401);
    const at = await link(browser, { password: GRACE.password });
    const done = await signInAtProvider(browser, at, 'g-1');
    expect(done.text).toContain('<h1>Example is connected</h1>');
    expect(await holderOf('g-1')).toMatchObject({ accountId: grace.id });
    const { browser: other, page } = await signInAs('g-1');
    expect([page.url, isSignedIn(other, url)]).toEqual([`${url}${NEXT}`, true]);
    const { token } = await createToken(store, { email: GRACE.email, name: 't', scopes: EVERYTHING });
    const { items } = await new CairnClient({ url, token }).audit.list('grace');
    const told = items.map(({ action, details }) => [action, details.issuer !== undefined]);
    expect(told).toContainEqual(['auth.linkIdentity', true]);
    expect(told).toContainEqual(['auth.signIn', true]);
    const account = await other.open(`${url}/auth/account`);
    expect(account.text).toContain(`grace@example.com at ${new URL(provider.issuer).host}, since`);
    const form = formsOf(account).findIndex(({ values }) => values.subject === 'g-1');
    expect((await other.submit(account, {}, form)).text).toContain('The identity is disconnected');
    expect((await signInAs('g-1')).page.status).toBe(403);
    expect((await unlink(other, 'g-1')).status).toBe(404);
  });

  it('that is connected with one account cannot be connected with another', async () => {
    const { store, grace, holderOf, link, unlink, signInWithPassword } = await prepare(engine);
    const browser = await signInWithPassword();
    await signInAtProvider(browser, await link(browser, { password: GRACE.password }), 'g-1');
    await createPerson(store, { ...EVE, operator: false });
    const eve = await signInWithPassword(EVE);
    const page = await signInAtProvider(eve, await link(eve, { password: EVE.password }), 'g-1');
    expect([page.status, problemOf(page)]).toEqual([409, expect.stringContaining('connected to another account')]);
    expect(await holderOf('g-1')).toMatchObject({ accountId: grace.id });
    expect((await signInAtProvider(browser, await link(browser, { password: GRACE.password }), 'g-1')).status).toBe(
      200,
    );
    expect((await unlink(eve, 'g-1')).status).toBe(404);
    expect(await holderOf('g-1')).toMatchObject({ accountId: grace.id });
  });

  it('that is all that its account has cannot be disconnected', async () => {
    const { url, store, people, holderOf, signInAs, link, unlink } = await prepare(engine, { CAIRN_SIGNUP: 'open' });
    people.set('n-1', { email: 'new@example.com', email_verified: true });
    const { browser } = await signInAs('n-1');
    expect((await browser.open(`${url}/auth/account`)).text).toContain('Your account has no password.');
    const refused = await unlink(browser, 'n-1');
    expect([refused.status, problemOf(refused)]).toEqual([
      409,
      expect.stringContaining('Your account has no password'),
    ]);
    expect(await holderOf('n-1')).toBeDefined();
    const other = new Browser();
    other.setCookie(url, 'cairn_session', browser.cookiesFor(`${url}/auth/x`).cairn_session ?? '');
    const linked = await signInAtProvider(other, await link(other, {}), 'n-2');
    expect(linked.text).toContain('Example is connected');
    expect((await unlink(other, 'n-1')).status).toBe(200);
    expect((await unlink(other, 'n-2')).status).toBe(409);
    expect([await holderOf('n-1'), await holderOf('n-2')]).toMatchObject([undefined, { handle: 'new' }]);
    await runStatement(store, 'update session set created_at = created_at - 601000');
    expect((await link(other, {})).status).toBe(401);
  });

  it('leads on to the application that somebody was on the way to', async () => {
    const { url, people } = await prepare(engine, { CAIRN_SIGNUP: 'open' });
    people.set('n-1', { email: 'new@example.com', email_verified: true });
    const redirectUri = 'http://127.0.0.1:9/back';
    const registered = await fetch(`${url}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ client_name: 'An app', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' },
        application_type: 'native',
      }),
    });
    const { client_id } = (await registered.json()) as { client_id: string };
    const query = new URLSearchParams({
      ...{ client_id, redirect_uri: redirectUri, response_type: 'code', scope: 'openid cairn', state: 'theirs' },
      ...{ code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' },
    });
    const browser = new Browser({ stopsAt: /127\.0\.0\.1:9\// });
    const page = await browser.open(`${url}/oauth/authorize?${query}`);
    const [, link = ''] = /<a href="([^"]*)">Continue with Example/.exec(page.text) ?? [];
    const consent = await signInAtProvider(browser, await browser.open(`${url}${link}`), 'n-1');
    expect(consent.text).toContain('An app');
    const back = new URL((await browser.submit(consent, { decision: 'allow' })).url).searchParams;
    expect([back.get('state'), back.get('iss')]).toEqual(['theirs', url]);
    expect(back.get('code')).toMatch(/./);
  });

  it('of an account that is deactivated does not sign in', async () => {
    const { url, store, link, signInAs, signInWithPassword } = await prepare(engine);
    const browser = await signInWithPassword();
    await signInAtProvider(browser, await link(browser, { password: GRACE.password }), 'g-1');
    await setAccountActive(store, { email: GRACE.email, active: false });
    const { browser: other, page } = await signInAs('g-1');
    expect([page.status, isSignedIn(other, url)]).toEqual([403, false]);
    expect(problemOf(page)).toContain('deactivated');
  });
});

describe.each(UPPER_ENGINES)('an invitation on %s', (engine) => {
  async function invited(environment: Record<string, string> = {}) {
    const site = await prepare(engine, environment);
    const { url, store } = site;
    const { token } = await createToken(store, { email: OWNER.email, name: 'inviting', scopes: EVERYTHING });
    const { org } = new CairnClient({ url, token });
    await org.create('acme');
    const invite = async (email: string) => {
      const { link } = await org.addMember('acme', { email }, 'editor');
      return new URL(link ?? 'none:').searchParams.get('code') ?? '';
    };
    const members = async () => (await org.listMembers('acme')).items;
    const accept = async (code: string, login: string, browser = new Browser()) => {
      const page = await browser.open(`${url}/auth/external?code=${code}`);
      return { browser, page: await signInAtProvider(browser, page, login) };
    };
    return { ...site, invite, members, accept };
  }

  it('is accepted with an identity: the account has the address that was invited, and the role', async () => {
    const { url, people, holderOf, invite, members, accept, signInAs } = await invited();
    const code = await invite('new@example.com');
    const page = await new Browser().open(`${url}/auth/invite?code=${code}`);
    expect(page.text).toContain(`<a href="/auth/external?code=${code}">Accept with Example</a>`);
    people.set('n-1', { email: 'another@example.com', email_verified: true });
    const { browser } = await accept(code, 'n-1');
    expect(isSignedIn(browser, url)).toBe(true);
    expect(await holderOf('n-1')).toMatchObject({ handle: 'new', email: 'new@example.com' });
    expect(await members()).toContainEqual(expect.objectContaining({ handle: 'new', role: 'editor' }));
    expect(isSignedIn((await signInAs('n-1')).browser, url)).toBe(true);
    const again = await accept(code, 'n-1');
    expect([again.page.status, problemOf(again.page)]).toEqual([401, expect.stringContaining('used')]);
  });

  it('to an address that has an account asks for its password, unless the identity is connected with it', async () => {
    const { url, store, invite, members, accept, holderOf, link, signInWithPassword } = await invited();
    await runStatement(store, `update account set email_verified = 0 where email = '${GRACE.email}'`);
    const code = await invite(GRACE.email);
    const { browser, page } = await accept(code, 'g-1');
    expect([page.status, isSignedIn(browser, url), await holderOf('g-1')]).toEqual([403, false, undefined]);
    expect(problemOf(page)).toContain('Sign in with its password');
    const graces = await signInWithPassword();
    await signInAtProvider(graces, await link(graces, { password: GRACE.password }), 'g-1');
    await accept(code, 'g-1');
    expect(await members()).toContainEqual(expect.objectContaining({ handle: 'grace', role: 'editor' }));
  });

  it('is not accepted with an identity that is connected to another account', async () => {
    const { invite, members, accept, link, signInWithPassword } = await invited();
    const graces = await signInWithPassword();
    await signInAtProvider(graces, await link(graces, { password: GRACE.password }), 'g-1');
    const { page } = await accept(await invite('new@example.com'), 'g-1');
    expect([page.status, problemOf(page)]).toEqual([409, expect.stringContaining('You are grace here')]);
    expect((await members()).map(({ handle }) => handle)).not.toContain('grace');
  });
});
