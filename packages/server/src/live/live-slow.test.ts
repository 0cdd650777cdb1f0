// A client that reads nothing: others go on, nothing is buffered for it, and it catches up or is closed.
import { describe, expect, it } from 'vitest';
import {
  createLiveWorld,
  type LiveClient,
  type LiveEvent,
  type LiveWorld,
  listen,
} from '../../../../test/support/live.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

const RECORDS = 900;
/** The system buffers some megabytes per connection; an event has half of one. */
const NAMES = Array.from({ length: RECORDS }, (_, n) => `Signal/${`${n}-`.padEnd(480, 'x')}`);
const COMMITS_MAX = 500;
const FULL_AFTER = 4;

async function openStalled({ url, owner }: LiveWorld): Promise<LiveClient> {
  const client = await listen(url, owner);
  client.answer.pause();
  return client;
}

async function commitUntilFull({ commit }: LiveWorld, isFull: () => boolean): Promise<void> {
  await commit(NAMES.map((name) => ({ name, data: { level: 0 } })));
  for (let level = 1, full = 0; level < COMMITS_MAX; level++) {
    await commit(NAMES.map((name) => ({ operation: 'revise', name, data: { level } })));
    full = isFull() ? full + 1 : 0;
    if (full === FULL_AFTER) return;
  }
  throw new Error('the stalled stream took everything');
}

describe.each(UPPER_ENGINES)('a reader that takes nothing on %s', (engine) => {
  it('holds up nobody, and hears of all that it missed at once', async () => {
    const world = await createLiveWorld(engine);
    const stalled = await openStalled(world);
    const reader = await listen(world.url, world.owner);
    await commitUntilFull(world, () => world.live.hub.fullCount > 0);
    for (const name of ['one', 'two', 'three']) await world.commit([{ name: `Signal/${name}`, data: {} }]);
    const last = await world.commit([{ operation: 'retract', name: NAMES[0] }]);
    await reader.until(() => reader.pending.at(-1)?.id === String(last));
    stalled.answer.resume();
    await stalled.until(() => stalled.pending.at(-1)?.id === String(last));
    const ids = stalled.pending.map(({ id }) => Number(id));
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
    expect(ids.length).toBeLessThan(last - 1);
    const { data } = stalled.pending.at(-1) as LiveEvent;
    expect(data.truncated).toBeUndefined();
    expect(data.affectedRecords).toEqual(
      expect.arrayContaining(['Signal/one', 'Signal/two', 'Signal/three', NAMES[0]]),
    );
    const after = await world.commit([{ name: 'Signal/after', data: {} }]);
    await stalled.until(() => stalled.pending.at(-1)?.id === String(after));
  });

  it('is cut after a while', async () => {
    const world = await createLiveWorld(engine, { pace: { beatMs: 150, fullMaxMs: 300 } });
    await openStalled(world);
    const reader = await listen(world.url, world.owner);
    await commitUntilFull(world, () => world.live.hub.fullCount > 0 || world.live.hub.streamCount === 1);
    await expect.poll(() => world.live.hub.streamCount).toBe(1);
    expect(reader.ended).toBe(false);
  });
});
