// The device flow (RFC 8628): a signed-in person types a code by hand.
import { describe, expect, it } from 'vitest';
import { type Browser, formsOf, type Visited } from '../../../../../test/support/browser.ts';
import {
  DEVICE_GRANT,
  expectRefused,
  newBrowser,
  openSite,
  postForm,
  refresh,
  registerClient,
  type Tokens,
  whoami,
} from '../../../../../test/support/oauth.ts';
import { OWNER } from '../../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../../test/support/store.ts';

interface Device {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
}

const client_id = 'cairn-cli';

async function begin(url: string): Promise<Device> {
  const answer = await postForm(`${url}/oauth/device-authorization`, { client_id, scope: 'offline_access cairn' });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Device;
}

const poll = async (url: string, { device_code }: Device, by = client_id) =>
  await postForm(`${url}/oauth/token`, { grant_type: DEVICE_GRANT, client_id: by, device_code });

async function typeCode(browser: Browser, { url, code }: { url: string; code: string }): Promise<Visited> {
  const page = await browser.open(`${url}/oauth/device`);
  const asked = await browser.submit(page, { user_code: code });
  if (!asked.url.includes('/auth/sign-in')) return asked;
  return await browser.submit(asked, { email: OWNER.email, password: OWNER.password });
}

const said = ({ text }: Visited) => /role="alert">([^<]*)</.exec(text)?.[1];
const own = (url: string) => ({ origin: url, 'sec-fetch-site': 'same-origin' });

