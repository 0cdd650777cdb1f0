// repo.getContent and repo.setContent: the readme of a repository and its text for agents, as records.
import { describe, expect, it } from 'vitest';
import { caller, createPrincipals, createScopedToken } from '../../../../test/support/procedure.ts';
import { createTestApp } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import type { Engine } from '../engine/database.ts';

const WORLD = { orgName: 'ada', repoName: 'world' };
const README = { ...WORLD, name: 'readme' } as const;

async function prepare(engine: Engine) {
  const { app, store } = await createTestApp(engine);
  const tokens = await createPrincipals(store);
  const owner = caller(app, tokens.operator);
  (await owner('repo.create', { orgName: 'ada', name: 'world' })).data();
  const get = async (atRepoSeq?: number) =>
    (await owner('repo.getContent', { ...README, ...(atRepoSeq !== undefined && { atRepoSeq }) })).data();
  const set = (content: string, more: { expectedVersion?: number; message?: string } = {}) =>
    owner('repo.setContent', { ...README, content, ...more });
  const commit = async (...operations: object[]) => (await owner('commit.submit', { ...WORLD, operations })).data();
  return { app, store, tokens, owner, get, set, commit };
}

describe.each(UPPER_ENGINES)('the content of a repository on %s', (engine) => {
  it('is empty until it is written, and has versions then', async () => {
    const { get, set, owner } = await prepare(engine);
    expect(await get()).toEqual({ name: 'readme', content: '', version: 0, repoSeq: 0 });
    const first = (await set('# One\n', { message: 'a readme' })).data();
    expect(first).toEqual({ name: 'readme', content: '# One\n', version: 1, repoSeq: 1 });
    expect(await get()).toEqual(first);
    expect((await set('# Two\n')).data()).toEqual({ name: 'readme', content: '# Two\n', version: 2, repoSeq: 2 });
    expect(await get(1)).toEqual(first);
    expect((await get(0)).version).toBe(0);
    expect((await owner('commit.get', { ...WORLD, repoSeq: 1 })).data()).toMatchObject({
      message: 'a readme',
      operations: [{ name: 'Content/Readme', operation: 'add' }],
    });
    expect((await owner('repo.getContent', { ...WORLD, name: 'agents' })).data().version).toBe(0);
  });

  it('takes no version for the same text', async () => {
    const { set } = await prepare(engine);
    await set('same');
    expect((await set('same')).data()).toEqual({ name: 'readme', content: 'same', version: 1, repoSeq: 1 });
  });

  it('is a record that commits write too; what is retracted or renamed away reads as not written', async () => {
    const { get, set, commit } = await prepare(engine);
    await commit({ name: 'Content/Readme', data: { content: 'by hand' } });
    expect((await get()).content).toBe('by hand');
    await commit({ operation: 'retract', name: 'Content/Readme' });
    expect(await get()).toEqual({ name: 'readme', content: '', version: 0, repoSeq: 2 });
    expect((await set('by hand')).data()).toMatchObject({ content: 'by hand', version: 3, repoSeq: 3 });
    await commit({ operation: 'rename', name: 'Content/Readme', newName: 'Content/Old' });
    expect(await get()).toMatchObject({ content: '', version: 0 });
    expect(await get(3)).toMatchObject({ content: 'by hand', version: 3 });
    expect((await set('new')).data()).toMatchObject({ content: 'new', version: 1, repoSeq: 5 });
  });

  it('is refused when it is at another version than expected', async () => {
    const { set, get, commit } = await prepare(engine);
    const early = await set('x', { expectedVersion: 1 });
    expect([early.status, early.message]).toEqual([409, expect.stringContaining('at version 0, not 1')]);
    expect((await set('one', { expectedVersion: 0 })).data().version).toBe(1);
    for (const expectedVersion of [0, 2]) {
      const refused = await set('two', { expectedVersion });
      expect([refused.code, refused.body]).toEqual(['CONFLICT', expect.stringContaining('expected_version_mismatch')]);
      expect(refused.message).toContain(`at version 1, not ${expectedVersion}`);
    }
    expect((await set('two', { expectedVersion: 1 })).data().version).toBe(2);
    await commit({ operation: 'retract', name: 'Content/Readme' });
    const { version } = await get();
    expect((await set('three', { expectedVersion: version })).data().version).toBe(4);
  });

  it('holds at most 65,536 bytes', async () => {
    const { set, get } = await prepare(engine);
    expect((await set('é'.repeat(32_768))).data().version).toBe(1);
    const refused = await set(`${'é'.repeat(32_768)}.`);
    expect([refused.status, refused.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(refused.message).toContain('65537 bytes. A record can have at most 65536');
    expect((await get()).version).toBe(1);
  });

  it('keeps any text as it is', async () => {
    const { set, get } = await prepare(engine);
    for (const text of ['', '\0\u2028\r\n\t', '```\n<script>alert(1)</script>', '𝄞 ﷽ \u202e', '"\\']) {
      (await set(text)).data();
      expect((await get()).content).toBe(text);
    }
  });

  it('is written once by each of many writers at once', async () => {
    const { set, get } = await prepare(engine);
    const written = await Promise.all(Array.from({ length: 8 }, (_, n) => set(`text ${n}`)));
    const versions = written.map((answer) => answer.data().version);
    expect(versions.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect((await get()).version).toBe(8);
    const guarded = await Promise.all(Array.from({ length: 4 }, (_, n) => set(`late ${n}`, { expectedVersion: 8 })));
    expect(guarded.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
  });

  it('is not written in an archived repository', async () => {
    const { owner, set } = await prepare(engine);
    await owner('repo.archive', WORLD);
    expect((await set('late')).code).toBe('ARCHIVED');
  });

  it('is for who may read or write the repository', async () => {
    const { app, store, tokens, set } = await prepare(engine);
    await set('hush');
    const narrow = await createScopedToken(store, { name: 'narrow', permissions: ['repo:read'] });
    const scenarios = [
      { who: 'anonymous', token: undefined, read: 404, write: 401 },
      { who: 'a wrong token', token: 'cairn_pat_wrong', read: 401, write: 401 },
      { who: 'a reader', token: narrow, read: 200, write: 403 },
      { who: 'a writer', token: tokens.writer, read: 404, write: 200 },
      { who: 'another account', token: tokens.other, read: 404, write: 404 },
      { who: 'a token for elsewhere', token: tokens.elsewhere, read: 404, write: 404 },
    ];
    for (const { who, token, read, write } of scenarios) {
      const call = caller(app, token);
      const got = await call('repo.getContent', README);
      expect([who, got.status, got.body.includes('hush')]).toEqual([who, read, read === 200]);
      const missing = await call('repo.getContent', { ...README, repoName: 'missing' });
      if (read === 404) expect([who, got.body]).toEqual([who, missing.body]);
      for (const expectedVersion of [0, 1, 9]) {
        const change = { name: 'readme', content: 'hush', expectedVersion } as const;
        const [set, elsewhere] = [
          await call('repo.setContent', { ...WORLD, ...change }),
          await call('repo.setContent', { ...WORLD, ...change, repoName: 'missing' }),
        ];
        const due = write === 200 && expectedVersion !== 1 ? 409 : write;
        expect([who, expectedVersion, set.status]).toEqual([who, expectedVersion, due]);
        if (write === 404) expect([who, set.body]).toEqual([who, elsewhere.body]);
      }
    }
  });
});
