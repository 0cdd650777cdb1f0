// The ETag of raw content: when it matches, when it changes, and what it does not reveal.
import { describe, expect, it } from 'vitest';
import { ask, createRawContent, RAW_FILES, rawPath, tagOf, WORLD } from '../../../../test/support/raw-content.ts';
import type { TestApp } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

const DATA = /\b(?:from|join) (?:record|version|name|rename|"commit"|ref|field_index)\b/;

function refuseData({ store }: Pick<TestApp, 'store'>): string[] {
  const { database } = store;
  const read: string[] = [];
  const watched = <Rest extends unknown[]>(sql: string, go: () => Promise<Rest>) => {
    if (!DATA.test(sql)) return go();
    read.push(sql);
    return Promise.reject(new Error('read data'));
  };
  Object.assign(store, {
    database: {
      ...database,
      query: (sql: string, params?: never) => watched(sql, () => database.query(sql, params)),
      bulk: () => Promise.reject(new Error('read data')),
      beside: {
        query: () => Promise.reject(new Error('read data')),
        bulk: () => Promise.reject(new Error('read data')),
      },
    },
  });
  return read;
}

describe.each(UPPER_ENGINES)('the ETag of raw content on %s', (engine) => {
  it('spares the data, with the same headers', async () => {
    const world = await createRawContent(engine);
    const { app, session: token } = world;
    const first = new Map<string, Awaited<ReturnType<typeof ask>>>();
    for (const file of RAW_FILES) first.set(file, await ask(app, rawPath(file), { token }));
    const read = refuseData(world);
    for (const [file, before] of first) {
      const headers = { 'if-none-match': `"other", ${tagOf(before)}` };
      const again = await ask(app, rawPath(file), { token, headers });
      expect([file, again.status, again.body, tagOf(again)]).toEqual([file, 304, '', tagOf(before)]);
      for (const name of ['cache-control', 'x-content-type-options']) {
        expect([name, again.headers.get(name)]).toEqual([name, before.headers.get(name)]);
      }
      expect(again.headers.get('vary')).toContain('Authorization');
      expect(again.headers.get('content-type')).toBeNull();
      expect(read).toEqual([]);
      // Control: without the tag, the server reads the data, which fails here.
      expect((await ask(app, rawPath(file), { token })).status).toBe(500);
    }
  });

  it('changes with what the answer is made of, and not without', async () => {
    const { app, owner, session: token } = await createRawContent(engine);
    const tags = async () =>
      await Promise.all(RAW_FILES.map(async (file) => tagOf(await ask(app, rawPath(file), { token }))));
    const seen = [await tags()];
    expect(await tags()).toEqual(seen[0]);
    const changes = [
      () => owner('commit.submit', { ...WORLD, operations: [{ name: 'Signal/c', data: {} }] }),
      () => owner('repo.update', { ...WORLD, description: 'Other signals' }),
      () => owner('repo.update', { ...WORLD, displayName: 'The world' }),
      () => owner('repo.setVisibility', { ...WORLD, visibility: 'public' }),
      () => owner('repo.configure', { ...WORLD, features: { streamSubmissions: false } }),
      () => owner('repo.archive', WORLD),
    ];
    for (const change of changes) {
      expect((await change()).status).toBe(200);
      seen.push(await tags());
    }
    const all = seen.flat();
    expect(new Set(all).size).toBe(all.length);
    for (const old of seen.slice(0, -1)) {
      const answer = await ask(app, rawPath('llms.txt'), { token, headers: { 'if-none-match': old[2] ?? '' } });
      expect(answer.status).toBe(200);
    }
  });

  it('is of no use to another caller', async () => {
    const { app, session, withScope, publish } = await createRawContent(engine);
    const tokens = {
      session,
      whole: await withScope('whole', {}),
      narrow: await withScope('narrow', { refs: ['Signal/**'] }),
      other: await withScope('other', { refs: ['Secret/**'] }),
    };
    const tagFor = async (token: string | undefined) => tagOf(await ask(app, rawPath('llms.txt'), { token }));
    const [whole, narrow, other] = [
      await tagFor(tokens.whole),
      await tagFor(tokens.narrow),
      await tagFor(tokens.other),
    ];
    expect(await tagFor(tokens.session)).toBe(whole);
    expect(new Set([whole, narrow, other]).size).toBe(3);
    for (const [token, foreign] of [
      [tokens.narrow, whole],
      [tokens.narrow, other],
      [tokens.whole, narrow],
    ] as const) {
      const answer = await ask(app, rawPath('llms.txt'), { token, headers: { 'if-none-match': foreign } });
      expect(answer.status).toBe(200);
    }
    const headers = { 'if-none-match': whole };
    const [hidden, missing] = [
      await ask(app, rawPath('llms.txt'), { headers }),
      await ask(app, rawPath('llms.txt', 'ada/missing'), { headers }),
    ];
    expect([hidden.status, hidden.body]).toEqual([404, missing.body]);
    expect((await ask(app, rawPath('llms.txt'), { headers, token: 'cairn_pat_wrong' })).status).toBe(401);
    await publish();
    expect(await tagFor(undefined)).not.toBe(await tagFor(tokens.whole));
  });
});
