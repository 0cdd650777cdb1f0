import { describe, expect, it } from 'vitest';
import { type ActionWorld, createActionWorld, WORLD } from '../../../../test/support/action.ts';
import { ENGINES } from '../../../../test/support/store.ts';

const BYTES_MAX = 256 * 1024;

/** The one delivery of these operations. */
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

describe.each(ENGINES)('the body of a delivery on %s', (engine) => {
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
});
