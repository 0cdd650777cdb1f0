// Invitations by email: acceptance, refusal and visibility.
import type { ProcedureInput } from '@cairn/protocol/procedures';
import { SCOPE_NAMES, type Scope } from '@cairn/protocol/scopes';
import { describe, expect, it } from 'vitest';
import { openPage, sendForm, sendJson } from '../../../../test/support/form.ts';
import { organizationGrantOn } from '../../../../test/support/grant.ts';
import { cheapHash } from '../../../../test/support/person.ts';
import { type CallProcedure, caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, createTestApp, OWNER, ownerIdOf } from '../../../../test/support/server.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import { hashCode } from '../keys/secret.ts';
import { createToken } from './account.ts';
import { acceptInvitation, answerProgram } from './invitation.ts';

type Engine = (typeof ENGINES)[number];

const DAY_MS = 86_400_000;
const PASSWORD = 'a password of some length';
const PASSWORD_HASH = cheapHash(PASSWORD);
const BOB = 'bob@example.com';
const ACME = { orgName: 'acme' };
const WORLD = { orgName: 'acme', repoName: 'world' };

async function connect(engine: Engine) {
  const { app, store, logged } = await createTestApp(engine);
  const owner = caller(app, await createOwnerToken(store));
  await owner('org.create', { name: 'acme' });
  await owner('repo.create', { orgName: 'acme', name: 'world' });
  const tokenOf = async (email: string, permissions: readonly Scope[] = SCOPE_NAMES) => {
    const scopes = [{ permissions: [...permissions] }];
    const { token } = await createToken(store, { email, name: `t${permissions.length}`, scopes });
    return token;
  };
  const callerOf = async (email: string, permissions?: readonly Scope[]) =>
    caller(app, await tokenOf(email, permissions));
  const join = async (handle: string, { emailVerified = true } = {}) => {
    const email = `${handle}@example.com`;
    const account = { email, handle, passwordHash: PASSWORD_HASH, operator: false, emailVerified };
    await store.write.createAccount(account);
    return await callerOf(email);
  };
  const accept = (fields: object) => sendJson(app, '/auth/invite', { password: PASSWORD, ...fields });
  return { app, store, logged, owner, callerOf, join, accept };
}

async function invite(call: CallProcedure, input: Omit<ProcedureInput<'org.addMember'>, 'orgName'>): Promise<string> {
  return codeIn((await call('org.addMember', { ...ACME, ...input })).data().link);
}

function codeIn(link: string | undefined): string {
  return new URL(link ?? 'none:').searchParams.get('code') ?? '';
}

async function membersOf(call: CallProcedure): Promise<string[]> {
  const { items } = (await call('org.listMembers', ACME)).data();
  return items.map(({ handle, email, role, pending }) => `${handle ?? email} ${role}${pending ? ', pending' : ''}`);
}

