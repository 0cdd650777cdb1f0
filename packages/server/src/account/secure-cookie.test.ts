// Behind HTTPS: cookies are HTTPS-only, other hosts cannot set them, and only the HTTPS site may send forms.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Browser } from '../../../../test/support/browser.ts';
import { authorizeUrl, pkce, registerClient } from '../../../../test/support/oauth.ts';
import { createPerson } from '../../../../test/support/person.ts';
import { createTestApp, OWNER } from '../../../../test/support/server.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import type { Engine } from '../engine/database.ts';

const SITE = 'https://cairn.example';

async function openBehindHttps(engine: Engine): Promise<string> {
  const { app, store } = await createTestApp(engine, { CAIRN_PUBLIC_URL: SITE });
  await createPerson(store, { ...OWNER, operator: true });
  const server = createServer(app.listener);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe.each(ENGINES)('cookies behind https on %s', (engine) => {
  it('are for this host and for https alone', async () => {
    const inside = await openBehindHttps(engine);
    const browser = new Browser();
    const body = new URLSearchParams({ email: OWNER.email, password: OWNER.password });
    const send = async (headers: Record<string, string>) =>
      await browser.send(`${inside}/auth/sign-in`, { method: 'POST', headers, body });
    expect((await send({ origin: 'http://cairn.example' })).status).toBe(403);
    expect((await send({ origin: inside })).status).toBe(403);
    const done = await send({ origin: SITE });
    expect(done.status).toBe(200);
    expect(done.headers.get('strict-transport-security')).toMatch(/max-age=\d{8}/);
    const lines = done.headers.getSetCookie();
    const [session = ''] = lines;
    expect(session).toMatch(/^__Host-cairn_session=[\w-]{43};/);
    for (const line of lines) {
      expect(line).toMatch(/; Secure/i);
      expect(line).toMatch(/; HttpOnly/i);
      expect(line).toMatch(/; SameSite=Lax/i);
      expect(line).not.toMatch(/; Domain=/i);
    }
    expect(session).toMatch(/; Path=\/;/);
    const { client_id } = await registerClient(inside);
    const { challenge } = await pkce();
    const asked = await browser.send(authorizeUrl(inside, { client_id, code_challenge: challenge }));
    expect(asked.status).toBe(303);
    expect(asked.headers.get('location')).toMatch(/^\/auth\/interaction\//);
    const set = asked.headers.getSetCookie();
    expect(set.length).toBeGreaterThan(0);
    for (const line of set) {
      expect(line).toMatch(/; secure/i);
      expect(line).toMatch(/; httponly/i);
      expect(line).toMatch(/; samesite=lax/i);
      expect(line).not.toMatch(/; domain=/i);
      expect(line).toMatch(/; path=\/(oauth|auth)\b/i);
    }
  });

  it('are not known by the name that any host may set', async () => {
    const inside = await openBehindHttps(engine);
    const browser = new Browser();
    const body = new URLSearchParams({ email: OWNER.email, password: OWNER.password });
    await browser.send(`${inside}/auth/sign-in`, { method: 'POST', headers: { origin: SITE }, body });
    const value = browser.cookiesFor(`${inside}/auth/account`)['__Host-cairn_session'] ?? '';
    const other = new Browser();
    other.setCookie(inside, 'cairn_session', value);
    expect((await other.send(`${inside}/auth/account`)).text).not.toContain('<h1>ada</h1>');
    expect((await browser.send(`${inside}/auth/account`)).text).toContain('<h1>ada</h1>');
  });
});
