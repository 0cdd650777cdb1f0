// The links of invitations, by mail and on screen.
import { utcTimeText } from '@cairn/model/time-text';
import { describe, expect, it } from 'vitest';
import { openPage } from '../../../../test/support/form.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, createTestApp } from '../../../../test/support/server.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import { linkIn, startSmtp } from '../../../../test/tools/smtp.ts';

type Engine = (typeof ENGINES)[number];

async function connect(engine: Engine, settings: Record<string, string>) {
  const { app, store, logged } = await createTestApp(engine, settings);
  const owner = caller(app, await createOwnerToken(store));
  await owner('org.create', { name: 'acme' });
  await owner('repo.create', { orgName: 'acme', name: 'world' });
  return { app, store, logged, owner };
}

describe.each(ENGINES)('an invitation on %s', (engine) => {
  it('is mailed with the link that the inviter is shown', async () => {
    const smtp = await startSmtp();
    const { app, owner, logged } = await connect(engine, smtp.settings);
    const added = await owner('org.addMember', { orgName: 'acme', email: 'bob@example.com', role: 'editor' });
    const { link = '', mailed, expiresAt = 0 } = added.data();
    expect(mailed).toBe(true);
    const mail = await smtp.next();
    expect(mail.to).toEqual(['bob@example.com']);
    expect(mail.headers).toContain('Subject: ada invites you to acme');
    expect(mail.text).toContain(`ada invites you to acme on Cairn at http://localhost:8787, as editor.`);
    expect(mail.text).toContain(`until ${utcTimeText(expiresAt)}`);
    expect(linkIn(mail).href).toBe(link);
    const { pathname, search } = linkIn(mail);
    expect((await openPage(app, pathname + search)).body).toContain('ada invites bob@example.com to acme');
    expect(JSON.stringify(logged)).not.toContain(linkIn(mail).searchParams.get('code'));
    const place = { orgName: 'acme', repoName: 'world' };
    const given = await owner('repo.setRole', { ...place, email: 'eve@example.com', role: 'read' });
    const second = await smtp.next();
    expect([second.to, linkIn(second).href]).toEqual([['eve@example.com'], given.data().link]);
    expect(second.text).toContain('ada invites you to acme/world');
    const changed = await owner('org.setMemberRole', { orgName: 'acme', email: 'bob@example.com', role: 'viewer' });
    expect(linkIn(await smtp.next()).href).toBe(changed.data().link);
  });

  it('of somebody who has the role at once, or that is cancelled, is no mail', async () => {
    const smtp = await startSmtp();
    const { store, owner } = await connect(engine, smtp.settings);
    await store.write.createAccount({ email: 'bob@example.com', handle: 'bob', passwordHash: '-', operator: false });
    await owner('org.addMember', { orgName: 'acme', handle: 'bob', role: 'viewer' });
    await owner('org.removeMember', { orgName: 'acme', handle: 'bob' });
    await owner('org.addMember', { orgName: 'acme', email: 'eve@example.com', role: 'viewer' });
    expect((await smtp.next()).to).toEqual(['eve@example.com']);
  });

  it('is made all the same where the mail cannot be sent', async () => {
    const smtp = await startSmtp({ onRcptTo: (_address, _session, done) => done(new Error('full')) });
    const { owner } = await connect(engine, smtp.settings);
    const added = await owner('org.addMember', { orgName: 'acme', email: 'bob@example.com', role: 'editor' });
    expect(added.data()).toMatchObject({ pending: true, link: expect.stringContaining('/auth/invite?code=') });
  });

  it('buries nobody in mail', async () => {
    const smtp = await startSmtp();
    const { owner } = await connect(engine, { ...smtp.settings, CAIRN_LIMIT_RECIPIENT_MAIL_BURST: '2' });
    const place = { orgName: 'acme', repoName: 'world' };
    for (const role of ['read', 'write', 'admin', 'read'] as const) {
      const given = await owner('repo.setRole', { ...place, email: 'bob@example.com', role });
      expect(given.data().link).toBeDefined();
    }
    await owner('repo.setRole', { ...place, email: 'eve@example.com', role: 'read' });
    for (let n = 0; n < 3; n++) await smtp.next();
    expect(smtp.received.map(({ to }) => to[0] ?? '').sort((a, b) => a.localeCompare(b))).toEqual([
      'bob@example.com',
      'bob@example.com',
      'eve@example.com',
    ]);
  });
});