describe.each(ENGINES)('an invitation on %s', (engine) => {
  it('leads by its link to an account with the role, once', async () => {
    const { app, store, logged, owner, callerOf, accept } = await connect(engine);
    const before = Date.now();
    const made = (await owner('org.addMember', { ...ACME, email: ' Bob@Example.COM ', role: 'editor' })).data();
    expect(made).toMatchObject({ email: BOB, role: 'editor', pending: true });
    expect(made.handle).toBeUndefined();
    expect(made.expiresAt).toBeGreaterThanOrEqual(before + 14 * DAY_MS);
    expect(made.link).toMatch(/^http:\/\/localhost:8787\/auth\/invite\?code=[\w-]{22}$/);
    expect(await membersOf(owner)).toEqual(['ada owner', `${BOB} editor, pending`]);
    const code = codeIn(made.link);
    const form = await openPage(app, `/auth/invite?code=${code}`);
    expect([form.status, form.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(form.body).toContain(`ada invites ${BOB} to acme as editor`);
    const accepted = await accept({ code });
    expect([accepted.status, JSON.parse(accepted.body)]).toEqual([
      200,
      { handle: 'bob', orgName: 'acme', role: 'editor', token: expect.any(String), expiresAt: expect.any(Number) },
    ]);
    expect(accepted.headers.get('cache-control')).toBe('no-store');
    const bob = await callerOf(BOB);
    expect(await membersOf(bob)).toEqual(['ada owner', 'bob editor']);
    expect((await bob('repo.get', { orgName: 'acme', repoName: 'world' })).status).toBe(200);
    expect((await accept({ code, name: 'bobby' })).status).toBe(401);
    const rows = await store.database.query('select email_verified from account where email = $1', [BOB]);
    expect(rows).toEqual([{ email_verified: 0 }]);
    expect(await store.database.query('select email from invitation')).toEqual([]);
    expect(JSON.stringify(logged)).not.toContain(code);
  });

  it('to one repository gives a role in it alone', async () => {
    const { app, owner, callerOf } = await connect(engine);
    const made = (await owner('repo.setRole', { ...WORLD, email: BOB, role: 'read' })).data();
    expect(made).toMatchObject({ email: BOB, role: 'read', pending: true, expiresAt: expect.any(Number) });
    const changed = (await owner('repo.setRole', { ...WORLD, email: BOB, role: 'write' })).data();
    expect(changed).toMatchObject({ email: BOB, role: 'write', pending: true, link: expect.any(String) });
    expect((await openPage(app, `/auth/invite?code=${codeIn(made.link)}`)).status).toBe(401);
    expect((await owner('repo.listRoles', WORLD)).data().items).toMatchObject([{ email: BOB, role: 'write' }]);
    const code = codeIn(changed.link);
    const welcome = await sendForm(app, '/auth/invite', { code, name: 'robert', password: PASSWORD });
    expect([welcome.status, welcome.body]).toEqual([200, expect.stringContaining('the role write in acme/world')]);
    expect(welcome.body).toContain('<a href="/acme/world">');
    expect(welcome.body).not.toContain('cairn_pat_');
    const robert = await callerOf(BOB);
    expect((await robert('repo.get', WORLD)).status).toBe(200);
    expect((await robert('org.get', ACME)).status).toBe(404);
    expect((await owner('repo.listRoles', WORLD)).data().items).toMatchObject([{ handle: 'robert', pending: false }]);
    expect((await owner('repo.setRole', { ...WORLD, email: BOB, role: null })).code).toBe('NOT_FOUND');
    await owner('repo.setRole', { ...WORLD, email: 'eve@example.com', role: 'read' });
    const cancelled = await owner('repo.setRole', { ...WORLD, email: 'eve@example.com', role: null });
    expect(cancelled.data()).toMatchObject({ email: 'eve@example.com', role: null });
    expect((await owner('repo.listRoles', WORLD)).data().items).toHaveLength(1);
  });

  it('is refused in the same words, whether unknown, used, cancelled, expired, or of a deleted repository', async () => {
    const { app, store, owner, accept } = await connect(engine);
    const used = await invite(owner, { email: BOB, role: 'viewer' });
    await accept({ code: used });
    const cancelled = await invite(owner, { email: 'eve@example.com', role: 'viewer' });
    await owner('org.removeMember', { ...ACME, email: 'eve@example.com' });
    const gone = codeIn((await owner('repo.setRole', { ...WORLD, email: BOB, role: 'read' })).data().link);
    await owner('repo.delete', WORLD);
    await store.write.setMember({
      grant: await organizationGrantOn(store, 'acme'),
      person: { email: 'old@example.com' },
      role: 'viewer',
      expected: 'new',
      mayChangeOwners: true,
      inviter: { accountId: await ownerIdOf(store), codeHash: hashCode('expired') },
      now: Date.now() - 14 * DAY_MS,
    });
    const codes = [used, cancelled, gone, 'expired', 'unknown', '', '\0', "' or 1=1 --", 'x'.repeat(10_000)];
    const answers = { json: new Set<string>(), page: new Set<string>(), form: new Set<string>() };
    for (const code of codes) {
      const sent = [
        await accept({ code }),
        await openPage(app, `/auth/invite?code=${encodeURIComponent(code)}`),
        await sendForm(app, '/auth/invite', { code, password: PASSWORD }),
      ] as const;
      expect(sent.map(({ status }) => status)).toEqual([401, 401, 401]);
      expect(sent.map(({ headers }) => headers.get('cache-control'))).toEqual(['no-store', 'no-store', 'no-store']);
      answers.json.add(sent[0].body);
      answers.page.add(sent[1].body);
      answers.form.add(sent[2].body);
    }
    expect(Object.values(answers).map(({ size }) => size)).toEqual([1, 1, 1]);
    expect([...answers.json][0]).toContain('Ask its sender for another link.');
    expect(await membersOf(owner)).toEqual(['ada owner', 'bob viewer']);
    await invite(owner, { email: 'old@example.com', role: 'viewer' });
  });

  it('is void once who invited can no longer give the role, until somebody who can sets it again', async () => {
    const { app, store, owner, join, accept } = await connect(engine);
    const carol = await join('carol');
    const handle = 'carol';
    await owner('org.addMember', { ...ACME, handle, role: 'owner' });
    const [accountId] = (
      await store.database.query<{ id: number }>("select id from account where handle = 'carol'")
    ).map(({ id }) => id);
    const setRole = (role: 'viewer' | 'admin' | 'owner') => owner('org.setMemberRole', { ...ACME, handle, role });
    const setActive = (active: boolean) =>
      store.write.setAccountActive({ accountId: accountId ?? -1, active, now: Date.now() });
    for (const [role, end, back] of [
      ['viewer', () => setRole('viewer'), () => setRole('owner')],
      [
        'viewer',
        () => owner('org.removeMember', { ...ACME, handle }),
        () => owner('org.addMember', { ...ACME, handle, role: 'owner' }),
      ],
      ['viewer', () => setActive(false), () => setActive(true)],
      ['owner', () => setRole('admin'), () => setRole('owner')],
    ] as const) {
      const code = await invite(carol, { email: BOB, role });
      await end();
      const refused = await accept({ code });
      expect([refused.status, refused.body]).toEqual([
        409,
        expect.stringContaining('carol can no longer give the role'),
      ]);
      const page = await openPage(app, `/auth/invite?code=${code}`);
      expect([page.status, page.body]).toEqual([409, expect.not.stringContaining('<form')]);
      expect(await store.database.query('select id from account where email = $1', [BOB])).toEqual([]);
      await back();
      expect((await openPage(app, `/auth/invite?code=${code}`)).status).toBe(200);
      await owner('org.removeMember', { ...ACME, email: BOB });
    }
    const code = await invite(carol, { email: BOB, role: 'viewer' });
    await setRole('viewer');
    const again = (await owner('org.setMemberRole', { ...ACME, email: BOB, role: 'viewer' })).data();
    // Carol's earlier link must not work, because its holder may be somebody else by now.
    expect((await accept({ code })).status).toBe(401);
    expect((await accept({ code: codeIn('link' in again ? again.link : undefined) })).status).toBe(200);
  });

  it('to a repository is void likewise, by either kind of role', async () => {
    const { owner, join, accept } = await connect(engine);
    const carol = await join('carol');
    const give = (role: 'read' | 'admin' | null) => owner('repo.setRole', { ...WORLD, handle: 'carol', role });
    await give('admin');
    const code = codeIn((await carol('repo.setRole', { ...WORLD, email: BOB, role: 'admin' })).data().link);
    await give(null);
    expect((await accept({ code })).status).toBe(409);
    await owner('org.addMember', { ...ACME, handle: 'carol', role: 'admin' });
    await give('read');
    expect((await accept({ code })).status).toBe(409);
    await give(null);
    expect((await accept({ code })).status).toBe(200);
  });

  it('never lets an account receive roles by an email that is not verified', async () => {
    const { app, owner, join, callerOf, accept } = await connect(engine);
    const victim = 'victim@example.com';
    const earlier = await invite(owner, { email: victim, role: 'viewer' });
    const eve = await join('eve');
    const own = codeIn((await eve('org.addMember', { orgName: 'eve', email: victim, role: 'owner' })).data().link);
    expect((await accept({ code: own, name: 'mallory' })).status).toBe(200);
    const mallory = await callerOf(victim);
    expect((await mallory('org.get', ACME)).status).toBe(404);
    expect((await owner('org.setMemberRole', { ...ACME, email: victim, role: 'owner' })).data().pending).toBe(true);
    expect((await owner('repo.setRole', { ...WORLD, email: victim, role: 'admin' })).data().pending).toBe(true);
    expect((await mallory('org.get', ACME)).status).toBe(404);
    expect((await mallory('repo.get', WORLD)).status).toBe(404);
    await owner('org.removeMember', { ...ACME, email: victim });
    expect((await owner('org.addMember', { ...ACME, email: victim, role: 'viewer' })).data().pending).toBe(true);
    expect((await mallory('org.get', ACME)).status).toBe(404);
    expect((await openPage(app, `/auth/invite?code=${earlier}`)).status).toBe(401);
  });

  it('is not needed where the email is verified', async () => {
    const { store, owner, join, accept } = await connect(engine);
    const code = await invite(owner, { email: BOB, role: 'viewer' });
    const bob = await join('bob');
    expect((await owner('org.setMemberRole', { ...ACME, email: BOB, role: 'admin' })).data().pending).toBe(true);
    const added = (await owner('org.addMember', { ...ACME, email: 'BOB@example.com', role: 'editor' })).data();
    expect(added).toEqual({ handle: 'bob', role: 'editor', pending: false, createdAt: expect.any(Number) });
    expect((await accept({ code })).status).toBe(401);
    expect((await owner('org.setMemberRole', { ...ACME, email: BOB, role: 'viewer' })).data()).toMatchObject({
      handle: 'bob',
    });
    expect((await owner('repo.setRole', { ...WORLD, email: BOB, role: 'write' })).data()).toEqual({
      handle: 'bob',
      role: 'write',
      pending: false,
    });
    expect(await membersOf(bob)).toEqual(['ada owner', 'bob viewer']);
    await owner('org.removeMember', { ...ACME, email: BOB });
    expect((await bob('repo.get', WORLD)).status).toBe(404);
    const [row] = await store.database.query<{ id: number }>('select id from account where email = $1', [BOB]);
    await store.write.setAccountActive({ accountId: row?.id ?? -1, active: false, now: Date.now() });
    for (const person of [{ email: BOB }, { handle: 'bob' }]) {
      for (const refused of [
        await owner('org.addMember', { ...ACME, ...person, role: 'viewer' }),
        await owner('repo.setRole', { ...WORLD, ...person, role: 'read' }),
      ]) {
        expect([refused.code, refused.message]).toEqual(['CONFLICT', expect.stringContaining('reactivate')]);
      }
    }
  });

  it('keeps the rules of giving a role', async () => {
    const { owner, join, callerOf } = await connect(engine);
    const carol = await join('carol');
    await owner('org.addMember', { ...ACME, handle: 'carol', role: 'editor' });
    const email = BOB;
    expect((await carol('org.addMember', { ...ACME, email, role: 'viewer' })).code).toBe('FORBIDDEN');
    await owner('org.setMemberRole', { ...ACME, handle: 'carol', role: 'admin' });
    expect((await carol('org.addMember', { ...ACME, email, role: 'owner' })).code).toBe('FORBIDDEN');
    await invite(carol, { email, role: 'viewer' });
    const again = await carol('org.addMember', { ...ACME, email, role: 'viewer' });
    expect([again.code, again.message]).toEqual(['ALREADY_EXISTS', expect.stringContaining('Change the role')]);
    expect((await carol('org.setMemberRole', { ...ACME, email, role: 'owner' })).code).toBe('FORBIDDEN');
    expect((await owner('org.setMemberRole', { ...ACME, email, role: 'owner' })).data()).toMatchObject({
      role: 'owner',
    });
    for (const refused of [
      await carol('org.setMemberRole', { ...ACME, email, role: 'owner' }),
      await carol('org.setMemberRole', { ...ACME, email, role: 'viewer' }),
      await carol('org.removeMember', { ...ACME, email }),
    ]) {
      expect(refused.code).toBe('FORBIDDEN');
    }
    const narrow = await callerOf(OWNER.email, ['org:configure', 'org:read', 'repo:admin']);
    expect((await narrow('org.addMember', { ...ACME, email: 'x@example.com', role: 'viewer' })).code).toBe('FORBIDDEN');
    expect((await narrow('repo.setRole', { ...WORLD, email: 'x@example.com', role: 'read' })).code).toBe('FORBIDDEN');
    expect((await owner('org.removeMember', { ...ACME, email })).data()).toMatchObject({ email, role: 'owner' });
    const missing = await owner('org.removeMember', { ...ACME, email });
    expect([missing.code, missing.message]).toEqual(['NOT_FOUND', expect.stringContaining('use the handle')]);
  });

  it('is listed after the members, page by page, to who may invite', async () => {
    const { owner, join } = await connect(engine);
    const bob = await join('bob');
    await owner('org.addMember', { ...ACME, handle: 'bob', role: 'viewer' });
    for (const name of ['c', 'a', 'b']) await invite(owner, { email: `${name}@example.com`, role: 'viewer' });
    for (const limit of [1, 2, 3, 4, 5]) {
      const seen: (string | undefined)[] = [];
      let cursor: string | undefined;
      do {
        const page = (await owner('org.listMembers', { ...ACME, limit, cursor })).data();
        expect(page.items.length).toBeLessThanOrEqual(limit);
        seen.push(...page.items.map(({ handle, email }) => handle ?? email));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      expect(seen).toEqual(['ada', 'bob', 'a@example.com', 'b@example.com', 'c@example.com']);
    }
    const plain = await bob('org.listMembers', { ...ACME, limit: 2 });
    expect(plain.data().items).toHaveLength(2);
    expect(plain.body).not.toMatch(/@|nextCursor/);
    const { nextCursor } = (await owner('org.listMembers', { ...ACME, limit: 3 })).data();
    expect((await bob('org.listMembers', { ...ACME, limit: 3, cursor: nextCursor })).data()).toEqual({ items: [] });
    for (const name of ['z', 'y'])
      await owner('repo.setRole', { ...WORLD, email: `${name}@example.com`, role: 'read' });
    await owner('repo.setRole', { ...WORLD, handle: 'bob', role: 'read' });
    const first = (await owner('repo.listRoles', { ...WORLD, limit: 2 })).data();
    const second = (await owner('repo.listRoles', { ...WORLD, limit: 2, cursor: first.nextCursor })).data();
    expect([...first.items, ...second.items].map(({ handle, email }) => handle ?? email)).toEqual([
      'bob',
      'y@example.com',
      'z@example.com',
    ]);
    expect(second.nextCursor).toBeUndefined();
  });

  it('asks who has an account for its password, and gives the role beside those that it has', async () => {
    const { app, store, owner, join } = await connect(engine);
    const bob = await join('bob', { emailVerified: false });
    const code = await invite(owner, { email: BOB, role: 'viewer' });
    const page = await openPage(app, `/auth/invite?code=${code}`);
    expect(page.body).toContain('Of the account with this email address');
    const asked: string[] = [];
    const throttle = {
      trySignIn: async (email: string) => void asked.push(`try ${email}`),
      signedIn: async (email: string) => void asked.push(`signed in ${email}`),
    };
    const form = { code, name: 'other', password: 'not the password of bob' };
    await expect(acceptInvitation(store, form, { throttle })).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    const wrong = await sendForm(app, '/auth/invite', form);
    expect([wrong.status, wrong.body]).toEqual([401, expect.stringContaining('<form')]);
    expect(wrong.body).toContain('The email address or the password is wrong.');
    expect((await bob('org.get', ACME)).status).toBe(404);
    const accepted = await acceptInvitation(store, { ...form, password: PASSWORD }, { throttle });
    expect(await answerProgram(store, accepted)).toEqual({ handle: 'bob', orgName: 'acme', role: 'viewer' });
    expect(asked).toEqual([`try ${BOB}`, `try ${BOB}`, `signed in ${BOB}`]);
    expect((await bob('org.get', ACME)).status).toBe(200);
  });

  it('takes nothing from who has a role already, and is used up', async () => {
    const { owner, join, accept } = await connect(engine);
    const bob = await join('bob', { emailVerified: false });
    await owner('org.addMember', { ...ACME, handle: 'bob', role: 'admin' });
    const toRepository = (await owner('repo.setRole', { ...WORLD, email: BOB, role: 'read' })).data();
    for (const code of [await invite(owner, { email: BOB, role: 'viewer' }), codeIn(toRepository.link)]) {
      const refused = await accept({ code });
      expect([refused.status, refused.body]).toEqual([409, expect.stringContaining('already_member')]);
      expect((await accept({ code })).status).toBe(401);
    }
    expect(await membersOf(bob)).toEqual(['ada owner', 'bob admin']);
    expect((await bob('repo.listRoles', WORLD)).data().items).toEqual([]);
  });

  it('is accepted by one of those who try at once', async () => {
    const { store, owner, accept } = await connect(engine);
    const code = await invite(owner, { email: BOB, role: 'viewer' });
    const answers = await Promise.all(['bob', 'bobby', 'robert'].map((name) => accept({ code, name })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    expect(await store.database.query('select email from account where email = $1', [BOB])).toHaveLength(1);
    expect((await owner('org.listMembers', ACME)).data().items).toHaveLength(2);
    expect(
      await store.database.query("select name from organization where name like '%bob%' or name = 'robert'"),
    ).toHaveLength(1);
  });

  it('that is left over does not bring back who was removed', async () => {
    const { owner, join, accept } = await connect(engine);
    await join('bob', { emailVerified: false });
    const toRepository = (await owner('repo.setRole', { ...WORLD, email: BOB, role: 'write' })).data();
    const code = await invite(owner, { email: BOB, role: 'admin' });
    await owner('org.addMember', { ...ACME, handle: 'bob', role: 'viewer' });
    await owner('org.removeMember', { ...ACME, handle: 'bob' });
    expect((await accept({ code })).status).toBe(401);
    expect((await accept({ code: codeIn(toRepository.link) })).status).toBe(401);
    const again = codeIn((await owner('repo.setRole', { ...WORLD, email: BOB, role: 'write' })).data().link);
    await owner('repo.setRole', { ...WORLD, handle: 'bob', role: 'read' });
    await owner('repo.setRole', { ...WORLD, handle: 'bob', role: null });
    expect((await accept({ code: again })).status).toBe(401);
  });

  it('stays open when the account cannot be made', async () => {
    const { app, owner, accept } = await connect(engine);
    const code = await invite(owner, { email: BOB, role: 'viewer' });
    const taken = await accept({ code, name: 'ada' });
    expect([taken.status, taken.body]).toEqual([409, expect.stringContaining('Choose another')]);
    for (const fields of [
      { password: 'short' },
      { password: 'x'.repeat(1_001) },
      { name: '"><script>alert(1)</script>' },
      { name: "bob'; drop table account; --" },
      { name: 'bob\r\nset-cookie: a=b' },
      { name: 'bob\0' },
      { name: 'b'.repeat(40) },
      { name: 'admin' },
      { email: 'eve@example.com' },
    ]) {
      const refused = await accept({ code, ...fields });
      expect([fields, refused.status]).toEqual([fields, 400]);
      expect(refused.headers.get('cache-control')).toBe('no-store');
      expect([...refused.headers.keys()]).not.toContain('set-cookie');
    }
    const shown = await sendForm(app, '/auth/invite', { code, name: '"><script>', password: PASSWORD });
    expect([shown.status, shown.body]).toEqual([400, expect.not.stringContaining('"><script>')]);
    expect((await sendForm(app, '/auth/invite', { code, password: 'x'.repeat(20_000) })).status).toBe(413);
    expect((await accept({ code })).status).toBe(200);
  });

  it('signs the browser in that accepts it, and no program, nor by a form of another page', async () => {
    const { app, owner, join, accept } = await connect(engine);
    const isSignedIn = async ({ headers }: { headers: Headers }) => {
      const cookie = headers.getSetCookie().map((one) => one.split(';', 1)[0]);
      const account = await app.request('/auth/account', { headers: { cookie: cookie.join('; ') } });
      return (await account.text()).includes('<h1>bob</h1>');
    };
    const code = await invite(owner, { email: BOB, role: 'viewer' });
    const evil = await app.request('/auth/invite', {
      method: 'POST',
      headers: { origin: 'https://evil.example' },
      body: new URLSearchParams({ code, password: PASSWORD }),
    });
    expect([evil.status, evil.headers.getSetCookie()]).toEqual([403, []]);
    const made = await sendForm(app, '/auth/invite', { code, password: PASSWORD });
    expect([made.status, await isSignedIn(made)]).toEqual([200, true]);
    expect(made.headers.getSetCookie()[0]).toContain('HttpOnly; SameSite=Lax');
    expect(made.body).toContain('<a href="/acme">');

    await join('carol', { emailVerified: false });
    const again = await invite(owner, { email: 'carol@example.com', role: 'viewer' });
    const wrong = await sendForm(app, '/auth/invite', { code: again, password: 'not the password of carol' });
    expect([wrong.status, wrong.headers.getSetCookie()]).toEqual([401, []]);
    const known = await sendForm(app, '/auth/invite', { code: again, password: PASSWORD });
    expect([known.status, known.headers.getSetCookie().length]).toEqual([200, 2]);

    const last = await accept({ code: await invite(owner, { email: 'eve@example.com', role: 'viewer' }) });
    expect([last.status, last.headers.getSetCookie()]).toEqual([200, []]);
  });

  it('goes to one address, of a form that can be shown and mailed to', async () => {
    const { owner } = await connect(engine);
    for (const person of [
      {},
      { handle: 'bob', email: BOB },
      { email: '' },
      { email: 'bob' },
      { email: 'a@b@c' },
      { email: 'bob@example.com\r\nBcc: eve@example.com' },
      { email: 'bob\0@example.com' },
      { email: 'bob@example.com, eve@example.com' },
      { email: 'Bob <bob@example.com>' },
      { email: 'b\u202Eob@example.com' },
      { email: `${'b'.repeat(250)}@example.com` },
      { handle: 'bob\0' },
      { handle: "' or 1=1 --" },
    ]) {
      const refused = [
        await owner('org.addMember', { ...ACME, ...person, role: 'viewer' }),
        await owner('org.setMemberRole', { ...ACME, ...person, role: 'viewer' }),
        await owner('org.removeMember', { ...ACME, ...person }),
        await owner('repo.setRole', { ...WORLD, ...person, role: 'read' }),
      ];
      expect([person, ...refused.map(({ code }) => code)]).toEqual([person, ...Array(4).fill('VALIDATION_ERROR')]);
    }
    const quoted = "o'hara+cairn@example.com";
    expect((await owner('org.addMember', { ...ACME, email: quoted, role: 'viewer' })).data()).toMatchObject({
      email: quoted,
    });
    expect(await membersOf(owner)).toEqual(['ada owner', `${quoted} viewer, pending`]);
  });
});
