// The lifetime of a client's access: each refresh token works once, and the end of the session ends everything.
import { describe, expect, it } from 'vitest';
import { Browser } from '../../../../../test/support/browser.ts';
import {
  authorize,
  CLIENT_NAME,
  claimsOf,
  connect,
  exchange,
  expectRefused,
  newBrowser,
  openSite,
  postForm,
  REDIRECT,
  refresh,
  registerClient,
  type Tokens,
  whoami,
} from '../../../../../test/support/oauth.ts';
import { createPerson } from '../../../../../test/support/person.ts';
import { OWNER } from '../../../../../test/support/server.ts';
import { ENGINES } from '../../../../../test/support/store.ts';
import type { RunningServer } from '../../server.ts';
import { setAccountActive } from '../operator.ts';

const { email, password } = OWNER;
describe.each(ENGINES)('the session of a client on %s', (engine) => {
  it('has one living refresh token at most, however many use it at once', async () => {
    const { url } = await openSite(engine);
    const tokens = await connect({ url });
    const answers = await Promise.all([1, 2, 3, 4].map(() => refresh(url, tokens)));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    for (const answer of answers) {
      const fresh = (await answer.json()) as Tokens;
      if (answer.status !== 200) expect(fresh).toMatchObject({ error: 'invalid_grant' });
      else await expectRefused(await refresh(url, { ...tokens, ...fresh }), 'invalid_grant');
    }
    expect((await whoami(url, tokens.access_token)).status).toBe(401);
  });

  it('ends when its code is used twice, one after the other or at once', async () => {
    const { url } = await openSite(engine);
    const { client_id } = await registerClient(url);
    const first = await authorize({ url }, { client_id });
    const tokens = (await (await exchange(url, { client_id, ...first })).json()) as Tokens;
    expect((await whoami(url, tokens.access_token)).status).toBe(200);
    await expectRefused(await exchange(url, { client_id, ...first }), 'invalid_grant');
    expect((await whoami(url, tokens.access_token)).status).toBe(401);
    await expectRefused(await refresh(url, { ...tokens, client_id }), 'invalid_grant');

    const second = await authorize({ url }, { client_id });
    const answers = await Promise.all([1, 2, 3].map(() => exchange(url, { client_id, ...second })));
    const bodies = (await Promise.all(answers.map((answer) => answer.json()))) as Tokens[];
    const good = bodies.filter((_, at) => answers[at]?.status === 200);
    expect(good.length).toBeLessThanOrEqual(1);
    for (const one of good) {
      expect((await whoami(url, one.access_token)).status).toBe(401);
      await expectRefused(await refresh(url, { ...one, client_id }), 'invalid_grant');
    }
  });

  const endings: [string, (server: RunningServer, tokens: Tokens & { client_id: string }) => Promise<unknown>][] = [
    [
      'the session is ended',
      async ({ store }, { access_token }) =>
        await store.write.endSession({ id: String(claimsOf(access_token).sid), now: Date.now() }),
    ],
    [
      'the client revokes its refresh token',
      async ({ url }, { client_id, refresh_token }) =>
        expect((await postForm(`${url}/oauth/revoke`, { client_id, token: refresh_token })).status).toBe(200),
    ],
    [
      'the password is changed',
      async ({ url }) => {
        const browser = new Browser();
        const page = await browser.open(`${url}/auth/password`);
        const done = await browser.submit(page, { email, password, newPassword: 'another horse battery' });
        expect(done.status).toBe(200);
      },
    ],
    [
      'the account is deactivated',
      async ({ store }) => {
        await createPerson(store, { email: 'bea@example.com', name: 'bea', password, operator: true });
        await setAccountActive(store, { email, active: false });
      },
    ],
  ];
  it.each(endings)('is over on the next request when %s', async (when, end) => {
    const server = await openSite(engine);
    const { url } = server;
    const tokens = await connect({ url });
    const other = await connect({ url });
    expect((await whoami(url, tokens.access_token)).status).toBe(200);
    await end(server, tokens);
    expect((await whoami(url, tokens.access_token)).status).toBe(401);
    await expectRefused(await refresh(url, tokens), 'invalid_grant');
    const kept = 'select kind from oauth_item where grant_id = $1';
    expect(await server.store.database.query(kept, [String(claimsOf(tokens.access_token).sid)])).toEqual([]);
    const others = (await whoami(url, other.access_token)).status;
    expect(others).toBe(/password|account/.test(when) ? 401 : 200);
  });

  it('is not ended by another client', async () => {
    const { url } = await openSite(engine);
    const tokens = await connect({ url });
    const { client_id } = await registerClient(url);
    for (const token of [tokens.refresh_token, tokens.access_token]) {
      await postForm(`${url}/oauth/revoke`, { client_id, token });
      expect((await whoami(url, tokens.access_token)).status).toBe(200);
    }
    await expectRefused(await refresh(url, { ...tokens, client_id }), 'invalid_grant');
    expect((await refresh(url, tokens)).status).toBe(200);
  });

  it('is kept without a secret in clear', async () => {
    const { url, store } = await openSite(engine);
    const { client_id, client_secret = '' } = await registerClient(url, {
      token_endpoint_auth_method: 'client_secret_post',
    });
    const browser = newBrowser();
    const unused = await authorize({ url, browser }, { client_id });
    const used = await authorize({ url, browser }, { client_id });
    const answer = await exchange(url, { client_id, ...used }, { client_secret });
    const tokens = (await answer.json()) as Tokens;
    const device = (await (
      await postForm(`${url}/oauth/device-authorization`, { client_id: 'cairn-cli', scope: 'offline_access cairn' })
    ).json()) as { device_code: string };
    const rows = [
      ...(await store.database.query('select * from oauth_item')),
      ...(await store.database.query('select * from session')),
      ...(await store.database.query('select * from audit')),
    ];
    const kept = JSON.stringify(rows);
    expect(kept).toContain(CLIENT_NAME);
    const cookies = Object.values(browser.cookiesFor(`${url}/oauth/authorize`)).filter((value) => value.length >= 20);
    expect(cookies.length).toBeGreaterThan(0);
    const secrets = {
      ...{ client_secret, unused: unused.code, used: used.code },
      ...{ refresh: tokens.refresh_token, access: tokens.access_token, device: device.device_code },
      ...Object.fromEntries(cookies.map((value, at) => [`cookie ${at}`, value])),
    };
    for (const [what, secret] of Object.entries(secrets)) {
      expect(secret.length, what).toBeGreaterThan(10);
      expect(kept.includes(secret), what).toBe(false);
    }
  });

  it('cannot be used by who reads the database', async () => {
    const { url, store } = await openSite(engine);
    const secretive = { token_endpoint_auth_method: 'client_secret_post' };
    const { client_id, client_secret = '' } = await registerClient(url, secretive);
    const browser = newBrowser();
    const { verifier } = await authorize({ url, browser }, { client_id });
    const used = await authorize({ url, browser }, { client_id });
    const tokens = (await (await exchange(url, { client_id, ...used }, { client_secret })).json()) as Tokens;
    const rows = await store.database.query<{ kind: string; id_hash: string; payload: string }>(
      'select kind, id_hash, payload from oauth_item',
    );
    const hashesOf = (kind: string) => rows.filter((row) => row.kind === kind).map((row) => row.id_hash);
    const shown = (hashes: readonly string[]) => hashes.flatMap((hash) => [hash, `sha256:${hash}`]);
    const [refreshes, codes] = [shown(hashesOf('RefreshToken')), shown(hashesOf('AuthorizationCode'))];
    expect([refreshes.length, codes.length]).toEqual([2, 4]);
    for (const refresh_token of refreshes) {
      await expectRefused(await refresh(url, { client_id, refresh_token }, { client_secret }), 'invalid_grant');
    }
    for (const code of codes) {
      await expectRefused(await exchange(url, { client_id, code, verifier }, { client_secret }), 'invalid_grant');
    }
    const [client] = rows.filter(({ kind }) => kind === 'Client');
    const { client_secret: kept } = JSON.parse(client?.payload ?? '{}') as { client_secret: string };
    const stolen = await refresh(url, { client_id, ...tokens }, { client_secret: kept });
    await expectRefused(stolen, 'invalid_client', 401);
    const [session] = await store.database.query<{ secret_hash: string }>(
      "select secret_hash from session where kind = 'browser'",
    );
    const thief = newBrowser();
    thief.setCookie(url, 'cairn_session', session?.secret_hash ?? '');
    expect((await thief.open(`${url}/auth/account`)).text).not.toContain('<h1>ada</h1>');
    expect((await whoami(url, tokens.access_token)).status).toBe(200);
  });
});

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
});