describe.each(UPPER_ENGINES)('a device on %s', (engine) => {
  it('is connected by who types its code, in any case and with or without the dash', async () => {
    const { url } = await openSite(engine);
    const browser = newBrowser();
    for (const typed of [
      (code: string) => code,
      (code: string) => code.toLowerCase().replace('-', ''),
      (code: string) => ` ${code.toLowerCase().replace('-', ' ')} `,
    ]) {
      const device = await begin(url);
      expect(device).toMatchObject({
        verification_uri: `${url}/oauth/device`,
        user_code: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/),
      });
      await expectRefused(await poll(url, device), 'authorization_pending');
      const question = await typeCode(browser, { url, code: typed(device.user_code) });
      expect(question.text).toContain('Allow Cairn CLI to act for you?');
      expect(question.text).toContain(`<strong class="code">${device.user_code}</strong>`);
      const done = await browser.submit(question, { decision: 'allow' });
      expect(done.text).toContain('The device is connected');
      const answer = await poll(url, device);
      const tokens = (await answer.json()) as Tokens;
      expect((await whoami(url, tokens.access_token)).status).toBe(200);
      const fresh = (await (await refresh(url, { client_id, ...tokens })).json()) as Tokens;
      expect((await whoami(url, fresh.access_token)).status).toBe(200);
      await expectRefused(await poll(url, device), 'invalid_grant');
      expect((await whoami(url, fresh.access_token)).status).toBe(401);
    }
    const device = await begin(url);
    const linked = await browser.open(device.verification_uri_complete);
    expect(formsOf(linked)[0]?.values.user_code).toBe(device.user_code);
    expect(linked.text).not.toContain('act for you?');
    await expectRefused(await poll(url, device), 'authorization_pending');
  });

  it('is told when it is refused, and its code is over', async () => {
    const { url } = await openSite(engine);
    const browser = newBrowser();
    const device = await begin(url);
    const question = await typeCode(browser, { url, code: device.user_code });
    const refused = await browser.submit(question, { decision: 'refuse' });
    expect(refused.text).not.toContain('is connected');
    await expectRefused(await poll(url, device), 'access_denied');
    const again = await browser.submit(await browser.open(`${url}/oauth/device`), { user_code: device.user_code });
    expect(said(again)).toMatch(/does not exist|used/);
  });

  it('is refused with a code that is unknown, over or of another client', async () => {
    const { url, store } = await openSite(engine);
    const device = await begin(url);
    const other = await registerClient(url, { grant_types: ['authorization_code', 'refresh_token', DEVICE_GRANT] });
    await expectRefused(await poll(url, device, other.client_id), 'invalid_grant');
    const public_ = await registerClient(url);
    await expectRefused(await poll(url, device, public_.client_id), 'invalid_request');
    const item = 'select id_hash from oauth_item where kind = $1';
    const [{ id_hash: hash } = { id_hash: '' }] = await store.database.query<{ id_hash: string }>(item, ['DeviceCode']);
    // The stored hash must not work as a code, because readers of the database know it.
    for (const code of ['', 'x', device.user_code, hash, `sha256:${hash}`]) {
      const answer = await poll(url, { ...device, device_code: code });
      expect(answer.status, code).toBe(400);
      expect((await answer.json()) as object, code).toMatchObject({ error: expect.stringMatching(/^invalid_/) });
    }
    const browser = newBrowser();
    for (const code of ['', 'AAAA-AAAA', 'rubbish', '%', "' or 1=1 --", 'x'.repeat(1_000), '\u0000']) {
      const page = await browser.open(`${url}/oauth/device`);
      const answer = await browser.submit(page, { user_code: code });
      expect(answer.text, code).toContain('role="alert"');
      expect(answer.status, code).toBeLessThan(500);
      expect(answer.text, code).not.toContain('act for you?');
    }
    await store.write.putOauthItem({
      ...{ kind: 'DeviceCode', idHash: hash, userCode: device.user_code.replace('-', '') },
      payload: JSON.stringify({ kind: 'DeviceCode', clientId: client_id, exp: 1 }),
      expiresAt: Date.now() - 1,
    });
    const page = await browser.open(`${url}/oauth/device`);
    expect(said(await browser.submit(page, { user_code: device.user_code }))).toMatch(/does not exist|expired/);
    const over = await poll(url, device);
    expect((await over.json()) as object).toMatchObject({
      error: expect.stringMatching(/^(expired_token|invalid_grant)$/),
    });
  });

  it('is connected from our own page alone, by the browser that it was opened in', async () => {
    const { url } = await openSite(engine);
    const device = await begin(url);
    const browser = newBrowser();
    const page = await browser.open(`${url}/oauth/device`);
    const { xsrf = '' } = formsOf(page)[0]?.values ?? {};
    expect(xsrf.length).toBeGreaterThan(20);
    const confirm = { user_code: device.user_code, confirm: 'yes', xsrf };
    const stranger = newBrowser();
    await stranger.open(`${url}/oauth/device`);
    const attempts: [string, Browser, Record<string, string>, Record<string, string>][] = [
      ['another origin', browser, confirm, { origin: 'https://evil.example' }],
      ['no origin', browser, confirm, {}],
      ['no field', browser, { user_code: device.user_code, confirm: 'yes' }, own(url)],
      ['another field', browser, { ...confirm, xsrf: 'x'.repeat(xsrf.length) }, own(url)],
      ['another browser', stranger, confirm, own(url)],
      ['a browser without cookies', newBrowser(), confirm, own(url)],
    ];
    for (const [what, from, fields, headers] of attempts) {
      const body = new URLSearchParams(fields);
      const answer = await from.send(`${url}/oauth/device`, { method: 'POST', headers, body });
      expect([null, '/oauth/device'], what).toContain(answer.headers.get('location'));
      expect([200, 303, 400, 403], what).toContain(answer.status);
    }
    await expectRefused(await poll(url, device), 'authorization_pending');
  });

  it('is slow to guess: the anonymous limit counts every code', async () => {
    const { url } = await openSite(engine, {
      CAIRN_LIMIT_ANONYMOUS_BURST: '20',
      CAIRN_LIMIT_ANONYMOUS_REQUESTS_PER_HOUR: '1',
    });
    const browser = newBrowser();
    const page = await browser.open(`${url}/oauth/device`);
    const statuses = new Set<number>();
    for (let tried = 0; tried < 30; tried += 1) {
      const { status } = await browser.submit(page, { user_code: 'AAAA-AAAA' });
      statuses.add(status);
    }
    expect(statuses).toContain(429);
  });
});
