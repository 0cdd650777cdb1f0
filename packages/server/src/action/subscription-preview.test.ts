// A filter's preview equals its real matches.
import type { SubscriptionFilter } from '@cairn/protocol/subscription';
import { describe, expect, it } from 'vitest';
import { caller, createScopedToken } from '../../../../test/support/procedure.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { createSubscribable, WORLD } from '../../../../test/support/subscription.ts';

const SHAPES = [
  { kind: 'shape', name: 'Signal', data: { fields: { 'n?': 'number' } } },
  { kind: 'shape', name: 'Room', data: { fields: {} } },
];

const FILTERS: Readonly<Record<string, SubscriptionFilter>> = {
  all: {},
  shapes: { kind: 'shape' },
  signals: { shape: 'Signal' },
  rooms: { shape: ['Room', 'Arc'], operation: ['add', 'retract'] },
  named: { name: 'Signal/a' },
  globs: { match: ['Signal/*1', 'Hall/**'] },
  others: { not: { any: [{ shape: 'Signal' }, { operation: 'retract' }] } },
  both: { all: [{ kind: ['assertion', 'collection'] }, { match: '**/x*' }] },
};

const COMMITS = [
  [
    { name: 'Signal/a', data: { n: 1 } },
    { name: 'Room/a', data: {} },
  ],
  [{ type: 'arc', name: 'x', members: ['Signal/a', 'Room/a'] }],
  [
    { operation: 'revise', name: 'Signal/a', data: { n: 1 } },
    { operation: 'rename', name: 'Signal/a', newName: 'Signal/b1' },
    { name: 'Signal/xy', about: 'Room/a', kind: 'assertion', data: {} },
  ],
  [{ operation: 'rename', name: 'Room', newName: 'Hall' }],
  [
    { operation: 'retract', name: 'Hall/a' },
    { name: 'Hall/c', data: {} },
  ],
];

describe.each(UPPER_ENGINES)('a preview of a subscription on %s', (engine) => {
  it('matches what subscriptions were told', async () => {
    const { owner, subscribe, commit, runs } = await createSubscribable(engine);
    await commit(SHAPES);
    for (const [name, filter] of Object.entries(FILTERS)) await subscribe({ name, filter });
    for (const operations of COMMITS) await commit(operations);
    const made = await runs();
    for (const name of Object.keys(FILTERS)) {
      const told = made
        .filter(({ subscription_name }) => subscription_name === name)
        .flatMap(({ repo_seq, matched }) => (JSON.parse(matched) as number[]).map((opIndex) => [repo_seq, opIndex]));
      const { filter = {} } = (await owner('subscription.get', { ...WORLD, name })).data();
      const { items } = (await owner('subscription.preview', { ...WORLD, filter })).data();
      const matching = items.filter(({ matches, repoSeq }) => matches && repoSeq > 1);
      expect([name, matching.map(({ repoSeq, opIndex }) => [repoSeq, opIndex]).reverse()]).toEqual([name, told]);
      expect(items).toHaveLength(10);
    }
  });

  it('shows the last hundred operations, newest first, as they were called then', async () => {
    const { owner, commit } = await createSubscribable(engine);
    expect((await owner('subscription.preview', { ...WORLD, filter: {} })).data()).toEqual({ items: [] });
    await commit(SHAPES);
    await commit(Array.from({ length: 120 }, (_, n) => ({ name: `Room/${n}`, data: {} })));
    await commit([{ operation: 'rename', name: 'Room/7', newName: 'Room/seven' }]);
    const { items } = (await owner('subscription.preview', { ...WORLD, filter: { name: 'Room/7' } })).data();
    expect(items).toHaveLength(100);
    expect(items.slice(0, 2)).toEqual([
      { repoSeq: 3, opIndex: 0, operation: 'rename', kind: 'thing', name: 'Room/seven', from: 'Room/7', matches: true },
      { repoSeq: 2, opIndex: 119, operation: 'add', kind: 'thing', name: 'Room/119', matches: false },
    ]);
    expect(items.at(-1)).toMatchObject({ repoSeq: 2, opIndex: 21 });
  });

  it('looks into another repository for who may read all of it, and refuses what no subscription could have', async () => {
    const { app, store, owner, commit } = await createSubscribable(engine);
    (await owner('repo.create', { orgName: 'acme', name: 'other' })).data();
    await commit(SHAPES, { orgName: 'acme', repoName: 'other' });
    const elsewhere = { ...WORLD, filter: { shape: 'Room' }, source: 'acme/other' };
    expect((await owner('subscription.preview', elsewhere)).data().items).toHaveLength(2);
    const here = await owner('subscription.preview', { ...WORLD, filter: { shape: 'Room' } });
    expect([here.code, here.body]).toEqual(['VALIDATION_ERROR', expect.stringContaining('filter.shape')]);
    const glob = await owner('subscription.preview', { ...WORLD, filter: { match: 'a'.repeat(1_025) } });
    expect(glob.code).toBe('VALIDATION_ERROR');
    const narrow = caller(app, await createScopedToken(store, { name: 'narrow', resource: 'acme/world' }));
    expect((await narrow('subscription.preview', { ...WORLD, filter: {} })).data().items).toEqual([]);
    expect((await narrow('subscription.preview', elsewhere)).code).toBe('NOT_FOUND');
  });
});
