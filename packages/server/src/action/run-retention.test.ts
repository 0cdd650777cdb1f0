import { describe, expect, it } from 'vitest';
import { createActionWorld } from '../../../../test/support/action.ts';
import { withStatus } from '../../../../test/support/receiver.ts';
import { openTestBlobs } from '../../../../test/support/server.ts';
import { runStatement } from '../../../../test/support/statement.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import { sweep } from '../repository/sweep.job.ts';

describe.each(ENGINES)('the sweep of runs on %s', (engine) => {
  it('forgets runs that ended long ago, in steps, and what is not over stays', async () => {
    const world = await createActionWorld(engine, withStatus(400));
    await world.subscribe();
    for (const name of ['old', 'open', 'new']) await world.add(name);
    const [latest, open, old] = await world.runs();
    await world.deliver();
    const ended = async () => (await world.runs()).map(({ status }) => status);
    await expect.poll(ended).toEqual(['failed_terminal', 'failed_terminal', 'failed_terminal']);
    await runStatement(
      world.store,
      `update run set created_at = 1 where run_id in ('${old?.runId}', '${open?.runId}');
       update run set status = 'processing', next_attempt_at = 9000000000000 where run_id = '${open?.runId}';
       update notification set created_at = 1 where run_id = '${old?.runId}'`,
    );
    const swept = { store: world.store, blobs: openTestBlobs(), runRetentionDays: 30 };
    await sweep(swept, Date.now());
    expect(new Set((await world.runs()).map(({ runId }) => runId))).toEqual(new Set([latest?.runId, open?.runId]));
    const counts = await world.store.database.query(
      `select (select count(*) from attempt) as attempts, (select count(*) from notification) as notifications`,
    );
    expect(counts).toEqual([{ attempts: 2, notifications: 2 }]);
  });
});
