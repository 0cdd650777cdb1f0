// Accounts that people make themselves.
import { createSecretKey, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openPage, sendForm, sendJson } from '../../../../test/support/form.ts';
import { createOwnerToken, createTestApp, OWNER } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { linkIn, startSmtp } from '../../../../test/tools/smtp.ts';
import { encodeSignUpCode, signUp } from './sign-up.ts';

type Engine = (typeof UPPER_ENGINES)[number];

const OPEN = { CAIRN_SIGNUP: 'open' };
const PASSWORD = 'long enough it is';
const BOB = { email: 'bob@example.com', password: PASSWORD };

async function connect(engine: Engine, settings: Record<string, string>) {
  const connected = await createTestApp(engine, settings);
  await createOwnerToken(connected.store);
  const accounts = () =>
    connected.store.database.query<{ handle: string; email: string; email_verified: number; operator: number }>(
      'select handle, email, email_verified, operator from account where operator = 0 order by handle',
    );
  const signUp = (fields: object) => sendJson(connected.app, '/auth/sign-up', fields);
  return { ...connected, accounts, signUp };
}

describe.each(UPPER_ENGINES)('signing up on %s', (engine) => {
  it('is not possible unless it is open, and the page says how to get in', async () => {
    const { app, accounts, signUp } = await connect(engine, {});
    const page = await openPage(app, '/auth/sign-up');
    expect([page.status, page.body]).toEqual([
      403,
      expect.stringContaining('This server creates accounts by invitation only.'),
    ]);
    expect(page.body).not.toContain('<form');
    expect((await signUp(BOB)).status).toBe(403);
    expect((await sendForm(app, '/auth/sign-up', BOB)).status).toBe(403);
    expect(await accounts()).toEqual([]);
  });

  it('waits until the server has an owner', async () => {
    const { app, store } = await createTestApp(engine, OPEN);
    const refused = await sendJson(app, '/auth/sign-up', BOB);
    expect([refused.status, refused.body]).toEqual([403, expect.stringContaining('must open the set-up link first')]);
    expect(await store.database.query('select id from account')).toEqual([]);
  });

  it('makes the account at once where no mail is sent, with an address that is not proven', async () => {
    const { app, store, accounts, signUp } = await connect(engine, OPEN);
    const form = await openPage(app, '/auth/sign-up');
    expect([form.status, form.body]).toEqual([200, expect.stringContaining('name="password"')]);
    const made = await sendForm(app, '/auth/sign-up', { ...BOB, name: 'bobby' });
    expect([made.status, made.body]).toEqual([200, expect.stringContaining('Welcome, bobby')]);
    const second = await signUp({ email: ' Eve@example.com', password: PASSWORD });
    expect([second.status, JSON.parse(second.body)]).toEqual([200, { handle: 'eve' }]);
    expect(await accounts()).toEqual([
      { handle: 'bobby', email: 'bob@example.com', email_verified: 0, operator: 0 },
      { handle: 'eve', email: 'eve@example.com', email_verified: 0, operator: 0 },
    ]);
    const change = { email: 'eve@example.com', password: PASSWORD, newPassword: 'another one, much better' };
    expect((await sendJson(app, '/auth/password', change)).status).toBe(200);
    const told = "select actor, target from audit where action = 'auth.signUp' order by actor";
    expect(await store.database.query(told)).toEqual([
      { actor: 'user:bobby', target: 'user:bobby' },
      { actor: 'user:eve', target: 'user:eve' },
    ]);
  });

  it('leads on to where somebody was going, and nowhere else', async () => {
    const { app } = await connect(engine, OPEN);
    expect((await openPage(app, '/auth/sign-in?next=/oauth/device')).body).toContain(
      '/auth/sign-up?next=%2Foauth%2Fdevice',
    );
    expect((await openPage(app, '/auth/sign-up?next=/oauth/device')).body).toContain('value="/oauth/device"');
    const made = await sendForm(app, '/auth/sign-up', { ...BOB, next: '/oauth/device' });
    expect(made.body).toContain('/auth/sign-in?next=%2Foauth%2Fdevice');
    const evil = 'https://evil.example/';
    expect((await openPage(app, `/auth/sign-up?next=${encodeURIComponent(evil)}`)).body).not.toContain('evil');
    const second = await sendForm(app, '/auth/sign-up', { email: 'eve@example.com', password: PASSWORD, next: evil });
    expect([second.status, second.body]).toEqual([200, expect.not.stringContaining('evil')]);
    const { app: closed } = await connect(engine, {});
    expect((await openPage(closed, '/auth/sign-in')).body).not.toContain('sign-up');
  });

  it('is refused in the same words, whether the address or the name is taken', async () => {
    const { signUp, accounts, app } = await connect(engine, OPEN);
    const refused = [
      await signUp({ email: OWNER.email, password: PASSWORD, name: 'free' }),
      await signUp({ ...BOB, name: OWNER.name }),
      await signUp({ email: OWNER.email, password: PASSWORD, name: OWNER.name }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([409, 409, 409]);
    expect(new Set(refused.map(({ body }) => body)).size).toBe(1);
    const page = await sendForm(app, '/auth/sign-up', { ...BOB, name: OWNER.name });
    expect(page.body).toContain(`value="${BOB.email}"`);
    expect(page.body).not.toContain(PASSWORD);
    expect(await accounts()).toEqual([]);
  });

  it('is counted, and refused who tries too often, before anything costly is done', async () => {
    const { store, accounts } = await connect(engine, OPEN);
    const key = createSecretKey(randomBytes(32));
    const place = { store, mail: undefined, publicUrl: 'https://cairn.example', signup: 'open', key } as const;
    const asker = { askLink: () => Promise.reject(new Error('too often')) };
    const code = encodeSignUpCode(key, { email: BOB.email, expiresAt: Date.now() + 60_000 });
    const mail = { add: () => expect.unreachable(), close: async () => {} };
    await expect(signUp(place, BOB, asker)).rejects.toThrow('too often');
    await expect(signUp(place, { code, password: PASSWORD }, asker)).rejects.toThrow('too often');
    await expect(signUp({ ...place, mail }, { email: BOB.email }, asker)).rejects.toThrow('too often');
    expect(await accounts()).toEqual([]);
  });

  it.each([
    { ...BOB, password: 'too short' },
    { ...BOB, email: 'bob' },
    { ...BOB, name: 'admin' },
    { ...BOB, name: '-' },
    { ...BOB, operator: true },
    { email: BOB.email },
    {},
  ])('takes no %j', async (fields) => {
    const { signUp, accounts } = await connect(engine, OPEN);
    expect((await signUp(fields)).status).toBe(400);
    expect(await accounts()).toEqual([]);
  });

  it('begins with a link by mail where mails are sent, and proves the address', async () => {
    const smtp = await startSmtp();
    const { app, accounts, signUp, logged } = await connect(engine, { ...OPEN, ...smtp.settings });
    const form = await openPage(app, '/auth/sign-up');
    expect(form.body).toContain('Send me a link');
    expect(form.body).not.toContain('name="password"');
    const asked = await sendForm(app, '/auth/sign-up', { email: BOB.email });
    expect([asked.status, asked.body]).toEqual([200, expect.stringContaining('We sent a mail')]);
    const mail = await smtp.next();
    expect(mail.to).toEqual([BOB.email]);
    expect(await accounts()).toEqual([]);
    const { pathname, search, searchParams } = linkIn(mail);
    const second = await openPage(app, pathname + search);
    expect(second.body).toContain('Create an account for bob@example.com');
    const code = searchParams.get('code') ?? '';
    const taken = await sendForm(app, '/auth/sign-up', { code, name: OWNER.name, password: PASSWORD });
    expect([taken.status, taken.body]).toEqual([409, expect.stringContaining('with this handle')]);
    const made = await signUp({ code, password: PASSWORD, name: 'bobby' });
    expect([made.status, JSON.parse(made.body)]).toEqual([200, { handle: 'bobby' }]);
    expect(await accounts()).toEqual([{ handle: 'bobby', email: BOB.email, email_verified: 1, operator: 0 }]);
    expect((await signUp({ code, password: PASSWORD, name: 'other' })).status).toBe(409);
    expect(JSON.stringify(logged)).not.toContain(code);
  });

  it('does not tell by mail servers either who has an account; the holder of the address is told', async () => {
    const smtp = await startSmtp();
    const { signUp } = await connect(engine, { ...OPEN, ...smtp.settings });
    const [known, unknown] = [await signUp({ email: OWNER.email }), await signUp({ email: BOB.email })];
    expect([known.status, JSON.parse(known.body)]).toEqual([200, { email: OWNER.email }]);
    expect([unknown.status, JSON.parse(unknown.body)]).toEqual([200, { email: BOB.email }]);
    const mails = [await smtp.next(), await smtp.next()].sort((a, b) => ((a.to[0] ?? '') < (b.to[0] ?? '') ? -1 : 1));
    expect(mails[0]?.text).toContain('which already has one');
    expect(mails[0]?.text).not.toContain('code=');
    expect(mails[1]?.text).toContain('code=');
  });

  it('takes no link that another made, that was changed or that is over', async () => {
    const smtp = await startSmtp();
    const { app, signUp, accounts } = await connect(engine, { ...OPEN, ...smtp.settings });
    await signUp({ email: BOB.email });
    const code = linkIn(await smtp.next()).searchParams.get('code') ?? '';
    const other = createSecretKey(randomBytes(32));
    const claim = { email: BOB.email, expiresAt: Date.now() + 60_000 };
    const bytes = Buffer.from(code, 'base64url');
    bytes[40] = (bytes[40] ?? 0) ^ 1;
    const codes = [encodeSignUpCode(other, claim), bytes.toString('base64url'), `${code}A`, `${code}=`, 'x', ''];
    for (const wrong of codes) {
      expect([wrong, (await signUp({ code: wrong, password: PASSWORD })).status]).toEqual([wrong, 401]);
      const page = await openPage(app, `/auth/sign-up?code=${encodeURIComponent(wrong)}`);
      expect([page.status, page.body]).toEqual([401, expect.stringContaining('wrong or expired')]);
    }
    expect(await accounts()).toEqual([]);
  });
});
