// Outcomes of runs with a real receiver: each answer leads to the specified status after the specified attempts.
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/spec/verifies.ts';
import { type ActionWorld, createActionWorld, WORLD } from '../../../../../test/support/action.ts';
import { type Answering, withStatus } from '../../../../../test/support/receiver.ts';
import { runStatement } from '../../../../../test/support/statement.ts';
import { ENGINES } from '../../../../../test/support/store.ts';
import { carryOutboxes } from '../outbox.job.ts';

async function expectStatuses(world: ActionWorld, ...statuses: string[]): Promise<void> {
  await expect.poll(async () => (await world.runs()).map(({ status }) => status)).toEqual(statuses);
}

async function outcomesOf(world: ActionWorld): Promise<unknown[]> {
  const [run] = await world.runs();
  const attempts = await world.attempts(run?.runId ?? '');
  return attempts.map(({ target, outcome, httpStatus, errorCode }) => [target, outcome, httpStatus ?? errorCode]);
}

const never: Answering = () => {};
const reset: Answering = (response) => response.socket?.resetAndDestroy();
const drip: Answering = (response) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write('.'), 20);
  response.on('close', () => clearInterval(timer));
};
const GIB = 2 ** 30;
const flood: Answering = (response) => {
  response.writeHead(200, { 'content-length': String(GIB) });
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const pour = () => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', pour);
  };
  pour();
};

