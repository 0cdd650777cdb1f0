// Every matching commit has exactly one run per subscription, in commit order, under concurrency.
import { describe, expect, it } from 'vitest';
import { grantOn } from '../../../../test/support/grant.ts';
import { addTestRepository, commitInput } from '../../../../test/support/repository.ts';
import { ENGINES, openStoreAt, preparedLocation } from '../../../../test/support/store.ts';
import { chunkInput, linesOf } from '../../../../test/support/stream.ts';
import { HOOK } from '../../../../test/support/subscription.ts';
import type { Engine } from '../engine/database.ts';
import { carryOutboxes } from './outbox.job.ts';

const SHAPE = { kind: 'shape', name: 'T', data: { fields: {} } };
const thing = (name: string) => ({ name: `T/${name}`, data: {} });
const form = { filter: { shape: 'T' }, webhookUrl: HOOK, allowTraceReentry: false, createdBy: 'user:ada' };

async function prepare(engine: Engine) {
  const location = await preparedLocation(engine);
  const [one, two] = [await openStoreAt(location), await openStoreAt(location)];
  const near = await addTestRepository(one, 'acme');
  await near.commit([SHAPE]);
  const home = { homeId: near.grant.repoId, grant: near.grant };
  const watched = async () =>
    await one.database.query<{ subscription_name: string; position: number; repo_seq: number }>(
      'select subscription_name, position, repo_seq from run order by subscription_name, position',
    );
  return { one, two, near, home, watched };
}

describe.each(ENGINES)('runs on %s', (engine) => {
  it('are one for each commit and chunk that matches, in order, from two nodes at once', async () => {
    const { one, two, near, home, watched } = await prepare(engine);
    for (const name of ['a', 'b', 'c']) {
      await one.write.createSubscription({ ...form, home, name, now: Date.now() });
    }
    const commits = Array.from({ length: 40 }, (_, n) =>
      (n % 2 === 0 ? one : two).write.commit(commitInput(near.grant, [thing(`commit${n}`)])),
    );
    const streams = Array.from({ length: 10 }, (_, n) =>
      (n % 2 === 0 ? one : two).write.applyChunk(
        chunkInput(near, linesOf([thing(`x${n}`), thing(`y${n}`)]), { offset: 0, streamId: `s${n}` }),
      ),
    );
    const seqs = (await Promise.all([...commits, ...streams])).map(({ repoSeq }) => repoSeq).sort((a, b) => a - b);
    expect(seqs).toEqual(Array.from({ length: 50 }, (_, n) => n + 2));
    const expected = ['a', 'b', 'c'].flatMap((subscription_name) =>
      seqs.map((repo_seq, at) => ({ subscription_name, position: at + 1, repo_seq })),
    );
    expect(await watched()).toEqual(expected);
    const work = await one.database.query(`select work_key from work where kind = 'delivery'`);
    expect(work).toHaveLength(3);
  });

  it('are none while a subscription is paused, and none is missing when it is not', async () => {
    const { one, two, near, home, watched } = await prepare(engine);
    await one.write.createSubscription({ ...form, home, name: 'a', now: Date.now() });
    await one.write.createSubscription({ ...form, home, name: 'steady', now: Date.now() });
    const commits = Array.from({ length: 30 }, (_, n) => one.write.commit(commitInput(near.grant, [thing(`${n}`)])));
    const switching = async () => {
      for (let n = 0; n < 5; n++) {
        const moment = { home, name: 'a', now: Date.now() };
        await two.write.pauseSubscription(moment);
        await two.write.resumeSubscription(moment);
      }
    };
    await Promise.all([...commits, switching()]);
    const runs = await watched();
    expect(runs.filter((run) => run.subscription_name === 'steady')).toHaveLength(30);
    const own = runs.filter((run) => run.subscription_name === 'a');
    expect(own.map(({ position }) => position)).toEqual(own.map((_, at) => at + 1));
    expect(own.map(({ repo_seq }) => repo_seq)).toEqual(own.map(({ repo_seq }) => repo_seq).sort((x, y) => x - y));
    expect(new Set(own.map(({ repo_seq }) => repo_seq)).size).toBe(own.length);
    const [{ watched: count } = { watched: 0 }] = await one.database.query<{ watched: number }>(
      'select watched from repo_sequence',
    );
    expect(count).toBe(2);
  });

  it('of two repositories that watch each other are carried while both commit', async () => {
    const { one, two, near, watched } = await prepare(engine);
    const repository = {
      orgName: 'acme',
      name: 'far',
      displayName: 'far',
      description: '',
      visibility: 'private',
    } as const;
    await one.write.createRepository(repository);
    const far = await grantOn(one, { orgName: 'acme', repoName: 'far' });
    await one.write.commit(commitInput(far, [SHAPE]));
    const [{ id: accountId } = { id: 0 }] = await one.database.query<{ id: number }>('select id from account');
    for (const [grant, source] of [
      [near.grant, far],
      [far, near.grant],
    ] as const) {
      const home = { homeId: grant.repoId, grant };
      const given = { repoId: source.repoId, giver: { accountId } };
      await one.write.createSubscription({
        ...form,
        home,
        name: grant.repository.name,
        source: given,
        now: Date.now(),
      });
    }
    const commits = Array.from({ length: 20 }, (_, n) => [
      one.write.commit(commitInput(near.grant, [thing(`${n}`)])),
      two.write.commit(commitInput(far, [thing(`${n}`)])),
    ]).flat();
    const carrying = async (store: typeof one) => {
      for (let n = 0; n < 5; n++) await carryOutboxes(store);
    };
    await Promise.all([...commits, carrying(one), carrying(two)]);
    await carryOutboxes(one);
    const expected = ['far', 'world'].flatMap((subscription_name) =>
      Array.from({ length: 20 }, (_, at) => ({ subscription_name, position: at + 1, repo_seq: at + 2 })),
    );
    expect(await watched()).toEqual(expected);
    expect(await one.database.query('select repo_id from outbox')).toEqual([]);
  });

  it('of an organization are one for each repository, however many are made at once', async () => {
    const { one, two, near, watched } = await prepare(engine);
    const home = { homeId: -near.grant.orgId, grant: undefined };
    const made = { ...form, filter: undefined, event: 'repo.created', home };
    for (const name of ['a', 'b']) await one.write.createSubscription({ ...made, name, now: Date.now() });
    const repository = { orgName: 'acme', description: '', visibility: 'private' } as const;
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        (n % 2 === 0 ? one : two).write.createRepository({ ...repository, name: `r${n}` }),
      ),
    );
    const positions = (await watched()).map(({ subscription_name, position }) => `${subscription_name}${position}`);
    expect(positions).toEqual(['a', 'b'].flatMap((name) => Array.from({ length: 20 }, (_, at) => `${name}${at + 1}`)));
  });
});
