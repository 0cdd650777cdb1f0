// Passwords after the first, and accounts that are deactivated.
import { describe, expect, it } from 'vitest';
import { type FormAnswer, openPage, sendForm, sendJson } from '../../../../test/support/form.ts';
import { cheapHash } from '../../../../test/support/person.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, createTestApp, OWNER } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { hashCode } from '../keys/secret.ts';
import { createToken, EVERYTHING } from './account.ts';
import { issueReset, setAccountActive, setPassword } from './operator.ts';
import { changePassword } from './password.ts';

type Engine = (typeof UPPER_ENGINES)[number];

const OLD = 'the password of before';
const NEW = 'another one, much better';
const OLD_HASH = cheapHash(OLD);
const EMAIL = 'bob@example.com';

async function connect(engine: Engine) {
  const { app, store, logged } = await createTestApp(engine);
  const owner = caller(app, await createOwnerToken(store));
  const account = { email: EMAIL, handle: 'bob', passwordHash: OLD_HASH, operator: false };
  const { id } = await store.write.createAccount(account);
  const { token } = await createToken(store, { email: EMAIL, name: 'all', scopes: EVERYTHING });
  const change = (fields: object) =>
    sendJson(app, '/auth/password', { email: EMAIL, password: OLD, newPassword: NEW, ...fields });
  const reset = (fields: object) => sendJson(app, '/auth/reset', { newPassword: NEW, ...fields });
  return { app, store, logged, owner, id, bob: caller(app, token), change, reset };
}

const bodiesOf = (answers: readonly FormAnswer[]) => new Set(answers.map(({ body }) => body));

