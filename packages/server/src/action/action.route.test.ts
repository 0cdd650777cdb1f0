// The action routes (spec 4.3): visibility, and reports of receivers.
import { SCOPE_NAMES, type Scope } from '@cairn/protocol/scopes';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { type ActionWorld, createActionWorld, WORLD } from '../../../../test/support/action.ts';
import { createComponentToken } from '../../../../test/support/principal.ts';
import { createScopedToken } from '../../../../test/support/procedure.ts';
import { withStatus } from '../../../../test/support/receiver.ts';
import { runStatement } from '../../../../test/support/statement.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import { formatRunId, homeOfRun } from './run-id.rule.ts';

type World = ActionWorld & { get: Get; report: Report; tokenWith: (...scopes: Scope[]) => Promise<string> };
type Get = (path: string, token?: string) => Promise<Answer>;
type Report = (runId: string, body: unknown, token?: string) => Promise<Answer>;

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the route answers
  readonly body: any;
}

const ACTIONS = '/api/repos/acme/world/actions';

async function createWorld(engine: (typeof ENGINES)[number]): Promise<World> {
  const world = await createActionWorld(engine);
  const { app, store } = world;
  const request = async (path: string, init: RequestInit, token?: string) => {
    const headers = { ...init.headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
    const answer = await app.request(path, { ...init, headers });
    return { status: answer.status, body: await answer.json() };
  };
  let tokens = 0;
  return {
    ...world,
    get: (path, token) => request(path, {}, token),
    report: (runId, body, token) =>
      request(
        `/api/action-runs/${runId}/callback`,
        { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
        token,
      ),
    tokenWith: (...permissions) => createScopedToken(store, { name: `t${tokens++}`, permissions }),
  };
}

const allBut = (...without: Scope[]) => SCOPE_NAMES.filter((scope) => !without.includes(scope));

async function oneRun(world: ActionWorld): Promise<string> {
  await world.subscribe();
  await world.add('a');
  return (await world.runs())[0]?.runId ?? '';
}

async function organizationRun(world: ActionWorld): Promise<string> {
  const form = {
    orgName: 'acme',
    name: 'org-watcher',
    event: 'repo.created',
    webhookUrl: `${world.receiver.url}/org`,
  } as const;
  (await world.owner('subscription.create', form)).data();
  (await world.owner('repo.create', { orgName: 'acme', name: 'moon' })).data();
  const { items } = (await world.owner('action.runs', { orgName: 'acme' })).data();
  return items[0]?.runId ?? '';
}

describe.each(ENGINES)('the action routes on %s', (engine) => {
  it(
    verifies(
      'list the runs of a repository, its own alone',
      '4.3/runs-mounted',
      '4.3/runs-own-repo',
      '4.3/runs-scope',
      '4.3/attempts-mounted',
      '4.3/attempts-own-run',
      '4.3/attempts-own-repo',
      '4.3/attempts-scope',
      '4.3/notifications-mounted',
      '4.3/notifications-own-repo',
      '4.3/notifications-scope',
    ),
    async () => {
      const world = await createWorld(engine);
      const token = await world.tokenWith('repo:configure');
      world.receiver.answer(withStatus(400, {}, 'what is this'));
      await world.subscribe();
      const sequences = [await world.add('a'), await world.add('b')];
      (await world.owner('repo.create', { orgName: 'acme', name: 'moon' })).data();
      await world.deliver();
      await expect
        .poll(async () => (await world.runs()).map(({ status }) => status))
        .toEqual(['failed_terminal', 'failed_terminal']);
      const { status, body } = await world.get(`${ACTIONS}/runs`, token);
      expect([status, body.nextCursor]).toEqual([200, undefined]);
      const [second, first] = body.items;
      expect([first.repoSeq, second.repoSeq]).toEqual(sequences);
      expect(first).toEqual({
        runId: expect.stringMatching(/^run_/),
        subscriptionName: 'watcher',
        status: 'failed_terminal',
        event: 'cairn.write',
        traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
        repoSeq: sequences[0],
        attemptCount: 1,
        maxAttempts: 3,
        matchedOperationIndexes: [0],
        lastErrorCode: 'HTTP_400',
        lastErrorMessage: 'The receiver answered 400.',
        createdAt: expect.any(Number),
        updatedAt: expect.any(Number),
      });
      const attempts = await world.get(`${ACTIONS}/runs/${first.runId}/attempts`, token);
      expect(attempts.body).toEqual({
        items: [
          {
            attempt: 1,
            target: 'webhook',
            startedAt: expect.any(Number),
            finishedAt: expect.any(Number),
            outcome: 'failed',
            httpStatus: 400,
            errorCode: 'HTTP_400',
            errorMessage: 'The receiver answered 400.',
            durationMs: expect.any(Number),
            responseSnippet: 'what is this',
          },
        ],
      });
      const notifications = await world.get(`${ACTIONS}/notifications`, token);
      expect(notifications.body.items.map(({ runId }: { runId: string }) => runId).sort()).toEqual(
        [first.runId, second.runId].sort(),
      );
      const moon = ACTIONS.replace('world', 'moon');
      expect((await world.get(`${moon}/runs`, token)).body).toEqual({ items: [] });
      expect((await world.get(`${moon}/notifications`, token)).body).toEqual({ items: [] });
      expect((await world.get(`${moon}/runs/${first.runId}/attempts`, token)).status).toBe(404);
      expect(await world.get(`${ACTIONS}/runs/nonsense/attempts`, token)).toMatchObject({
        status: 404,
        body: { error: { code: 'NOT_FOUND', message: expect.stringContaining('List the runs') } },
      });
    },
  );

  it(
    verifies(
      'refuse who may not configure',
      '4.3/runs-anonymous',
      '4.3/runs-other-scopes',
      '4.3/attempts-anonymous',
      '4.3/attempts-other-scopes',
      '4.3/notifications-anonymous',
      '4.3/notifications-other-scopes',
    ),
    async () => {
      const world = await createWorld(engine);
      const runId = await oneRun(world);
      const other = await world.tokenWith(...allBut('repo:configure'));
      for (const visibility of ['private', 'public'] as const) {
        (await world.owner('repo.setVisibility', { ...WORLD, visibility })).data();
        for (const path of ['runs', `runs/${runId}/attempts`, 'notifications']) {
          const answers = await Promise.all([undefined, other].map((token) => world.get(`${ACTIONS}/${path}`, token)));
          expect(answers.map(({ status }) => status)).toEqual([401, 403]);
          expect(answers[1]?.body.error.details).toEqual({ missing: ['repo:configure'], withheldBy: 'token' });
        }
      }
    },
  );

  it('list runs page by page and as they are chosen, by cursors that belong to one list', async () => {
    const world = await createWorld(engine);
    const { token, get } = world;
    await world.subscribe();
    await world.subscribe({ name: 'other', filter: { name: 'Signal/n1' } });
    const sequences: number[] = [];
    for (let n = 0; n < 5; n++) sequences.push(await world.add(`n${n}`));
    const list = async (query: string) => (await get(`${ACTIONS}/runs?${query}`, token)).body;
    const paged: string[] = [];
    for (let cursor = ''; ; ) {
      const page = await list(`limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      paged.push(...page.items.map(({ runId }: { runId: string }) => runId));
      if (page.nextCursor === undefined) break;
      cursor = page.nextCursor;
    }
    expect(paged).toEqual((await world.runs()).map(({ runId }) => runId));
    expect(paged).toHaveLength(6);
    const seqs = async (query: string) => (await list(query)).items.map(({ repoSeq }: { repoSeq: number }) => repoSeq);
    expect(await seqs('subscription=other')).toEqual([sequences[1]]);
    expect(await seqs('subscription=watcher')).toEqual([...sequences].reverse());
    expect(await seqs(`subscription=watcher&sinceRepoSeq=${sequences[3]}`)).toEqual([sequences[4], sequences[3]]);
    expect(await seqs('status=succeeded')).toEqual([]);
    expect(await seqs(`since=${Date.now() + 60_000}`)).toEqual([]);
    const first = await list('subscription=watcher&limit=2');
    expect(await seqs(`subscription=watcher&limit=9&cursor=${first.nextCursor}`)).toEqual(
      sequences.slice(0, 3).reverse(),
    );
    for (const query of [
      `cursor=${first.nextCursor}`,
      'limit=0',
      'limit=201',
      'limit=x',
      'state=pending',
      'status=no',
    ]) {
      expect((await get(`${ACTIONS}/runs?${query}`, token)).status).toBe(400);
    }
  });

  it(
    verifies(
      'take reports of who has the scope for them',
      '4.3/callback-mounted',
      '4.3/callback-anonymous',
      '4.3/callback-repo-scope',
      '4.3/callback-repo-other-scopes',
    ),
    async () => {
      const world = await createWorld(engine);
      const runId = await oneRun(world);
      const other = await world.tokenWith(...allBut('repo:action-callback'));
      const report = { status: 'success' };
      expect((await world.report(runId, report)).status).toBe(401);
      expect(await world.report(runId, report, other)).toMatchObject({ status: 403 });
      expect((await world.runs())[0]?.status).toBe('pending');
      const token = await world.tokenWith('repo:action-callback');
      expect(await world.report(runId, report, token)).toEqual({ status: 200, body: { runId, status: 'succeeded' } });
    },
  );

  it(
    verifies('take reports on runs of an organization', '4.3/callback-org-scope', '4.3/callback-org-other-scopes'),
    async () => {
      const world = await createWorld(engine);
      const runId = await organizationRun(world);
      const other = await world.tokenWith(...allBut('org:action-callback'));
      expect((await world.report(runId, { status: 'success' }, other)).status).toBe(403);
      const token = await world.tokenWith('org:action-callback');
      expect(await world.report(runId, { status: 'success' }, token)).toMatchObject({ status: 200 });
      const { items } = (await world.owner('action.runs', { orgName: 'acme' })).data();
      expect(items.map(({ status }) => status)).toEqual(['succeeded']);
      expect(await world.runs()).toEqual([]);
    },
  );

  it('know nothing of runs that are unknown, hidden or of another component, all in the same words', async () => {
    const world = await createWorld(engine);
    const runId = await oneRun(world);
    await world.store.write.createAccount({
      email: 'eve@example.com',
      handle: 'eve',
      passwordHash: '-',
      operator: false,
    });
    const { createToken } = await import('../account/account.ts');
    const scopes = [{ permissions: [...SCOPE_NAMES] }];
    const { token: eve } = await createToken(world.store, { email: 'eve@example.com', name: 'all', scopes });
    const repoId = homeOfRun(runId) ?? 0;
    const component = await createComponentToken(world.store, { repoId, component: 'acme/thing' });
    const unknown = formatRunId(1, new Uint8Array(16));
    const answers = await Promise.all([
      world.report(runId, { status: 'success' }, eve),
      world.report(runId, { status: 'success' }, component),
      world.report(unknown, { status: 'success' }, world.token),
      world.report('nonsense', { status: 'success' }, world.token),
      world.report(unknown, 'nonsense', world.token),
    ]);
    for (const answer of answers) expect(answer).toEqual({ ...answers[0], status: 404 });
    await runStatement(world.store, `update subscription set component = 'acme/thing'`);
    expect(await world.report(runId, { status: 'processing' }, component)).toMatchObject({ status: 200 });
  });

  it(verifies('keep how far a run is', '4.3/callback-progress', '4.3/callback-completion'), async () => {
    const world = await createWorld(engine);
    world.receiver.answer(withStatus(202));
    const runId = await oneRun(world);
    await world.deliver();
    await expect.poll(async () => (await world.runs())[0]?.status).toBe('processing');
    const half = { status: 'processing', progress: 0.5, message: 'half\0way' };
    expect(await world.report(runId, half, world.token)).toEqual({
      status: 200,
      body: { runId, status: 'processing' },
    });
    expect((await world.runs())[0]).toMatchObject({ status: 'processing', progress: 0.5, message: 'half\uFFFDway' });
    const done = { status: 'success', progress: 1, result: { rows: 3 } };
    expect(await world.report(runId, done, world.token)).toEqual({ status: 200, body: { runId, status: 'succeeded' } });
    expect((await world.runs())[0]).toMatchObject({ status: 'succeeded', progress: 1, result: { rows: 3 } });
  });

  it('take the end of a run once: the same again is fine, another is not', async () => {
    const world = await createWorld(engine);
    const runId = await oneRun(world);
    const statuses = async (...reports: string[]) => {
      const answers: unknown[] = [];
      for (const status of reports) {
        const { status: code, body } = await world.report(runId, { status }, world.token);
        answers.push(code === 200 ? body.status : body.error.code);
      }
      return answers;
    };
    const error = { code: 'DISK_FULL', message: 'no room' };
    expect(await world.report(runId, { status: 'failure', error }, world.token)).toMatchObject({
      body: { status: 'failed_terminal' },
    });
    expect(await statuses('failure', 'success', 'processing')).toEqual(['failed_terminal', 'CONFLICT', 'CONFLICT']);
    const { items } = (await world.owner('action.notifications', WORLD)).data();
    expect(items).toMatchObject([
      { runId, status: 'failed_terminal', errorCode: 'DISK_FULL', errorMessage: 'no room' },
    ]);
    expect(await statuses('retry_requested', 'success', 'success', 'failure', 'retry_requested')).toEqual([
      'retry_wait',
      'succeeded',
      'succeeded',
      'CONFLICT',
      'CONFLICT',
    ]);
    for (const body of [
      {},
      { status: 'done' },
      { status: 'success', more: 1 },
      { status: 'processing', progress: 2 },
    ]) {
      expect((await world.report(runId, body, world.token)).status).toBe(400);
    }
  });

  it('take a report that comes before the answer to the delivery', async () => {
    const world = await createWorld(engine);
    const reported: unknown[] = [];
    world.receiver.answer((response, { body }) => {
      void world.report(body.runId, { status: 'success' }, world.token).then(({ status }) => {
        reported.push(status);
        response.writeHead(202).end();
      });
    });
    const runId = await oneRun(world);
    await world.deliver();
    await expect.poll(async () => (await world.attempts(runId))[0]?.outcome).toBe('accepted');
    expect([reported, (await world.runs())[0]?.status]).toEqual([[200], 'succeeded']);
  });

  it('send again what a receiver asks for, within the attempts', async () => {
    const world = await createWorld(engine);
    world.receiver.answer(withStatus(202));
    const runId = await oneRun(world);
    await world.deliver();
    for (const [attempt, status] of [
      [1, 'retry_wait'],
      [2, 'retry_wait'],
      [3, 'dead_letter'],
    ] as const) {
      await expect
        .poll(async () => (await world.runs()).map((run) => [run.attemptCount, run.status]))
        .toEqual([[attempt, 'processing']]);
      expect((await world.report(runId, { status: 'retry_requested' }, world.token)).body).toEqual({ runId, status });
    }
    expect((await world.runs())[0]).toMatchObject({ status: 'dead_letter', attemptCount: 3 });
  });

  it('send a test delivery, which is no run', async () => {
    const world = await createWorld(engine);
    await world.subscribe();
    world.receiver.answer(withStatus(418, {}, 'a teapot'));
    const tested = (await world.owner('subscription.test', { ...WORLD, name: 'watcher' })).data();
    expect(tested).toEqual({
      outcome: 'failed',
      httpStatus: 418,
      errorCode: 'HTTP_418',
      errorMessage: 'The receiver answered 418.',
      durationMs: expect.any(Number),
      responseSnippet: 'a teapot',
    });
    const [delivery] = world.receiver.received;
    expect(delivery?.body).toMatchObject({ event: 'cairn.test', repo: WORLD, matchedOperations: [], attempt: 1 });
    expect(await world.runs()).toEqual([]);
  });

  it('deliver a run that has failed once more, by hand', async () => {
    const world = await createWorld(engine);
    world.receiver.answer(withStatus(500));
    const runId = await oneRun(world);
    const address = { ...WORLD, runId };
    expect((await world.owner('action.retry', address)).code).toBe('CONFLICT');
    await world.deliver();
    const counted = async () => (await world.runs()).map((run) => [run.attemptCount, run.maxAttempts, run.status]);
    await expect.poll(counted).toEqual([[3, 3, 'dead_letter']]);
    const retried = (await world.owner('action.retry', address)).data();
    expect(retried).toMatchObject({ runId, maxAttempts: 6 });
    expect(retried.attemptCount).toBeGreaterThanOrEqual(3);
    await expect.poll(counted).toEqual([[6, 6, 'dead_letter']]);
    world.receiver.answer(withStatus(200));
    (await world.owner('action.retry', address)).data();
    await expect.poll(counted).toEqual([[7, 9, 'succeeded']]);
    (await world.owner('subscription.delete', { ...WORLD, name: 'watcher' })).data();
    expect((await world.owner('action.retry', address)).code).toBe('CONFLICT');
  });

  it('try a run that waits at once, with the attempts that it has left', async () => {
    const world = await createWorld(engine);
    world.receiver.answer(withStatus(503, { 'retry-after': '3600' }));
    const runId = await oneRun(world);
    await world.deliver();
    const counted = async () => (await world.runs()).map((run) => [run.attemptCount, run.maxAttempts, run.status]);
    await expect.poll(counted).toEqual([[1, 3, 'retry_wait']]);
    (await world.owner('action.retry', { ...WORLD, runId })).data();
    await expect.poll(counted).toEqual([[2, 3, 'retry_wait']]);
    world.receiver.answer(withStatus(200));
    (await world.owner('action.retry', { ...WORLD, runId })).data();
    await expect.poll(counted).toEqual([[3, 3, 'succeeded']]);
  });

  it('give up a run that waits, tell of it, and tell when a retry has succeeded after all', async () => {
    const world = await createWorld(engine);
    world.receiver.answer(withStatus(503, { 'retry-after': '3600' }));
    await world.subscribe({ fallbackWebhookUrl: `${world.receiver.url}/fallback` });
    await world.add('a');
    const [{ runId } = { runId: '' }] = await world.runs();
    const address = { ...WORLD, runId };
    await world.deliver();
    const states = async () => (await world.runs()).map((run) => [run.status, run.lastErrorCode]);
    await expect.poll(states).toEqual([['retry_wait', 'HTTP_503']]);
    expect((await world.owner('action.giveUp', address)).data()).toMatchObject({
      status: 'dead_letter',
      lastErrorCode: 'GIVEN_UP',
      attemptCount: 1,
    });
    expect((await world.owner('action.giveUp', address)).code).toBe('CONFLICT');
    const failures = () => world.receiver.received.flatMap(({ body }) => body.failure ?? []);
    await expect.poll(failures).toMatchObject([{ errorCode: 'GIVEN_UP' }]);
    const told = async () => (await world.owner('action.notifications', WORLD)).data().items;
    expect(await told()).toMatchObject([
      { runId, status: 'dead_letter', runStatus: 'dead_letter', errorCode: 'GIVEN_UP' },
    ]);
    world.receiver.answer(withStatus(200));
    (await world.owner('action.retry', address)).data();
    await expect.poll(told).toMatchObject([{ runId, status: 'dead_letter', runStatus: 'succeeded' }]);
    expect((await world.owner('action.giveUp', address)).code).toBe('CONFLICT');
  });

  it('give up a run that was never sent, and one whose receiver does not report back', async () => {
    const world = await createWorld(engine);
    world.receiver.answer(withStatus(202));
    const runId = await oneRun(world);
    const dead = { status: 'dead_letter', lastErrorCode: 'GIVEN_UP' };
    expect((await world.owner('action.giveUp', { ...WORLD, runId })).data()).toMatchObject(dead);
    await world.add('b');
    await world.deliver();
    const processing = async () => (await world.runs()).find(({ status }) => status === 'processing')?.runId;
    await expect.poll(processing).toBeDefined();
    const given = { ...WORLD, runId: (await processing()) ?? '' };
    expect((await world.owner('action.giveUp', given)).data()).toMatchObject(dead);
    expect((await world.owner('action.callback', { runId: given.runId, status: 'success' })).code).toBe('CONFLICT');
    expect(world.receiver.received).toHaveLength(1);
  });
});
