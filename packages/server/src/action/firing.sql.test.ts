import { describe, expect, it } from 'vitest';
import { ENGINES } from '../../../../test/support/store.ts';
import { createSubscribable, type RunRow, WORLD } from '../../../../test/support/subscription.ts';

const SHAPES = [
  { kind: 'shape', name: 'Signal', data: { fields: { 'n?': 'number' } } },
  { kind: 'shape', name: 'Room', data: { fields: {} } },
];

const told = (runs: readonly RunRow[]) =>
  runs.map(({ subscription_name, position, event, repo_seq, matched }) => [
    ...[subscription_name, position, event, repo_seq],
    JSON.parse(matched),
  ]);

describe.each(ENGINES)('subscriptions on %s', (engine) => {
  it('fire once for a commit in which something matches, with the operations that do', async () => {
    const { subscribe, commit, runs } = await createSubscribable(engine);
    await commit(SHAPES);
    await subscribe({ name: 'signals', filter: { shape: 'Signal' } });
    await subscribe({ name: 'rooms', filter: { shape: 'Room', operation: ['add', 'retract'] } });
    await commit([
      { name: 'Signal/a', data: { n: 1 } },
      { name: 'Room/a', data: {} },
      { name: 'Signal/b', data: { n: 1 } },
    ]);
    await commit([
      { operation: 'revise', name: 'Signal/a', data: { n: 1 } },
      { operation: 'revise', name: 'Room/a', data: { x: 1 } },
    ]);
    await commit([
      { operation: 'revise', name: 'Signal/a', data: { n: 2 } },
      { operation: 'retract', name: 'Room/a' },
    ]);
    expect(told(await runs())).toEqual([
      ['rooms', 1, 'cairn.write', 2, [1]],
      ['rooms', 2, 'cairn.retract', 4, [1]],
      ['signals', 1, 'cairn.write', 2, [0, 2]],
      ['signals', 2, 'cairn.write', 4, [0]],
    ]);
    const made = await runs();
    expect(made.every(({ depth, status }) => depth === 1 && status === 'pending')).toBe(true);
    expect(new Set(made.map(({ repo_seq, trace_id }) => `${repo_seq} ${trace_id}`)).size).toBe(2);
  });

  it('know shapes whatever they are called, and built-in ones before they are there', async () => {
    const { subscribe, commit, runs, owner } = await createSubscribable(engine);
    await commit(SHAPES);
    await subscribe({ name: 'arcs', filter: { shape: 'Arc' } });
    await subscribe({ name: 'shapes', filter: { kind: 'shape', operation: 'add' } });
    await subscribe({ name: 'signals', filter: { shape: 'Signal' } });
    await commit([{ operation: 'rename', name: 'Signal', newName: 'Tone' }]);
    await commit([{ name: 'Tone/a', data: {} }]);
    await commit([{ type: 'arc', name: 'x', members: ['Tone/a', 'Room'] }]);
    expect(told(await runs())).toEqual([
      ['arcs', 1, 'cairn.write', 4, [0]],
      ['signals', 1, 'cairn.write', 3, [0]],
    ]);
    const signals = await owner('subscription.get', { ...WORLD, name: 'signals' });
    expect(signals.data().filter).toEqual({ shape: 'Tone' });
  });

  it('fire for renames, by both names', async () => {
    const { subscribe, commit, runs } = await createSubscribable(engine);
    await commit([...SHAPES, { name: 'Signal/a', data: {} }, { name: 'Signal/b', data: {} }]);
    await subscribe({ name: 'things', event: 'thing.renamed' });
    await subscribe({ name: 'shapes', event: 'shape.renamed' });
    await subscribe({ name: 'watcher', filter: { name: 'Signal/a' } });
    await commit([
      { name: 'Signal/c', data: {} },
      { operation: 'rename', name: 'Signal/a', newName: 'Signal/d' },
      { operation: 'rename', name: 'Signal/b', newName: 'Signal/e' },
      { operation: 'rename', name: 'Room', newName: 'Hall' },
    ]);
    const made = await runs();
    expect(told(made)).toEqual([
      ['shapes', 1, 'cairn.shape.renamed', 2, [3]],
      ['things', 1, 'cairn.thing.renamed', 2, [1, 2]],
      ['watcher', 1, 'cairn.write', 2, [1]],
    ]);
    expect(made.map(({ data }) => JSON.parse(data ?? 'null'))).toEqual([
      { from: 'Room', to: 'Hall' },
      { from: 'Signal/a', to: 'Signal/d' },
      null,
    ]);
  });

  it('fire for chunks of streams, each of which is a commit', async () => {
    const { app, token, subscribe, commit, runs } = await createSubscribable(engine);
    await commit(SHAPES);
    await subscribe({ filter: { match: 'Signal/*1' } });
    const lines = Array.from({ length: 12 }, (_, n) => `${JSON.stringify({ name: `Signal/${n}`, data: {} })}\n`);
    const answer = await app.request('/api/repos/acme/world/streams/load/submissions?offset=0', {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
      body: lines.join(''),
    });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('"applied":12')]);
    expect(told(await runs())).toEqual([['all', 1, 'cairn.write', 2, [1, 11]]]);
  });

  it('that are paused fire nothing, and go on from where they are resumed', async () => {
    const { owner, subscribe, commit, runs } = await createSubscribable(engine);
    await subscribe({});
    const all = { ...WORLD, name: 'all' };
    await commit(SHAPES);
    expect((await owner('subscription.pause', all)).data()).toMatchObject({ active: false });
    await commit([{ name: 'Room/a', data: {} }]);
    expect((await owner('subscription.resume', all)).data()).toMatchObject({ active: true });
    await commit([{ name: 'Room/b', data: {} }]);
    expect((await owner('subscription.delete', all)).data()).toMatchObject({ name: 'all' });
    await commit([{ name: 'Room/c', data: {} }]);
    expect(told(await runs())).toEqual([
      ['all', 1, 'cairn.write', 1, [0, 1]],
      ['all', 2, 'cairn.write', 3, [0]],
    ]);
  });

  it('are counted in the sequence, as commits need it', async () => {
    const { store, owner, subscribe } = await createSubscribable(engine);
    const watched = async () => {
      const [row] = await store.database.query<{ watched: number; n: number }>(
        'select watched, (select count(*) from watch) as n from repo_sequence',
      );
      expect(row?.watched).toBe(row?.n);
      return row?.watched;
    };
    const counts = [await watched()];
    const look = async () => counts.push(await watched());
    for (const name of ['a', 'b']) await subscribe({ name });
    await look();
    await owner('subscription.pause', { ...WORLD, name: 'a' });
    await owner('subscription.pause', { ...WORLD, name: 'a' });
    await look();
    await owner('subscription.update', { ...WORLD, name: 'a', filter: { kind: 'shape' } });
    await owner('subscription.update', { ...WORLD, name: 'b', filter: { kind: 'shape' } });
    await look();
    await owner('subscription.resume', { ...WORLD, name: 'a' });
    await look();
    for (const name of ['a', 'b']) await owner('subscription.delete', { ...WORLD, name });
    await look();
    expect(counts).toEqual([0, 2, 1, 1, 2, 0]);
  });
});
