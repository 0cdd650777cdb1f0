import { describe, expect, it } from 'vitest';
import { type ActionWorld, createActionWorld, WORLD } from '../../../../../test/support/action.ts';
import { UPPER_ENGINES } from '../../../../../test/support/store.ts';
import { carryOutboxes } from '../outbox.job.ts';

const BYTES_MAX = 256 * 1024;

async function delivered(world: ActionWorld, operations: Record<string, unknown>[]) {
  const before = world.receiver.received.length;
  (await world.owner('commit.submit', { ...WORLD, operations })).data();
  await expect.poll(() => world.receiver.received.length).toBe(before + 1);
  const delivery = world.receiver.received.at(-1);
  if (delivery === undefined) throw new Error('nothing was delivered');
  return delivery;
}

const things = (count: number, note: string) =>
  Array.from({ length: count }, (_, n) => ({ name: `Signal/${note.slice(0, 3)}${n}`, data: { note } }));

describe.each(UPPER_ENGINES)('the body of a delivery on %s', (engine) => {
  it('holds no more than 256 KiB: first without data, then cut', async () => {
    const world = await createActionWorld(engine);
    await world.subscribe();
    await world.deliver();
    const whole = await delivered(world, things(20, 'x'.repeat(10_000)));
    expect(whole.body.matchedOperations).toHaveLength(20);
    expect(whole.body.matchedOperations[19].data.note).toHaveLength(10_000);
    const bare = await delivered(world, things(30, 'y'.repeat(10_000)));
    expect(bare.body.matchedOperations).toHaveLength(30);
    expect(bare.body.matchedOperations[0]).toEqual({
      operation: 'add',
      kind: 'thing',
      wref: 'Signal/yyy0',
      version: 1,
    });
    const cut = await delivered(world, things(6_000, 'zzz'));
    expect(cut.body.truncated).toBe(true);
    expect(cut.body.matchedOperationIndexes).toHaveLength(6_000);
    expect(cut.body.matchedOperations.length).toBeGreaterThan(2_000);
    for (const { text } of [whole, bare, cut]) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(BYTES_MAX);
    for (const { body } of [whole, bare]) expect(body).not.toHaveProperty('truncated');
  });

  it('says what was renamed from what, and that all was retracted', async () => {
    const world = await createActionWorld(engine);
    await world.subscribe();
    await world.deliver();
    await delivered(world, things(1, 'abc'));
    const renamed = await delivered(world, [{ operation: 'rename', name: 'Signal/abc0', newName: 'Signal/z' }]);
    expect(renamed.body.matchedOperations).toEqual([
      { operation: 'rename', kind: 'thing', wref: 'Signal/z', from: 'Signal/abc0', version: 1 },
    ]);
    const retracted = await delivered(world, [{ operation: 'retract', name: 'Signal/z' }]);
    expect(retracted.body).toMatchObject({
      event: 'cairn.retract',
      matchedOperations: [{ operation: 'retract', kind: 'thing', wref: 'Signal/z', version: 2 }],
    });
    expect(retracted.body.matchedOperations[0]).not.toHaveProperty('data');
  });

  it('of another repository says whose commit it was, and holds what that one wrote', async () => {
    const world = await createActionWorld(engine);
    (await world.owner('repo.create', { orgName: 'acme', name: 'moon' })).data();
    await world.subscribe({ repoName: 'moon', source: 'acme/world' });
    await world.deliver();
    const repoSeq = await world.add('a');
    await carryOutboxes(world.store);
    await expect.poll(() => world.receiver.received.length).toBe(1);
    expect(world.receiver.received[0]?.body).toMatchObject({
      event: 'cairn.write',
      repo: { orgName: 'acme', repoName: 'moon' },
      originRepo: { orgName: 'acme', repoName: 'world' },
      repoSeq,
      matchedOperations: [{ operation: 'add', wref: 'Signal/a', version: 1, data: { note: 'a' } }],
    });
  });

  it('of an organization is of no repository, and says what happened to which', async () => {
    const world = await createActionWorld(engine);
    const { receiver, owner } = world;
    const form = {
      orgName: 'acme',
      name: 'renames',
      event: 'repo.renamed',
      webhookUrl: `${receiver.url}/hook`,
    } as const;
    (await owner('subscription.create', form)).data();
    await world.deliver();
    (await owner('repo.rename', { ...WORLD, newName: 'globe' })).data();
    await expect.poll(() => receiver.received.length).toBe(1);
    const body = receiver.received[0]?.body;
    expect(body).toMatchObject({ event: 'cairn.repo.renamed', repo: null, subscriptionName: 'renames' });
    expect(body.data).toMatchObject({ from: expect.stringContaining('world'), to: expect.stringContaining('globe') });
    expect(body.matchedOperations).toEqual([]);
    const { items } = (await owner('action.runs', { orgName: 'acme' })).data();
    expect(items).toMatchObject([{ runId: body.runId, event: 'cairn.repo.renamed' }]);
  });
});
