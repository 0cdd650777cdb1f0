// Revoked rights end a live stream with `revoked` before the next event, and soon if nothing is committed.
import { describe, expect, it } from 'vitest';
import { grantOn } from '../../../../test/support/grant.ts';
import { createLiveWorld, type LiveClient, listen, signal, WORLD } from '../../../../test/support/live.ts';
import { createComponentToken, createSession } from '../../../../test/support/principal.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { commitInput } from '../../../../test/support/repository.ts';
import { runStatement } from '../../../../test/support/statement.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import { createToken, EVERYTHING } from '../account/account.ts';
import { setAccountActive } from '../account/operator.ts';
import type { Engine } from '../engine/database.ts';
import { findRepository } from '../repository/repository.sql.ts';
import { openStore } from '../store.ts';

async function prepare(engine: Engine, pace = {}) {
  const world = await createLiveWorld(engine, { pace });
  const { app, store, owner } = world;
  const email = 'eve@example.com';
  const { id: accountId } = await store.write.createAccount({
    email,
    handle: 'eve',
    passwordHash: '-',
    operator: false,
  });
  await owner('org.addMember', { orgName: 'acme', handle: 'eve', role: 'viewer' });
  const { token } = await createToken(store, { email, name: 'parent', scopes: EVERYTHING });
  const eve = caller(app, token);
  const child = await eve('token.create', { name: 'child', scopes: [...EVERYTHING] });
  const session = await createSession(store, { accountId });
  const repoId = (await findRepository(store.database, WORLD))?.repoId ?? 0;
  const component = await createComponentToken(store, { repoId });
  const by = {
    token: eve,
    child: caller(app, child.data().token),
    session: caller(app, session.token),
    component: caller(app, component),
    anonymous: caller(app),
  };
  return { ...world, by, accountId };
}

type Prepared = Awaited<ReturnType<typeof prepare>>;

interface Revocation {
  readonly who: keyof Prepared['by'];
  readonly take: (world: Prepared) => Promise<unknown>;
  readonly code: string;
}

const REVOCATIONS: Readonly<Record<string, Revocation>> = {
  'the token is revoked': {
    who: 'child',
    take: ({ by }) => by.token('token.revoke', { name: 'child' }),
    code: 'UNAUTHENTICATED',
  },
  'a token that it descends from is revoked': {
    who: 'child',
    take: ({ store }) => runStatement(store, "update token set revoked_at = 1 where name = 'parent'"),
    code: 'UNAUTHENTICATED',
  },
  'a token that it descends from has expired': {
    who: 'child',
    take: ({ store }) => runStatement(store, "update token set expires_at = 1 where name = 'parent'"),
    code: 'UNAUTHENTICATED',
  },
  'the token has expired': {
    who: 'token',
    take: ({ store }) => runStatement(store, "update token set expires_at = 1 where name = 'parent'"),
    code: 'UNAUTHENTICATED',
  },
  'the value of the token was rotated away': {
    who: 'token',
    take: ({ by }) => by.session('token.rotate', { name: 'parent', previousValidUntil: Date.now() }),
    code: 'UNAUTHENTICATED',
  },
  'the session was ended': {
    who: 'session',
    take: ({ store, accountId }) => store.write.endSessions({ accountId, now: Date.now() }),
    code: 'UNAUTHENTICATED',
  },
  'the session has expired': {
    who: 'session',
    take: ({ store }) => runStatement(store, 'update session set expires_at = 1'),
    code: 'UNAUTHENTICATED',
  },
  'the account is deactivated': {
    who: 'token',
    take: ({ store }) => setAccountActive(store, { email: 'eve@example.com', active: false }),
    code: 'UNAUTHENTICATED',
  },
  'the account of the session is deactivated': {
    who: 'session',
    take: ({ store }) => setAccountActive(store, { email: 'eve@example.com', active: false }),
    code: 'UNAUTHENTICATED',
  },
  'the member is removed': {
    who: 'session',
    take: ({ owner }) => owner('org.removeMember', { orgName: 'acme', handle: 'eve' }),
    code: 'NOT_FOUND',
  },
  'the repository is renamed': {
    who: 'token',
    take: ({ owner }) => owner('repo.rename', { ...WORLD, newName: 'moon' }),
    code: 'NOT_FOUND',
  },
  'the repository is transferred': {
    who: 'token',
    take: ({ owner }) => owner('repo.transfer', { ...WORLD, newOrgName: 'ada' }),
    code: 'NOT_FOUND',
  },
  'the component is paused': {
    who: 'component',
    take: ({ store }) => runStatement(store, 'update component_token set paused = 1'),
    code: 'FORBIDDEN',
  },
  'the component is torn down': {
    who: 'component',
    take: ({ store }) => runStatement(store, 'update component_token set revoked_at = 1'),
    code: 'UNAUTHENTICATED',
  },
  'the component may read nothing any more': {
    who: 'component',
    take: ({ store }) => runStatement(store, "update component_token set reads = '[]'"),
    code: 'NOT_FOUND',
  },
};

