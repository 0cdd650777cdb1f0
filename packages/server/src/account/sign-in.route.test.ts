// Browser sign-in and sign-out: cookie, form origin and redirects.
import { describe, expect, it } from 'vitest';
import { Browser, formsOf } from '../../../../test/support/browser.ts';
import { OWNER, startTestServer } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import type { Engine } from '../engine/database.ts';
import { createAccount } from './account.ts';

async function openSite(engine: Engine) {
  const server = await startTestServer(engine);
  await createAccount(server.store, { ...OWNER, operator: true });
  return server;
}

const { email, password } = OWNER;

describe.each(UPPER_ENGINES)('signing in on %s', (engine) => {
  it('sets a cookie that scripts and other sites cannot use, new with each sign-in, and leads on', async () => {
    const { url } = await openSite(engine);
    const browser = new Browser();
    browser.setCookie(url, 'cairn_session', 'prepared-by-somebody-else-000000000000000000');
    const page = await browser.open(`${url}/auth/sign-in?next=/docs/api`);
    const signedIn = await browser.submit(page, { email: email.toUpperCase(), password });
    expect(signedIn.url).toBe(`${url}/docs/api`);
    const first = browser.cookiesFor(`${url}/auth/x`).cairn_session;
    expect(first).toMatch(/^[\w-]{43}$/);
    expect(browser.flagsOf('cairn_session')).toMatch(/Path=\/; HttpOnly; SameSite=Lax/);
    await browser.submit(page, { email, password });
    expect(browser.cookiesFor(url).cairn_session).not.toBe(first);
  });

  it('says to who is signed in already that they are, unless an application asks for it anew', async () => {
    const { url } = await openSite(engine);
    const browser = new Browser();
    await browser.submit(await browser.open(`${url}/auth/sign-in`), { email, password });
    const again = await browser.open(`${url}/auth/sign-in?next=/docs/api`);
    const account = '<a href="/auth/account">Account</a>';
    expect(again.text).toContain(account);
    expect((await new Browser().open(`${url}/auth/sign-in`)).text).not.toContain(account);
    expect(again.text).toMatch(/already signed in as ada\.\s+<a href="\/docs\/api">/);
    const asked = await browser.open(`${url}/auth/sign-in?next=/auth/interaction/some`);
    expect(asked.text).not.toContain('already');
    expect(asked.text).toContain('can act for you');
  });

  it('says on a server without accounts how to make the first', async () => {
    const { url } = await startTestServer(engine);
    const page = await new Browser().open(`${url}/auth/sign-in`);
    expect(page.text).toContain('no account yet');
    expect(formsOf(page)).toEqual([]);
  });

  it('says nothing of which part was wrong, and asks again', async () => {
    const { url } = await openSite(engine);
    const browser = new Browser();
    const page = await browser.open(`${url}/auth/sign-in?next=/docs/api`);
    const wrong = await browser.submit(page, { email, password: 'not the one of ada' });
    const unknown = await browser.submit(page, { email: 'eve@example.com', password });
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect(wrong.text.replace(email, '')).toBe(unknown.text.replace('eve@example.com', ''));
    expect(wrong.text).toContain('role="alert"');
    expect(wrong.text).toContain('see <a href="/auth/forgot">Forgotten password</a> if');
    expect(formsOf(wrong)[0]?.values).toMatchObject({ email, next: '/docs/api', password: '' });
    expect(browser.cookiesFor(url)).toEqual({});
  });

  it.each(['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)'])(
    'leads nobody to %s',
    async (next) => {
      const { url } = await openSite(engine);
      const browser = new Browser();
      const page = await browser.open(`${url}/auth/sign-in?next=${encodeURIComponent(next)}`);
      expect(page.text).not.toContain('evil');
      const [form] = formsOf(page);
      const led = await browser.submit(page, { ...form?.values, email, password, next });
      expect(new URL(led.url).origin).toBe(url);
      expect(led.text).not.toContain('evil');
    },
  );

  it('takes the form from its own pages alone', async () => {
    const { url } = await openSite(engine);
    const body = new URLSearchParams({ email, password });
    const send = (headers: Record<string, string>) =>
      new Browser().send(`${url}/auth/sign-in`, { method: 'POST', headers, body });
    expect((await send({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await send({ origin: 'null', 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await send({ origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' })).status).toBe(403);
    expect((await send({})).status).toBe(403);
    expect((await send({ origin: url })).status).toBe(200);
    expect((await send({ 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  });
});