describe.each(UPPER_ENGINES)('a password on %s', (engine) => {
  it('is changed by who knows it, and the old one is worth nothing', async () => {
    const { change, logged } = await connect(engine);
    const changed = await change({ email: ' BOB@example.com' });
    expect([changed.status, JSON.parse(changed.body)]).toEqual([200, { handle: 'bob' }]);
    expect(changed.headers.get('cache-control')).toBe('no-store');
    expect((await change({})).status).toBe(401);
    expect((await change({ password: NEW, newPassword: OLD })).status).toBe(200);
    expect(JSON.stringify(logged)).not.toMatch(new RegExp(`${OLD}|${NEW}`));
  });

  it('is refused in the same words, whether the email is unknown, the password wrong or both', async () => {
    const { app, store, change } = await connect(engine);
    const wrong = { password: 'not the password of bob' };
    const unknown = { email: 'nobody@example.com' };
    const refused = [await change(wrong), await change(unknown), await change({ ...unknown, ...wrong })];
    await setAccountActive(store, { email: EMAIL, active: false });
    refused.push(await change(wrong));
    expect(refused.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    expect(bodiesOf(refused).size).toBe(1);
    expect(refused[0]?.body).toContain('see /auth/forgot if you have lost the password');
    expect((await change({})).status).toBe(403);
    const page = await sendForm(app, '/auth/password', { email: EMAIL, ...wrong, newPassword: NEW });
    expect([page.status, page.body]).toEqual([401, expect.stringContaining(`value="${EMAIL}"`)]);
    expect(page.body).not.toContain(wrong.password);
    expect(page.headers.get('cache-control')).toBe('no-store');
  });

  it('is changed by the form too', async () => {
    const { app } = await connect(engine);
    const form = await openPage(app, '/auth/password');
    expect([form.status, form.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const done = await sendForm(app, '/auth/password', { email: EMAIL, password: OLD, newPassword: NEW });
    expect([done.status, done.body]).toEqual([200, expect.stringContaining('The password of bob is set')]);
  });

  it('is changed once by those who try at once, and every attempt is told to the throttle', async () => {
    const { store } = await connect(engine);
    const told: string[] = [];
    const throttle = {
      trySignIn: async (email: string) => void told.push(`try ${email}`),
      signedIn: async (email: string) => void told.push(`signed in ${email}`),
    };
    const form = { email: EMAIL, password: OLD };
    const attempts = [NEW, 'a third, also quite good'].map((newPassword) =>
      changePassword(store, { ...form, newPassword }, { throttle }),
    );
    const outcomes = (await Promise.allSettled(attempts)).map(({ status }) => status);
    expect(outcomes.sort()).toEqual(['fulfilled', 'rejected']);
    expect(told.filter((line) => line === `try ${EMAIL}`)).toHaveLength(2);
    const stopped = { ...throttle, trySignIn: () => Promise.reject(new Error('too often')) };
    await expect(changePassword(store, { ...form, newPassword: NEW }, { throttle: stopped })).rejects.toThrow(
      'too often',
    );
  });

  it('is set anew with a link that works once; another link ends it', async () => {
    const { app, store, id, change, reset } = await connect(engine);
    const earlier = await issueReset(store, EMAIL);
    const before = Date.now();
    const { code, expiresAt } = await issueReset(store, ' Bob@example.com');
    expect(expiresAt).toBeGreaterThanOrEqual(before + 86_400_000);
    expect(expiresAt).toBeLessThanOrEqual(Date.now() + 86_400_000);
    const form = await openPage(app, `/auth/reset?code=${code}`);
    expect([form.status, form.body]).toEqual([200, expect.stringContaining('New password for bob')]);
    expect((await reset({ code, newPassword: 'short' })).status).toBe(400);
    const both = await Promise.all([reset({ code }), reset({ code })]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect((await change({ password: NEW, newPassword: OLD })).status).toBe(200);
    const ended = await issueReset(store, EMAIL);
    await change({});
    const expired = { accountId: id, codeHash: hashCode('expired'), expiresAt: Date.now() };
    await store.write.issueResetCode(expired);
    const codes = [earlier.code, code, ended.code, 'expired', 'unknown', '', '\0', "' or 1=1 --", 'x'.repeat(10_000)];
    const refused = await Promise.all(codes.map((code) => reset({ code })));
    const pages = await Promise.all(codes.map((code) => openPage(app, `/auth/reset?code=${encodeURIComponent(code)}`)));
    const forms = await Promise.all(codes.map((code) => sendForm(app, '/auth/reset', { code, newPassword: NEW })));
    for (const answers of [refused, pages, forms]) {
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
      expect(bodiesOf(answers).size).toBe(1);
      expect(new Set(answers.map(({ headers }) => headers.get('cache-control')))).toEqual(new Set(['no-store']));
    }
    expect(refused[0]?.body).toContain('See /auth/forgot to get another.');
  });

  it('is set by the operator at once, and of no account that is not there', async () => {
    const { store, change } = await connect(engine);
    const { code } = await issueReset(store, EMAIL);
    expect(await setPassword(store, { email: EMAIL, newPassword: NEW })).toEqual({ handle: 'bob' });
    expect((await change({ password: NEW, newPassword: OLD })).status).toBe(200);
    expect(await store.database.query('select code_hash from account_code')).toEqual([]);
    expect(code).not.toBe('');
    for (const email of ['nobody@example.com', "' or 1=1 --@example.com"]) {
      await expect(issueReset(store, email)).rejects.toThrow(/create-user|not an email/);
    }
    await setAccountActive(store, { email: EMAIL, active: false });
    await expect(issueReset(store, EMAIL)).rejects.toThrow('reactivate-user');
  });

  it('is of a bounded length, and what is no email address is not looked for', async () => {
    const { change } = await connect(engine);
    for (const fields of [
      { newPassword: 'eleven char' },
      { newPassword: 'x'.repeat(1_001) },
      { email: 'bob' },
      { email: 'bob\0@example.com' },
      { email: `${EMAIL}\r\nBcc: eve@example.com` },
      { email: `${'b'.repeat(250)}@example.com` },
      { email: 7 },
      { more: 'than asked' },
    ]) {
      expect([fields, (await change(fields)).status]).toEqual([fields, 400]);
    }
    expect((await change({ password: 'x'.repeat(20_000) })).status).toBe(413);
    expect((await change({ password: '\0' })).status).toBe(401);
  });
});

describe.each(UPPER_ENGINES)('a deactivated account on %s', (engine) => {
  it('can do nothing from that moment on, and is as it was once it is reactivated', async () => {
    const { store, owner, bob, reset } = await connect(engine);
    await owner('org.create', { name: 'acme' });
    await owner('org.addMember', { orgName: 'acme', handle: 'bob', role: 'viewer' });
    const { code } = await issueReset(store, EMAIL);
    expect((await bob('auth.whoami', {})).status).toBe(200);
    expect(await setAccountActive(store, { email: EMAIL, active: false })).toEqual({ handle: 'bob' });
    expect((await bob('auth.whoami', {})).status).toBe(401);
    expect((await reset({ code })).status).toBe(401);
    const members = (await owner('org.listMembers', { orgName: 'acme' })).data().items;
    expect(members.map(({ handle }) => handle)).toEqual(['ada', 'bob']);
    await setAccountActive(store, { email: EMAIL, active: true });
    expect((await bob('org.get', { orgName: 'acme' })).status).toBe(200);
    expect((await reset({ code })).status).toBe(401);
  });

  it('does not count as an owner who stays', async () => {
    const { store, owner, bob } = await connect(engine);
    const acme = { orgName: 'acme' };
    await owner('org.create', { name: 'acme' });
    await owner('org.addMember', { ...acme, handle: 'bob', role: 'owner' });
    await setAccountActive(store, { email: EMAIL, active: false });
    const refused = [
      await owner('org.removeMember', { ...acme, handle: 'ada' }),
      await owner('org.setMemberRole', { ...acme, handle: 'ada', role: 'viewer' }),
    ];
    expect(refused.map(({ code }) => code)).toEqual(['CONFLICT', 'CONFLICT']);
    expect(refused[0]?.message).toContain('with an active account');
    await setAccountActive(store, { email: EMAIL, active: true });
    const last = setAccountActive(store, { email: OWNER.email, active: false });
    await expect(last).rejects.toMatchObject({ code: 'CONFLICT', details: { reason: 'last_operator' } });
    const other = { email: 'op@example.com', handle: 'op', passwordHash: '-', operator: true };
    await store.write.createAccount(other);
    await setAccountActive(store, { email: OWNER.email, active: false });
    expect((await bob('org.removeMember', { ...acme, handle: 'bob' })).code).toBe('CONFLICT');
    expect((await bob('org.removeMember', { ...acme, handle: 'ada' })).status).toBe(200);
  });
});
