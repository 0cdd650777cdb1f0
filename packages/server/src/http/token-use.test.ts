import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { openTestStore, UPPER_ENGINES } from '../../../../test/support/store.ts';
import { createTokenUses } from './token-use.ts';

const NOW = 1_800_000_000_000;

describe.each(UPPER_ENGINES)('the use of tokens on %s', (engine) => {
  it('is recorded once a minute each, in batches', async () => {
    const { usage } = await openTestStore(engine);
    let now = NOW;
    let batches = 0;
    const counting = {
      ...usage,
      recordUses: (uses: Parameters<typeof usage.recordUses>[0]) => {
        batches++;
        return usage.recordUses(uses);
      },
    };
    const uses = createTokenUses({ usage: counting, log: pino({ level: 'silent' }), now: () => now });
    for (const tokenId of [1, 2, 1, 1]) uses.note(tokenId);
    now += 59_999;
    uses.note(1);
    await uses.close();
    expect([batches, await usage.findUses([1, 2, 3])]).toEqual([
      1,
      new Map([
        [1, NOW],
        [2, NOW],
      ]),
    ]);
    now += 1;
    uses.note(1);
    await uses.close();
    expect(await usage.findUses([1])).toEqual(new Map([[1, NOW + 60_000]]));
  });

  it('is recorded of sessions in the same way', async () => {
    const { usage } = await openTestStore(engine);
    let now = NOW;
    const uses = createTokenUses({ usage, log: pino({ level: 'silent' }), now: () => now });
    for (const sessionId of ['a', 'b', 'a']) uses.noteSession(sessionId);
    now += 59_999;
    uses.noteSession('a');
    await uses.close();
    expect(await usage.findSessionUses(['a', 'b', 'c'])).toEqual(
      new Map([
        ['a', NOW],
        ['b', NOW],
      ]),
    );
    now += 1;
    uses.noteSession('a');
    await uses.close();
    expect(await usage.findSessionUses(['a'])).toEqual(new Map([['a', NOW + 60_000]]));
  });

  it('is lost without harm where it cannot be recorded', async () => {
    const { usage } = await openTestStore(engine);
    const broken = { ...usage, recordUses: () => Promise.reject(new Error('unplugged')) };
    const uses = createTokenUses({ usage: broken, log: pino({ level: 'silent' }) });
    uses.note(1);
    await uses.close();
    expect(await usage.findUses([1])).toEqual(new Map());
  });
});
