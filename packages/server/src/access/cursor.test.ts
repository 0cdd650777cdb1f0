import { createSecretKey } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, createTestApp, ownerIdOf } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';

const key = createSecretKey(new Uint8Array(32).fill(1));
const list = { procedure: 'repo.list', parameters: { orgName: 'acme', deleted: false } } as const;
const position = ['acme', 'world'];
const refused = expect.objectContaining({ code: 'VALIDATION_ERROR', details: [{ path: 'cursor' }] });

function refusal(attempt: () => unknown): unknown {
  try {
    return attempt();
  } catch (error) {
    return error;
  }
}

describe('a cursor', () => {
  it('gives back the position that it was made from', () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }));
    const numbers = fc.integer();
    fc.assert(
      fc.property(fc.array(fc.oneof(text, numbers)), (position) => {
        const cursor = encodeCursor(key, { ...list, position });
        expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(decodeCursor(key, { ...list, cursor })).toEqual(position);
      }),
    );
  });

  it('does not depend on the order of parameters, nor on those left out', () => {
    const cursor = encodeCursor(key, { ...list, position });
    const parameters = { deleted: false, other: undefined, orgName: 'acme' };
    expect(decodeCursor(key, { procedure: 'repo.list', parameters, cursor })).toEqual(position);
  });

  it('is refused for another list, another server, or with any character changed', () => {
    const cursor = encodeCursor(key, { ...list, position });
    const others = [
      { ...list, procedure: 'org.list' as const },
      { ...list, parameters: { orgName: 'acme', deleted: true } },
      { ...list, parameters: { orgName: 'acm', deleted: false } },
      { ...list, parameters: { deleted: false } },
      { ...list, parameters: { ...list.parameters, more: 1 } },
    ];
    for (const other of others) expect(refusal(() => decodeCursor(key, { ...other, cursor }))).toEqual(refused);
    expect(refusal(() => decodeCursor(createSecretKey(new Uint8Array(32)), { ...list, cursor }))).toEqual(refused);
    for (let at = 0; at < cursor.length; at++) {
      const changed = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
      expect(refusal(() => decodeCursor(key, { ...list, cursor: changed }))).toEqual(refused);
    }
    for (const cut of ['', 'A', cursor.slice(0, -1), cursor.slice(1), `${cursor}=`, `${cursor} `, `${cursor}A`, '.']) {
      expect(refusal(() => decodeCursor(key, { ...list, cursor: cut }))).toEqual(refused);
    }
  });
});

describe.each(UPPER_ENGINES)('paging on %s', (engine) => {
  const prepare = async () => {
    const { app, store } = await createTestApp(engine);
    const call = caller(app, await createOwnerToken(store));
    const createRepository = (orgName: string, name: string) =>
      store.write.createRepository({ orgName, name, description: '', visibility: 'private' });
    return { app, store, call, createRepository };
  };

  it('of repositories is complete and without repeats while more are created', async () => {
    const { store, call, createRepository } = await prepare();
    const before: string[] = [];
    for (const orgName of ['a1', 'b2', 'c3']) {
      await store.write.createOrganization({
        name: orgName,
        description: '',
        ownerId: await ownerIdOf(store),
        now: 1,
      });
      for (const name of ['_', 'A', 'Z', 'b.c', 'c']) {
        await createRepository(orgName, name);
        before.push(`${orgName}/${name}`);
      }
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const limit = 1 + (pages % 4);
      const page = (await call('repo.list', { limit, ...(cursor !== undefined && { cursor }) })).data();
      expect(page.items.length).toBeLessThanOrEqual(limit);
      seen.push(...page.items.map(({ orgName, name }) => `${orgName}/${name}`));
      for (const orgName of ['a1', 'c3']) await createRepository(orgName, `new-${pages}`);
      pages++;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(new Set(seen).size).toBe(seen.length);
    expect(before.filter((path) => !seen.includes(path))).toEqual([]);
    const byBytes = [...seen].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect(seen).toEqual(byBytes);
  });

  it('of organizations goes by name, to a last page without a cursor', async () => {
    const { store, call } = await prepare();
    for (const name of ['zeta', 'a-b', 'a0', 'ab']) {
      await store.write.createOrganization({ name, description: '', ownerId: await ownerIdOf(store), now: 1 });
    }
    const first = (await call('org.list', { limit: 3 })).data();
    expect(first.items.map(({ name }) => name)).toEqual(['a-b', 'a0', 'ab']);
    const last = (await call('org.list', { limit: 2, cursor: first.nextCursor })).data();
    expect(last).toEqual({
      items: [expect.objectContaining({ name: 'ada' }), expect.objectContaining({ name: 'zeta' })],
    });
    expect((await call('org.list', { limit: 5 })).data().nextCursor).toBeUndefined();
  });

  it('asks for access anew on each page', async () => {
    const { app, call, createRepository } = await prepare();
    for (const name of ['a', 'b', 'c']) await createRepository('ada', name);
    const { nextCursor } = (await call('repo.list', { limit: 1 })).data();
    expect((await caller(app)('repo.list', { cursor: nextCursor })).data()).toEqual({ items: [] });
  });

  it('refuses cursors of other lists and made-up ones', async () => {
    const { call, createRepository } = await prepare();
    for (const name of ['a', 'b', 'c']) await createRepository('ada', name);
    const { nextCursor: cursor = '' } = (await call('repo.list', { orgName: 'ada', limit: 1 })).data();
    expect((await call('repo.list', { orgName: 'ada', cursor })).data().items).toHaveLength(2);
    for (const answer of [
      await call('repo.list', { cursor }),
      await call('repo.list', { orgName: 'ada', deleted: true, cursor }),
      await call('repo.list', { orgName: 'bob', cursor }),
      await call('org.list', { cursor }),
      await call('repo.list', { orgName: 'ada', cursor: `${cursor}x` }),
      await call('repo.list', { orgName: 'ada', cursor: 'made-up' }),
    ]) {
      expect(answer).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
      expect(answer.message).toContain('cursor');
    }
    for (const limit of [0, 501, 1.5, -1]) expect((await call('repo.list', { limit })).code).toBe('VALIDATION_ERROR');
  });
});
