// Loops end: a commit that sends back the trace of a delivery joins it, and a subscription runs once in a trace.
import { TRACE_HEADER } from '@cairn/protocol/vocabulary';
import { describe, expect, it } from 'vitest';
import { grantOn } from '../../../../test/support/grant.ts';
import { TEST_SECRET } from '../../../../test/support/principal.ts';
import { commitInput } from '../../../../test/support/repository.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import { createSubscribable, HOOK, type SubscriptionWorld, WORLD } from '../../../../test/support/subscription.ts';
import { deriveKeys } from '../server.ts';
import { carryOutboxes } from './outbox.job.ts';
import { formatTrace, type Trace } from './trace.ts';

const FAR = { orgName: 'acme', repoName: 'far' };
const SHAPE = { kind: 'shape', name: 'T', data: { fields: {} } };
const thing = (n: number | string) => ({ name: `T/${n}`, data: {} });
const TRACE_ID = 'ab'.repeat(16);

const traceHeader = (trace: Trace) => ({
  [TRACE_HEADER]: formatTrace(deriveKeys(TEST_SECRET).trace, trace, Date.now()),
});

async function call(
  { app, token }: SubscriptionWorld,
  { name, input, headers }: { name: string; input: object; headers: Record<string, string> },
) {
  const answer = await app.request(`/trpc/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...headers },
    body: JSON.stringify(input),
  });
  return { status: answer.status, body: await answer.text() };
}

describe.each(ENGINES)('a trace on %s', (engine) => {
  const prepare = async () => {
    const world = await createSubscribable(engine);
    await world.commit([SHAPE]);
    const found = async () =>
      (await world.runs())
        .filter(({ status }) => status !== 'suppressed')
        .map(({ subscription_name, depth, trace_id }) => [subscription_name, depth, trace_id]);
    const { repoId } = await grantOn(world.store, WORLD);
    const follow = async (operation: object, { via = [repoId], ...trace }: Omit<Trace, 'via'> & Partial<Trace>) =>
      (
        await call(world, {
          name: 'commit.submit',
          input: { ...WORLD, operations: [operation] },
          headers: traceHeader({ ...trace, via }),
        })
      ).status;
    const suppressed = async () =>
      (await world.runs()).filter(({ status }) => status === 'suppressed').map((run) => run.subscription_name);
    return { ...world, found, follow, suppressed, repoId };
  };

  it('is joined by a commit that sends it back, one level deeper, and fires each subscription once', async () => {
    const { subscribe, follow, found, suppressed } = await prepare();
    await subscribe({ name: 'once' });
    await subscribe({ name: 'again', allowTraceReentry: true });
    const trace = { traceId: TRACE_ID, depth: 1 };
    expect(await follow(thing(1), trace)).toBe(200);
    expect(await follow(thing(2), { ...trace, depth: 2 })).toBe(200);
    expect(await found()).toEqual([
      ['again', 2, TRACE_ID],
      ['again', 3, TRACE_ID],
      ['once', 2, TRACE_ID],
    ]);
    expect(await suppressed()).toEqual(['once']);
  });

  it('suppresses nothing for a writer who has it from a delivery of somebody else', async () => {
    const { subscribe, follow, found, suppressed } = await prepare();
    await subscribe({ name: 'once' });
    const stolen = { traceId: TRACE_ID, via: [4_711] };
    expect(await follow(thing(1), { ...stolen, depth: 1 })).toBe(200);
    expect(await follow(thing(2), { ...stolen, depth: 1 })).toBe(200);
    expect(await follow(thing(3), { ...stolen, depth: 16 })).toBe(200);
    expect((await found()).map(([name, depth]) => [name, depth])).toEqual([
      ['once', 2],
      ['once', 2],
      ['once', 17],
    ]);
    expect(await suppressed()).toEqual([]);
  });

  it('ends at depth 16, whatever is allowed', async () => {
    const { subscribe, follow, found, suppressed, owner } = await prepare();
    await subscribe({ name: 'again', allowTraceReentry: true });
    expect(await follow(thing(1), { traceId: TRACE_ID, depth: 15 })).toBe(200);
    expect(await follow(thing(2), { traceId: TRACE_ID, depth: 16 })).toBe(200);
    expect(await found()).toEqual([['again', 16, TRACE_ID]]);
    expect(await suppressed()).toEqual(['again']);
    const { items } = (await owner('action.runs', { ...WORLD, status: 'suppressed' })).data();
    expect(items).toMatchObject([{ status: 'suppressed', attemptCount: 0, lastErrorCode: 'TRACE_LOOP' }]);
  });

  it('is joined by whatever makes commits, streams too', async () => {
    const world = await prepare();
    const { app, token, subscribe, found } = world;
    await subscribe({ name: 'again', allowTraceReentry: true });
    const writes = [
      { name: 'shape.create', input: { ...WORLD, name: 'S', fields: {} } },
      { name: 'shape.rename', input: { ...WORLD, name: 'S', newName: 'U' } },
      { name: 'repo.setContent', input: { ...WORLD, name: 'readme', content: 'Hello' } },
    ];
    for (const [at, { name, input }] of writes.entries()) {
      const headers = traceHeader({ traceId: TRACE_ID, depth: at + 1, via: [] });
      expect(await call(world, { name, input, headers })).toMatchObject({ status: 200 });
    }
    const streamed = await app.request('/api/repos/acme/world/streams/s/submissions?offset=0', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/x-ndjson',
        ...traceHeader({ traceId: TRACE_ID, depth: 8, via: [] }),
      },
      body: `${JSON.stringify(thing('streamed'))}\n`,
    });
    expect([streamed.status, (await streamed.text()).includes('"applied":1')]).toEqual([200, true]);
    expect(await found()).toEqual([2, 3, 4, 9].map((depth) => ['again', depth, TRACE_ID]));
  });

  it('that this server did not send is refused', async () => {
    const world = await prepare();
    const forged = { [TRACE_HEADER]: `${TRACE_ID}.1.${'A'.repeat(43)}` };
    const input = { ...WORLD, operations: [thing(1)] };
    const { status, body } = await call(world, { name: 'commit.submit', input, headers: forged });
    expect([status, body]).toEqual([400, expect.stringContaining('does not come from this server')]);
  });

  it('fires a subscription to another repository once too', async () => {
    const world = await prepare();
    const { store, owner, subscribe, found, suppressed, commit, repoId } = world;
    (await owner('repo.create', { orgName: 'acme', name: 'far' })).data();
    await commit([SHAPE], FAR);
    await subscribe({ name: 'once', source: 'acme/far' });
    await subscribe({ name: 'again', source: 'acme/far', allowTraceReentry: true });
    const follow = async (n: number) => {
      const headers = traceHeader({ traceId: TRACE_ID, depth: n, via: [repoId] });
      await call(world, { name: 'commit.submit', input: { ...FAR, operations: [thing(n)] }, headers });
    };
    await follow(1);
    await follow(2);
    await carryOutboxes(store);
    await follow(3);
    await carryOutboxes(store);
    expect(await found()).toEqual([
      ['again', 2, TRACE_ID],
      ['again', 3, TRACE_ID],
      ['again', 4, TRACE_ID],
      ['once', 2, TRACE_ID],
    ]);
    expect(await suppressed()).toEqual(['once', 'once']);
  });

  it('or none: commits of a component do not fire its own subscriptions', async () => {
    const { store, runs } = await prepare();
    const grant = await grantOn(store, WORLD);
    const form = { home: { homeId: grant.repoId, grant }, filter: {}, webhookUrl: HOOK, createdBy: 'x', now: 1 };
    const make = async (name: string, component: string | undefined, allowTraceReentry = false) =>
      await store.write.createSubscription({ ...form, name, component, allowTraceReentry });
    await make('own', 'acme/bot');
    await make('own-again', 'acme/bot', true);
    await make('of-another', 'acme/cat');
    await make('of-nobody', undefined);
    await store.write.commit(commitInput(grant, [thing(1)], { component: 'acme/bot' }));
    const fired = (await runs()).map(({ subscription_name }) => subscription_name);
    expect(fired).toEqual(['of-another', 'of-nobody', 'own-again']);
  });
});