describe.each(ENGINES)('deliveries on %s', (engine) => {
  it('tell what was committed, as it was then', async () => {
    const world = await createActionWorld(engine);
    await world.subscribe({ filter: { operation: ['add', 'revise'] } });
    const repoSeq = await world.add('a', 'b');
    const rename = [{ operation: 'rename', name: 'Signal/a', newName: 'Signal/z' }];
    (await world.owner('commit.submit', { ...WORLD, operations: rename })).data();
    await world.deliver();
    await expectStatuses(world, 'succeeded');
    const [run] = await world.runs();
    const { runId, traceId } = run ?? {};
    expect(world.receiver.received).toHaveLength(1);
    const [delivery] = world.receiver.received;
    expect(delivery?.body).toEqual({
      event: 'cairn.write',
      traceId,
      runId,
      attempt: 1,
      subscriptionName: 'watcher',
      repo: WORLD,
      repoSeq,
      callback_url: expect.stringMatching(new RegExp(`^http.*/api/action-runs/${runId}/callback$`)),
      matchedOperationIndexes: [0, 1],
      matchedOperations: [
        { operation: 'add', kind: 'thing', wref: 'Signal/a', version: 1, data: { note: 'a' } },
        { operation: 'add', kind: 'thing', wref: 'Signal/b', version: 1, data: { note: 'b' } },
      ],
    });
    expect(delivery?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^Cairn\//),
      'webhook-id': runId,
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'x-cairn-trace': expect.stringContaining(`${traceId}.1.`),
    });
    expect(delivery?.headers).not.toHaveProperty('webhook-signature');
    expect(run).toMatchObject({ attemptCount: 1, maxAttempts: 3, repoSeq, matchedOperationIndexes: [0, 1] });
    expect(run).not.toHaveProperty('nextAttemptAt');
  });

  const R = (outcome: string, code: number | string) => ['webhook', outcome, code];
  it.each<[string, Answering, string, unknown[]]>([
    ['200', withStatus(200), 'succeeded', [R('succeeded', 200)]],
    ['202', withStatus(202), 'processing', [R('accepted', 202)]],
    ['400', withStatus(400), 'failed_terminal', [R('failed', 400)]],
    ['410', withStatus(410), 'failed_terminal', [R('failed', 410)]],
    ['429 with Retry-After', withStatus(429, { 'retry-after': '0' }), 'dead_letter', Array(3).fill(R('retry', 429))],
    ['500', withStatus(500), 'dead_letter', Array(3).fill(R('retry', 500))],
    ['a redirect', withStatus(302, { location: 'http://127.0.0.1:9/' }), 'failed_terminal', [R('failed', 302)]],
    ['nothing', never, 'dead_letter', Array(3).fill(R('retry', 'TIMEOUT'))],
    ['a reset', reset, 'dead_letter', Array(3).fill(R('retry', 'NETWORK_ERROR'))],
    ['drips', drip, 'dead_letter', Array(3).fill(R('retry', 'TIMEOUT'))],
  ])('to a receiver that answers %s end as designed', async (_, answering, status, attempts) => {
    const world = await createActionWorld(engine, answering);
    await world.subscribe();
    await world.add('a');
    const { failures } = await world.deliver({ totalMs: 1_500 });
    await expectStatuses(world, status);
    expect(await outcomesOf(world)).toEqual(attempts);
    expect(world.receiver.received).toHaveLength(attempts.length);
    const ids = new Set(world.receiver.received.map(({ headers }) => headers['webhook-id']));
    expect([ids.size, failures]).toEqual([1, []]);
  });

  it('to a receiver that sends a gigabyte keep its beginning', async () => {
    const world = await createActionWorld(engine, flood);
    await world.subscribe();
    await world.add('a');
    await world.deliver();
    await expectStatuses(world, 'succeeded');
    const [run] = await world.runs();
    const [attempt] = await world.attempts(run?.runId ?? '');
    expect([attempt?.outcome, attempt?.responseSnippet?.length]).toEqual(['succeeded', 64 * 1024]);
    expect((await world.app.request('/health/ready')).status).toBe(200);
  });

  it(
    verifies(
      'leave a notification of a failure that is final, and of nothing else',
      '6/terminal-failure-recorded',
      '6/other-outcomes-unrecorded',
    ),
    async () => {
      let answers = 0;
      const world = await createActionWorld(engine, (response, delivery) =>
        withStatus(answers++ === 0 ? 500 : 200)(response, delivery),
      );
      await world.subscribe();
      await world.add('a');
      await world.deliver();
      await expectStatuses(world, 'succeeded');
      const listed = async () => (await world.owner('action.notifications', WORLD)).data().items;
      expect([answers, await listed()]).toEqual([2, []]);
      world.receiver.answer(withStatus(404));
      const repoSeq = await world.add('b');
      await expectStatuses(world, 'failed_terminal', 'succeeded');
      const [failed] = await world.runs();
      expect(await listed()).toEqual([
        {
          notificationId: expect.any(String),
          runId: failed?.runId,
          subscriptionName: 'watcher',
          status: 'failed_terminal',
          runStatus: 'failed_terminal',
          errorCode: 'HTTP_404',
          errorMessage: 'The receiver answered 404.',
          attemptCount: 1,
          repoSeq,
          createdAt: expect.any(Number),
        },
      ]);
    },
  );

  it('go again later when the receiver says when', async () => {
    const world = await createActionWorld(engine, withStatus(429, { 'retry-after': '3600' }));
    await world.subscribe();
    await world.add('a');
    await world.deliver();
    await expectStatuses(world, 'retry_wait');
    const [run] = await world.runs();
    const waits = (run?.nextAttemptAt ?? 0) - (run?.updatedAt ?? 0);
    expect([run?.attemptCount, waits, run?.lastErrorCode]).toEqual([1, 3_600_000, 'HTTP_429']);
    await expect
      .poll(() => world.store.database.query(`select claim, due_at from work where kind = 'delivery'`))
      .toEqual([{ claim: null, due_at: run?.nextAttemptAt }]);
  });

  it('pause the subscription whose receiver is gone', async () => {
    const world = await createActionWorld(engine, withStatus(410));
    await world.subscribe();
    await world.add('a');
    await world.deliver();
    await expectStatuses(world, 'failed_terminal');
    const { active, pausedReason } = (await world.owner('subscription.get', { ...WORLD, name: 'watcher' })).data();
    expect([active, pausedReason]).toEqual([false, expect.stringContaining('410')]);
    await world.add('b');
    expect(await world.runs()).toHaveLength(1);
  });

  it('tell the fallback URL once of a failure, and no more when that fails too', async () => {
    const world = await createActionWorld(engine, withStatus(400));
    await world.subscribe({ fallbackWebhookUrl: `${world.receiver.url}/fallback` });
    await world.add('a');
    await world.deliver();
    await expect.poll(() => world.receiver.received.map(({ path }) => path)).toEqual(['/hook', '/fallback']);
    const told = [
      ['webhook', 'failed', 400],
      ['fallback', 'failed', 400],
    ];
    await expect.poll(() => outcomesOf(world)).toEqual(told);
    const [first, second] = world.receiver.received;
    expect(second?.body).toEqual({
      ...first?.body,
      failure: { status: 'failed_terminal', errorCode: 'HTTP_400', errorMessage: 'The receiver answered 400.' },
    });
    expect(await world.store.database.query('select status, fallback, next_attempt_at from run')).toEqual([
      { status: 'failed_terminal', fallback: 'sent', next_attempt_at: null },
    ]);
  });

  it('tell the fallback URL again of a run that fails again before it went again, and hold up no others', async () => {
    const world = await createActionWorld(engine, withStatus(400));
    await world.subscribe({ fallbackWebhookUrl: `${world.receiver.url}/fallback` });
    await world.add('a');
    const first = await world.deliver();
    const expectPaths = (...paths: string[]) =>
      expect.poll(() => world.receiver.received.map(({ path }) => path)).toEqual(paths);
    await expectPaths('/hook', '/fallback');
    await first.stop();
    const [run] = await world.runs();
    for (const status of ['retry_requested', 'failure'] as const) {
      (await world.owner('action.callback', { runId: run?.runId ?? '', status })).data();
    }
    const { failures } = await world.deliver();
    await expectPaths('/hook', '/fallback', '/fallback');
    await world.add('b');
    await expectStatuses(world, 'failed_terminal', 'failed_terminal');
    expect(failures).toEqual([]);
  });

  it('that fail here are told to the operator, and go again as others do', async () => {
    const world = await createActionWorld(engine);
    await world.subscribe();
    const set = { ...WORLD, name: 'keys' };
    (await world.owner('credential.create', set)).data();
    const keys = { WEBHOOK_BEARER_TOKEN: 'secret-token' };
    (await world.owner('credential.setKeys', { ...set, keys })).data();
    const binding = { ...WORLD, name: 'watcher', credentialSet: 'keys' };
    (await world.owner('subscription.bindCredentials', binding)).data();
    await runStatement(world.store, `update credential_key set key = 'WEBHOOK_API_KEY'`);
    await world.add('a');
    const { failures } = await world.deliver();
    await expectStatuses(world, 'dead_letter');
    const lost = ['webhook', 'lost', 'WORKER_LOST'];
    expect(await outcomesOf(world)).toEqual([lost, lost, lost]);
    expect(failures).toHaveLength(3);
    expect(world.receiver.received).toEqual([]);
  });

  it('start in the order of commits', async () => {
    const world = await createActionWorld(engine);
    await world.subscribe();
    const sequences: number[] = [];
    for (let n = 0; n < 40; n++) sequences.push(await world.add(`n${n}`));
    await runStatement(world.store, 'update run set next_attempt_at = 1000 - position, created_at = 1000 - position');
    await world.deliver();
    await expect.poll(() => world.receiver.received.length).toBe(40);
    const started = await world.store.database.query<{ repo_seq: number }>(
      'select repo_seq from attempt join run on run.repo_id = attempt.repo_id and run.run_id = attempt.run_id order by started_at, position',
    );
    expect(started.map(({ repo_seq }) => repo_seq)).toEqual(sequences);
  });

  it('are at most eight at once to one host', async () => {
    const waiting: (() => void)[] = [];
    const world = await createActionWorld(engine, (response) => {
      waiting.push(() => response.end());
    });
    await world.subscribe();
    for (let n = 0; n < 12; n++) await world.add(`n${n}`);
    const { meter } = await world.deliver();
    await expect.poll(() => waiting.length).toBe(8);
    expect(meter.inFlight).toBe(8);
    for (const go of waiting.splice(0)) go();
    await expect.poll(() => waiting.length).toBe(4);
    for (const go of waiting) go();
    await expectStatuses(world, ...Array(12).fill('succeeded'));
  });

  it('are held while the subscription is paused, and go on when it is resumed', async () => {
    const world = await createActionWorld(engine);
    await world.subscribe();
    await world.add('a');
    const address = { ...WORLD, name: 'watcher' };
    (await world.owner('subscription.pause', address)).data();
    await world.deliver();
    const left = () => world.store.database.query(`select work_key from work where kind = 'delivery'`);
    await expect.poll(left).toEqual([]);
    await expectStatuses(world, 'pending');
    expect(world.receiver.received).toEqual([]);
    (await world.owner('subscription.resume', address)).data();
    await expectStatuses(world, 'succeeded');
  });

  it('end with their subscription, and stay listed', async () => {
    const world = await createActionWorld(engine);
    await world.subscribe();
    for (const name of ['a', 'b']) await world.add(name);
    (await world.owner('subscription.delete', { ...WORLD, name: 'watcher' })).data();
    await world.deliver();
    await expectStatuses(world, 'failed_terminal', 'failed_terminal');
    const [run] = await world.runs();
    expect([run?.subscriptionName, run?.lastErrorCode]).toEqual(['watcher', 'SUBSCRIPTION_DELETED']);
    expect(world.receiver.received).toEqual([]);
    const named = (await world.owner('action.runs', { ...WORLD, subscription: 'watcher' })).data().items;
    expect(named).toHaveLength(2);
  });

  async function expectHeld({ store, receiver }: ActionWorld): Promise<void> {
    const due = async () =>
      (await store.database.query<{ due_at: number }>(`select due_at from work where claim is null`))[0]?.due_at;
    await expect.poll(async () => ((await due()) ?? 0) > Date.now()).toBe(true);
    expect(receiver.received).toEqual([]);
  }

  it('of what is in a deleted repository are not sent to the subscriptions of others', async () => {
    const world = await createActionWorld(engine);
    const home = { orgName: 'acme', repoName: 'home' };
    (await world.owner('repo.create', { orgName: 'acme', name: 'home' })).data();
    await world.subscribe({ ...home, source: 'acme/world' });
    await world.add('a');
    await carryOutboxes(world.store);
    (await world.owner('repo.delete', WORLD)).data();
    await world.deliver();
    await expectHeld(world);
    const { items } = (await world.owner('action.runs', home)).data();
    expect(items.map(({ status }) => status)).toEqual(['pending']);
  });

  it('are not sent for a repository that is deleted, until it is restored', async () => {
    const world = await createActionWorld(engine);
    await world.subscribe();
    await world.add('a');
    (await world.owner('repo.delete', WORLD)).data();
    await world.deliver();
    await expectHeld(world);
    (await world.owner('repo.restore', WORLD)).data();
    await expectStatuses(world, 'succeeded');
  });

  it('that a dead node left under way count, and go again', async () => {
    const world = await createActionWorld(engine);
    await world.subscribe();
    await world.add('a');
    const claim = { claim: 'dead', now: Date.now(), leaseMs: 0 };
    const held = await world.store.write.claimDelivery(claim);
    if (held === undefined) throw new Error('nothing was due');
    const start = { work: held.work, now: Date.now(), limit: 8, attemptsMax: 3 };
    expect((await world.store.write.startRuns(start)).runs).toHaveLength(1);
    await world.deliver();
    await expectStatuses(world, 'succeeded');
    expect(await outcomesOf(world)).toEqual([
      ['webhook', 'lost', 'WORKER_LOST'],
      ['webhook', 'succeeded', 200],
    ]);
    expect((await world.store.write.startRuns(start)).held).toBe(false);
  });

  it('that are under way when the server stops go again at once elsewhere, and nothing is counted', async () => {
    const world = await createActionWorld(engine, never);
    await world.subscribe();
    await world.add('a');
    const first = await world.deliver({ totalMs: 60_000, retrySeconds: [] });
    await expect.poll(() => world.receiver.received.length).toBe(1);
    await first.stop();
    await expectStatuses(world, 'retry_wait');
    expect(await outcomesOf(world)).toEqual([['webhook', 'lost', 'WORKER_LOST']]);
    world.receiver.answer(withStatus(200));
    await world.deliver({ retrySeconds: [] });
    await expectStatuses(world, 'succeeded');
    expect(first.failures).toEqual([]);
  });

  it('that a receiver accepted end when it is silent for a day', async () => {
    const world = await createActionWorld(engine, withStatus(202));
    await world.subscribe();
    await world.add('a');
    await world.deliver();
    await expectStatuses(world, 'processing');
    const left = () => world.store.database.query(`select claim from work where kind = 'delivery'`);
    await expect.poll(left).toEqual([{ claim: null }]);
    await runStatement(
      world.store,
      `update run set next_attempt_at = next_attempt_at - 86400000; update work set due_at = due_at - 86400000`,
    );
    await expectStatuses(world, 'dead_letter');
    expect((await world.runs())[0]).toMatchObject({ attemptCount: 1, lastErrorCode: 'CALLBACK_TIMEOUT' });
  });
});
