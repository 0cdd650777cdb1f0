// The sessions of an account, as a session sees and ends them.
import { describe, expect, it } from 'vitest';
import { sendJson } from '../../../../test/support/form.ts';
import { cheapHash } from '../../../../test/support/person.ts';
import { createSession } from '../../../../test/support/principal.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, createTestApp, ownerIdOf } from '../../../../test/support/server.ts';
import { ENGINES } from '../../../../test/support/store.ts';

type Engine = (typeof ENGINES)[number];

const CLIENT = { id: 'https://tool.example/client.json', name: 'A tool' };
const BOB = { email: 'bob@example.com', password: 'the password of before' };
const BOB_HASH = cheapHash(BOB.password);

async function connect(engine: Engine) {
  const { app, store } = await createTestApp(engine);
  const token = await createOwnerToken(store);
  const accountId = await ownerIdOf(store);
  const account = { email: BOB.email, handle: 'bob', passwordHash: BOB_HASH, operator: false };
  const { id: bobId } = await store.write.createAccount(account);
  const begin = async (options: Partial<Parameters<typeof createSession>[1]> = {}) => {
    const { sessionId: id, token: jwt } = await createSession(store, { accountId, ...options });
    return { id, call: caller(app, jwt) };
  };
  const isGood = async ({ call }: Awaited<ReturnType<typeof begin>>) => (await call('auth.whoami', {})).status === 200;
  return { app, store, token, bobId, begin, isGood };
}

describe.each(ENGINES)('sessions on %s', (engine) => {
  it('are listed with what tells them apart, the newest first, page by page', async () => {
    const { begin, bobId, store } = await connect(engine);
    const now = Date.now();
    const first = await begin({ nowMs: now - 3_000, address: '198.51.100.1' });
    const second = await begin({ nowMs: now - 2_000, client: CLIENT });
    const third = await begin({ nowMs: now - 1_000, client: { id: 'cairn-cli', name: 'Cairn CLI' } });
    await begin({ accountId: bobId });
    await store.usage.recordSessionUses([{ sessionId: first.id, usedAt: now }]);
    const { items } = (await first.call('auth.listSessions', {})).data();
    expect(items.map(({ expiresAt: _, createdAt, ...item }) => ({ ...item, ago: now - createdAt }))).toEqual([
      { id: third.id, kind: 'client', current: false, client: { id: 'cairn-cli', name: 'Cairn CLI' }, ago: 1_000 },
      { id: second.id, kind: 'client', current: false, client: { ...CLIENT, host: 'tool.example' }, ago: 2_000 },
      { id: first.id, kind: 'browser', current: true, address: '198.51.100.1', lastUsedAt: now, ago: 3_000 },
    ]);
    const pages = [];
    let cursor: string | undefined;
    do {
      const page = (await second.call('auth.listSessions', { limit: 1, ...(cursor && { cursor }) })).data();
      pages.push(page.items.map(({ id, current }) => [id, current]));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(pages).toEqual([[[third.id, false]], [[second.id, true]], [[first.id, false]]]);
  });

  it('of one moment are on one page each, none twice and none left out', async () => {
    const { begin } = await connect(engine);
    const nowMs = Date.now() - 1_000;
    const all = [];
    for (let n = 0; n < 5; n++) all.push(await begin({ nowMs }));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = (await all[0]?.call('auth.listSessions', { limit: 2, ...(cursor && { cursor }) }))?.data();
      seen.push(...(page?.items ?? []).map(({ id }) => id));
      cursor = page?.nextCursor;
    } while (cursor !== undefined);
    expect(seen.length).toBe(5);
    expect(new Set(seen)).toEqual(new Set(all.map(({ id }) => id)));
  });

  it('end at the next request, one or all', async () => {
    const { store, begin, isGood } = await connect(engine);
    const [here, other, client] = [await begin(), await begin(), await begin({ client: CLIENT })];
    expect((await here.call('auth.endSession', { id: other.id })).data()).toMatchObject({
      id: other.id,
      current: false,
    });
    expect([await isGood(here), await isGood(other), await isGood(client)]).toEqual([true, false, true]);
    expect((await here.call('auth.endSession', { id: other.id })).status).toBe(404);
    expect((await here.call('auth.endAllSessions', { kind: 'client' })).data()).toEqual({ ended: 1 });
    expect([await isGood(here), await isGood(client)]).toEqual([true, false]);
    const more = await begin();
    expect((await here.call('auth.endAllSessions', {})).data()).toEqual({ ended: 2 });
    expect([await isGood(here), await isGood(more)]).toEqual([false, false]);
    const told = "select action, actor, details from audit where action like 'auth.end%' order by id";
    const rows = await store.database.query<{ action: string; actor: string; details: string }>(told);
    expect(rows.map(({ action, actor, details }) => [action, actor, JSON.parse(details)])).toEqual([
      ['auth.endSession', 'user:ada', { kind: 'browser' }],
      ['auth.endAllSessions', 'user:ada', { kind: 'client' }],
      ['auth.endAllSessions', 'user:ada', {}],
    ]);
  });

  it('may end themselves', async () => {
    const { begin, isGood } = await connect(engine);
    const [here, other] = [await begin(), await begin()];
    expect((await here.call('auth.endSession', { id: here.id })).data()).toMatchObject({ current: true });
    expect([await isGood(here), await isGood(other)]).toEqual([false, true]);
  });

  it('of others are as unknown as those that are not there', async () => {
    const { begin, bobId, isGood } = await connect(engine);
    const [ada, bob] = [await begin(), await begin({ accountId: bobId })];
    const refused = [
      await ada.call('auth.endSession', { id: bob.id }),
      await ada.call('auth.endSession', { id: '0198c0de-0000-7000-8000-000000000000' }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([404, 404]);
    expect(new Set(refused.map(({ body }) => body)).size).toBe(1);
    await ada.call('auth.endAllSessions', {});
    expect(await isGood(bob)).toBe(true);
  });

  it('are not for tokens, which are told where to go', async () => {
    const { app, token, begin, isGood } = await connect(engine);
    const here = await begin();
    const call = caller(app, token);
    const refused = [
      await call('auth.listSessions', {}),
      await call('auth.endSession', { id: here.id }),
      await call('auth.endAllSessions', {}),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(refused[0]?.message).toContain('Sign in with `cairn auth login`');
    expect((await caller(app)('auth.listSessions', {})).status).toBe(401);
    expect(await isGood(here)).toBe(true);
  });

  it('end with the password that they were begun with', async () => {
    const { app, bobId, begin, isGood } = await connect(engine);
    const [bob, client] = [await begin({ accountId: bobId }), await begin({ accountId: bobId, client: CLIENT })];
    const ada = await begin();
    const change = { ...BOB, newPassword: 'another one, much better' };
    expect((await sendJson(app, '/auth/password', change)).status).toBe(200);
    expect([await isGood(bob), await isGood(client), await isGood(ada)]).toEqual([false, false, true]);
  });

  it('are over when their time is, and then not listed', async () => {
    const { store, begin } = await connect(engine);
    const here = await begin();
    const old = await begin({ nowMs: Date.now() - 40_000 * 86_400_000 });
    const { items } = (await here.call('auth.listSessions', {})).data();
    expect(items.map(({ id }) => id)).toEqual([here.id]);
    expect((await here.call('auth.endSession', { id: old.id })).status).toBe(404);
    expect(await store.database.query('select id from session where ended_at is null')).toHaveLength(2);
  });
});
