// Reset links by mail. The answer never depends on whether the account exists.
import { describe, expect, it } from 'vitest';
import { openPage, sendForm, sendJson } from '../../../../test/support/form.ts';
import { createSession } from '../../../../test/support/principal.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { createTestApp, startTestServer } from '../../../../test/support/server.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import { linkIn, startSmtp } from '../../../../test/tools/smtp.ts';
import { createToken, EVERYTHING } from './account.ts';
import { issueReset, setAccountActive } from './operator.ts';
import { mailReset } from './password.ts';

type Engine = (typeof ENGINES)[number];

const EMAIL = 'bob@example.com';
const NEW = 'another one, much better';

async function connect(engine: Engine, settings: Record<string, string>) {
  const connected = await createTestApp(engine, settings);
  const { store } = connected;
  const { id } = await store.write.createAccount({
    email: EMAIL,
    handle: 'bob',
    passwordHash: '-',
    operator: false,
  });
  return { ...connected, id };
}

describe.each(ENGINES)('who has forgotten the password, on %s,', (engine) => {
  it('is mailed a link that sets another, once', async () => {
    const smtp = await startSmtp();
    const { app, store, logged } = await connect(engine, smtp.settings);
    expect((await openPage(app, '/auth/forgot')).body).toContain('action="/auth/forgot"');
    const asked = await sendForm(app, '/auth/forgot', { email: ' BOB@example.com' });
    expect([asked.status, asked.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(asked.body).toContain('If bob@example.com belongs to an account');
    const mail = await smtp.next();
    expect(mail.to).toEqual([EMAIL]);
    expect(mail.text).toContain('Someone requested a new password for bob on Cairn at http://localhost:8787.');
    const link = linkIn(mail);
    expect([link.origin, link.pathname]).toEqual(['http://localhost:8787', '/auth/reset']);
    const code = link.searchParams.get('code') ?? '';
    const reset = { code, newPassword: NEW };
    const both = [await sendJson(app, '/auth/reset', reset), await sendJson(app, '/auth/reset', reset)];
    expect(both.map(({ status }) => status)).toEqual([200, 401]);
    expect(JSON.stringify(logged)).not.toContain(code);
    const [told] = await store.database.query<{ actor: string; target: string }>(
      "select actor, target from audit where action = 'auth.forgotPassword'",
    );
    expect(told).toEqual({ actor: 'anonymous', target: 'user:bob' });
  });

  it('proves the address by it, and ends what somebody else may have left in an account that was not proven', async () => {
    const smtp = await startSmtp();
    const { app, store, id } = await connect(engine, smtp.settings);
    const squatted = {
      email: 'eve@example.com',
      handle: 'eve',
      passwordHash: '-',
      operator: false,
      emailVerified: false,
    };
    const { id: eveId } = await store.write.createAccount(squatted);
    const tokens = [];
    for (const email of [EMAIL, squatted.email]) {
      tokens.push((await createToken(store, { email, name: 'all', scopes: EVERYTHING })).token);
    }
    const [bob, eve] = tokens.map((token) => caller(app, token));
    const sessions = [];
    for (const accountId of [id, eveId]) sessions.push(caller(app, (await createSession(store, { accountId })).token));
    const answers = [];
    for (const email of [EMAIL, squatted.email]) {
      await sendJson(app, '/auth/forgot', { email });
      const code = linkIn(await smtp.next()).searchParams.get('code') ?? '';
      answers.push(JSON.parse((await sendJson(app, '/auth/reset', { code, newPassword: NEW })).body));
    }
    expect(answers).toEqual([{ handle: 'bob' }, { handle: 'eve', tokensEnded: true }]);
    expect((await bob?.('auth.whoami', {}))?.status).toBe(200);
    expect((await eve?.('auth.whoami', {}))?.status).toBe(401);
    for (const session of sessions) expect((await session('auth.whoami', {})).status).toBe(401);
    const [row] = await store.database.query('select email_verified from account where id = $1', [eveId]);
    expect(row).toEqual({ email_verified: 1 });
  });

  it('does not end the link of an operator by asking, nor is its link proof of the address', async () => {
    const smtp = await startSmtp();
    const { app, store } = await connect(engine, smtp.settings);
    const unproven = {
      email: 'eve@example.com',
      handle: 'eve',
      passwordHash: '-',
      operator: false,
      emailVerified: false,
    };
    await store.write.createAccount(unproven);
    const { code } = await issueReset(store, unproven.email);
    await sendJson(app, '/auth/forgot', { email: unproven.email });
    await smtp.next();
    const reset = await sendJson(app, '/auth/reset', { code, newPassword: NEW });
    expect([reset.status, JSON.parse(reset.body)]).toEqual([200, { handle: 'eve' }]);
    expect(await store.database.query('select account_id from account_code')).toEqual([]);
    expect(await store.database.query("select email_verified from account where handle = 'eve'")).toEqual([
      { email_verified: 0 },
    ]);
  });

  it('is answered like those who have no account, of whom nothing is kept', async () => {
    const smtp = await startSmtp();
    const { app, store } = await connect(engine, smtp.settings);
    const other = { email: 'off@example.com', handle: 'off', passwordHash: '-', operator: false };
    await store.write.createAccount(other);
    await setAccountActive(store, { email: other.email, active: false });
    const emails = ['nobody@example.com', 'off@example.com', EMAIL];
    const pages = [];
    for (const email of emails) {
      const json = await sendJson(app, '/auth/forgot', { email });
      expect([json.status, JSON.parse(json.body)]).toEqual([200, { email }]);
      const page = await sendForm(app, '/auth/forgot', { email });
      pages.push([page.status, page.body.replaceAll(email, 'EMAIL')]);
    }
    expect(new Set(pages.map((page) => JSON.stringify(page))).size).toBe(1);
    expect((await smtp.next()).to).toEqual([EMAIL]);
    expect((await smtp.next()).to).toEqual([EMAIL]);
    expect(await store.database.query('select account_id from account_code')).toHaveLength(1);
  });

  it('is answered before anything is looked for', async () => {
    const { store } = await connect(engine, {});
    const added: string[] = [];
    const mail = { add: ({ to }: { to: string }) => void added.push(to), close: async () => {} };
    // The answer comes even without a database, so it cannot depend on the account.
    const deaf = { ...store, database: undefined } as unknown as typeof store;
    await mailReset({ store: deaf, mail, publicUrl: 'https://cairn.example' }, { email: EMAIL });
    expect(added).toEqual([EMAIL]);
  });

  it('gets no more than a few links, and may ask from one address only so often', async () => {
    const smtp = await startSmtp();
    const { app, store } = await connect(engine, { ...smtp.settings, CAIRN_LIMIT_RECIPIENT_MAIL_BURST: '1' });
    await sendJson(app, '/auth/forgot', { email: EMAIL });
    const code = linkIn(await smtp.next()).searchParams.get('code') ?? '';
    await sendJson(app, '/auth/forgot', { email: EMAIL });
    await sendJson(app, '/auth/forgot', { email: ' Bob@Example.com' });
    expect((await sendJson(app, '/auth/reset', { code, newPassword: NEW })).status).toBe(200);
    expect(await store.database.query('select account_id from account_code')).toEqual([]);
    const asker = { askLink: () => Promise.reject(new Error('too often')) };
    const mail = { add: () => expect.unreachable(), close: async () => {} };
    const asked = mailReset({ store, mail, publicUrl: '' }, { email: 'nobody@example.com' }, asker);
    await expect(asked).rejects.toThrow('too often');
  });

  it('is told to wait who asks too often from one address, whoever they ask for', async () => {
    const smtp = await startSmtp();
    const limits = { CAIRN_LIMIT_ADDRESS_LINK_BURST: '2', CAIRN_LIMIT_ADDRESS_LINKS_PER_HOUR: '1' };
    const { url } = await startTestServer(engine, { ...smtp.settings, ...limits });
    const headers = { 'content-type': 'application/json' };
    const ask = async (email: string) => {
      const answer = await fetch(`${url}/auth/forgot`, { method: 'POST', headers, body: JSON.stringify({ email }) });
      return [answer.status, answer.headers.get('retry-after') !== null];
    };
    const answers = [await ask('a@example.com'), await ask('b@example.com'), await ask('c@example.com')];
    expect(answers).toEqual([
      [200, false],
      [200, false],
      [429, true],
    ]);
  });

  it('is sent to an operator where no mail is', async () => {
    const { app } = await connect(engine, {});
    const advice = 'Ask an operator of the server for a reset link.';
    const form = await openPage(app, '/auth/forgot');
    expect([form.status, form.body]).toEqual([200, expect.stringContaining(advice)]);
    expect(form.body).not.toContain('<form');
    const sent = await sendJson(app, '/auth/forgot', { email: EMAIL });
    expect([sent.status, sent.body]).toEqual([409, expect.stringContaining(advice)]);
    expect((await sendForm(app, '/auth/forgot', { email: EMAIL })).body).toContain(advice);
  });

  it('writes an address', async () => {
    const smtp = await startSmtp();
    const { app } = await connect(engine, smtp.settings);
    for (const email of ['bob', `${EMAIL}\r\nBcc: eve@example.com`, `${EMAIL},eve@example.com`, '', '<b>@x']) {
      expect([email, (await sendJson(app, '/auth/forgot', { email })).status]).toEqual([email, 400]);
    }
    const page = await sendForm(app, '/auth/forgot', { email: '"><script>@x' });
    expect([page.status, page.body]).toEqual([400, expect.not.stringContaining('<script>')]);
    expect(page.body).toContain('role="alert"');
  });
});
