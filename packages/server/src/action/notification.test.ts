// Notifications tell how their run stands now.
import { describe, expect, it } from 'vitest';
import { createActionWorld, WORLD } from '../../../../test/support/action.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

describe.each(UPPER_ENGINES)('notifications on %s', (engine) => {
  it('follow the run that they are of', async () => {
    const { owner, subscribe, add, runs } = await createActionWorld(engine);
    await subscribe();
    await add('a');
    const address = { ...WORLD, runId: (await runs())[0]?.runId ?? '' };
    const told = async () => (await owner('action.notifications', WORLD)).data().items;
    expect(await told()).toEqual([]);
    (await owner('action.giveUp', address)).data();
    expect(await told()).toMatchObject([{ status: 'dead_letter', runStatus: 'dead_letter' }]);
    (await owner('action.retry', address)).data();
    expect(await told()).toMatchObject([{ status: 'dead_letter', runStatus: 'retry_wait' }]);
    (await owner('action.callback', { runId: address.runId, status: 'success' })).data();
    expect(await told()).toMatchObject([{ status: 'dead_letter', runStatus: 'succeeded' }]);
  });
});