describe.each(ENGINES)('a client with a secret on %s', (engine) => {
  it.each(['client_secret_basic', 'client_secret_post'])(
    'shows it by %s, and is refused with another',
    async (method) => {
      const { url } = await openSite(engine);
      const { client_id, client_secret = '' } = await registerClient(url, { token_endpoint_auth_method: method });
      const shown = (secret: string) =>
        method === 'client_secret_basic'
          ? ([{}, basic(client_id, secret)] as const)
          : ([{ client_id, client_secret: secret }, {}] as const);
      const { code, verifier } = await authorize({ url }, { client_id });
      const send = async ([fields, headers]: ReturnType<typeof shown>, more: Record<string, string>) =>
        await postForm(`${url}/oauth/token`, { ...more, ...fields } as Record<string, string>, headers);
      const byCode = { grant_type: 'authorization_code', redirect_uri: REDIRECT, code, code_verifier: verifier };
      await expectRefused(await send(shown('another secret of this length'), byCode), 'invalid_client', 401);
      await expectRefused(await send([{ client_id }, {}] as never, byCode), 'invalid_client', 401);
      const good = await send(shown(client_secret), byCode);
      expect(good.status).toBe(200);
      const { refresh_token, access_token } = (await good.json()) as Tokens;
      expect((await whoami(url, access_token)).status).toBe(200);
      const byRefresh = { grant_type: 'refresh_token', refresh_token };
      await expectRefused(await send(shown('another secret of this length'), byRefresh), 'invalid_client', 401);
      expect((await send(shown(client_secret), byRefresh)).status).toBe(200);
    },
  );
});