async function expectRevoked(client: LiveClient, ...codes: string[]): Promise<void> {
  const event = await client.next();
  const code = expect.stringMatching(`^(${codes.join('|')})$`);
  expect(event).toEqual({ event: 'revoked', id: undefined, data: { code, message: expect.any(String) } });
  await client.until(() => client.ended);
  expect(client.pending).toEqual([]);
}

describe.each(ENGINES)('a live stream on %s ends before the next event', (engine) => {
  it.each(Object.keys(REVOCATIONS))('when %s', async (name) => {
    const { who, take, code } = REVOCATIONS[name] as Revocation;
    const world = await prepare(engine);
    const client = await listen(world.url, world.by[who]);
    const other = await listen(world.url, world.owner);
    const grant = await grantOn(world.store, WORLD);
    await take(world);
    await world.store.write.commit(commitInput(grant, [signal('after')]));
    await expectRevoked(client, code);
    if (!name.includes('repository')) expect((await other.next()).data.affectedRecords).toEqual(['Signal/after']);
  });

  it('when a public repository is closed, for who listens without a credential', async () => {
    const { url, by, owner, commit } = await prepare(engine);
    await owner('repo.setVisibility', { ...WORLD, visibility: 'public' });
    const client = await listen(url, by.anonymous);
    await commit([signal('a')]);
    expect((await client.next()).data.affectedRecords).toEqual(['Signal/a']);
    await owner('repo.setVisibility', { ...WORLD, visibility: 'private' });
    await commit([signal('b')]);
    await expectRevoked(client, 'NOT_FOUND');
    expect(client.text).not.toContain('Signal/b');
  });

  it('within a heartbeat when nothing is committed, also by another process', async () => {
    const world = await prepare(engine, { beatMs: 150 });
    const client = await listen(world.url, world.by.session);
    const elsewhere = await openStore(world.location);
    await elsewhere.write.endSessions({ accountId: world.accountId, now: Date.now() });
    await elsewhere.close();
    await expectRevoked(client, 'UNAUTHENTICATED');
  });

  it('within a heartbeat when the repository is deleted, to which nobody can commit', async () => {
    const { url, by, owner } = await prepare(engine, { beatMs: 150 });
    const clients = [await listen(url, by.token), await listen(url, by.component)];
    await owner('repo.delete', WORLD);
    const [byToken, byComponent] = clients as [LiveClient, LiveClient];
    await expectRevoked(byToken, 'NOT_FOUND');
    await expectRevoked(byComponent, 'NOT_FOUND', 'UNAUTHENTICATED');
  });

  it('and lets nobody in whose credential ended after the ticket was issued', async () => {
    const { url, by, owner } = await prepare(engine);
    const ticket = (await by.child('live.issueTicket', WORLD)).data().ticket;
    const other = (await by.token('live.issueTicket', WORLD)).data().ticket;
    await by.token('token.revoke', { name: 'child' });
    await owner('org.removeMember', { orgName: 'acme', handle: 'eve' });
    const answers = await Promise.all([ticket, other].map((one) => fetch(`${url}/sse?ticket=${one}`)));
    expect(answers.map(({ status }) => status)).toEqual([401, 404]);
  });

  it('unless the role only changes', async () => {
    const { url, by, owner, commit } = await prepare(engine);
    const client = await listen(url, by.token);
    await owner('org.setMemberRole', { orgName: 'acme', handle: 'eve', role: 'editor' });
    await commit([signal('a')]);
    expect((await client.next()).event).toBe('invalidate');
  });
});
