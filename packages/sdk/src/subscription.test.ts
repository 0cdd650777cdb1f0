import { Webhook } from 'standardwebhooks';
import { describe, expect, it, vi } from 'vitest';
import { PATIENCE_MS } from '../../../test/support/patience.ts';
import { startReceiver, withStatus } from '../../../test/support/receiver.ts';
import { listOf } from '../../../test/support/sdk-world.ts';
import { createOwnerToken, startTestServer } from '../../../test/support/server.ts';
import { ENGINES } from '../../../test/support/store.ts';
import { type ActionRun, CairnClient, eachItem } from './index.ts';

const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

async function openSignals(engine: (typeof ENGINES)[number]) {
  const receiver = await startReceiver();
  const { url, store } = await startTestServer(engine, { CAIRN_OUTBOUND_ALLOW: receiver.address });
  const token = await createOwnerToken(store);
  const client = new CairnClient({ url, token });
  await client.repo.create('ada', 'world');
  await client.shape.create('ada', 'world', 'Signal', { fields: {} });
  const add = (name: string, by = client) =>
    by.commit.submit('ada', 'world', { operations: [{ operation: 'add', name: `Signal/${name}`, data: {} }] });
  const runThat = (status: ActionRun['status']) =>
    vi.waitFor(
      async () => {
        const { items } = await client.action.runs('ada', 'world', { status });
        expect(items).toHaveLength(1);
        return items[0] as ActionRun;
      },
      { timeout: PATIENCE_MS, interval: 100 },
    );
  return { url, token, client, receiver, add, runThat };
}

describe.each(ENGINES)('client.subscription on %s', (engine) => {
  it('creates, lists, gets, changes, pauses, resumes, reveals and deletes', async () => {
    const { client, receiver } = await openSignals(engine);
    const webhookUrl = `${receiver.url}/nobody-knows`;
    const made = await client.subscription.create('ada', 'world', 'signals', {
      filter: { shape: 'Signal' },
      webhookUrl,
    });
    expect(made).toMatchObject({ filter: { shape: 'Signal' }, webhookOrigin: `${receiver.url}/***`, active: true });
    expect(await client.subscription.get('ada', 'world', 'signals')).toEqual(made);
    expect((await client.subscription.preview('ada', 'world', { kind: 'shape' })).items).toMatchObject([
      { repoSeq: 1, name: 'Signal', matches: true },
    ]);
    await client.subscription.create('ada', 'world', 'renames', { event: 'thing.renamed', webhookUrl });
    const names = eachItem((cursor) => client.subscription.list('ada', 'world', { limit: 1, cursor }));
    expect((await listOf(names)).map(({ name }) => name)).toEqual(['renames', 'signals']);
    const change = { newName: 'others', filter: { not: { shape: 'Signal' } } };
    expect(await client.subscription.update('ada', 'world', 'signals', change)).toMatchObject({ name: 'others' });
    expect(await client.subscription.pause('ada', 'world', 'others')).toMatchObject({ active: false });
    expect(await client.subscription.resume('ada', 'world', 'others')).toMatchObject({ active: true });
    expect(await client.subscription.reveal('ada', 'world', 'others')).toEqual({ name: 'others', webhookUrl });
    await client.subscription.delete('ada', 'world', 'others');
    await expect(client.subscription.get('ada', 'world', 'others')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('manages those of an organization, with null in place of the repository', async () => {
    const { client, receiver } = await openSignals(engine);
    const options = { event: 'repo.created' as const, webhookUrl: receiver.url };
    const made = await client.subscription.create('ada', null, 'repos', options);
    expect(made).toMatchObject({ orgName: 'ada', event: 'repo.created' });
    expect(made).not.toHaveProperty('repoName');
    expect((await client.subscription.list('ada', null)).items).toEqual([made]);
    expect((await client.subscription.list('ada', 'world')).items).toEqual([]);
    await client.credential.create('ada', null, 'hooks');
    expect((await client.credential.list('ada', null)).items).toMatchObject([{ name: 'hooks' }]);
    expect((await client.action.runs('ada', null)).items).toEqual([]);
    expect((await client.action.notifications('ada', null)).items).toEqual([]);
  });
});

describe.each(ENGINES)('client.credential on %s', (engine) => {
  it('signs deliveries, and sends nothing once it is revoked', async () => {
    const { client, receiver, add, runThat } = await openSignals(engine);
    await client.credential.create('ada', 'world', 'hooks', { description: 'For signals' });
    const keys = { WEBHOOK_SIGNING_SECRET: SECRET, OTHER: 'kept' };
    expect(await client.credential.setKeys('ada', 'world', 'hooks', keys)).toMatchObject({
      keys: [{ key: 'OTHER' }, { key: 'WEBHOOK_SIGNING_SECRET' }],
    });
    await client.credential.unsetKey('ada', 'world', 'hooks', 'OTHER');
    await client.subscription.create('ada', 'world', 'signals', { filter: {}, webhookUrl: receiver.url });
    await client.subscription.bindCredentials('ada', 'world', 'signals', 'hooks');
    expect(await client.subscription.test('ada', 'world', 'signals')).toMatchObject({ outcome: 'succeeded' });
    const [{ headers, text } = { headers: {}, text: '' }] = receiver.received;
    expect(new Webhook(SECRET).verify(text, headers as Record<string, string>)).toMatchObject({ event: 'cairn.test' });
    expect(() => new Webhook(SECRET).verify(`${text} `, headers as Record<string, string>)).toThrow();
    expect(await client.credential.get('ada', 'world', 'hooks')).toMatchObject({ boundOrigin: receiver.url });
    const { items } = await client.credential.audit('ada', 'world', 'hooks', { limit: 1 });
    expect(items).toMatchObject([{ action: 'use' }]);
    await client.credential.revoke('ada', 'world', 'hooks');
    await add('a');
    expect(await runThat('failed_terminal')).toMatchObject({ lastErrorCode: 'CREDENTIALS_REVOKED' });
    expect(receiver.received).toHaveLength(1);
    await client.subscription.unbindCredentials('ada', 'world', 'signals');
    await client.credential.delete('ada', 'world', 'hooks');
  });
});

describe.each(ENGINES)('client.action on %s', (engine) => {
  it('shows runs and attempts, reports back, and joins the trace of a delivery', async () => {
    const { url, token, client, receiver, add, runThat } = await openSignals(engine);
    receiver.answer(withStatus(202));
    await client.subscription.create('ada', 'world', 'signals', { filter: {}, webhookUrl: receiver.url });
    await add('a');
    const { runId } = await runThat('processing');
    const trace = receiver.received[0]?.headers['x-cairn-trace']?.toString();
    await add('b', new CairnClient({ url, token, trace }));
    const { items: runs } = await client.action.runs('ada', 'world');
    expect(runs.map(({ status }) => status)).toEqual(['suppressed', 'processing']);
    await client.action.callback(runId, { status: 'processing', progress: 0.5, message: 'Half of it' });
    expect((await client.action.runs('ada', 'world', { runId })).items).toMatchObject([
      { progress: 0.5, message: 'Half of it' },
    ]);
    const failure = { status: 'failure' as const, error: { code: 'TOO_LATE', message: 'It is over.' } };
    expect(await client.action.callback(runId, failure)).toEqual({ runId, status: 'failed_terminal' });
    expect(await client.action.notifications('ada', 'world')).toMatchObject({
      items: [{ runId, errorCode: 'TOO_LATE' }],
    });
    await client.action.retry('ada', 'world', runId);
    await runThat('processing');
    expect(await client.action.giveUp('ada', 'world', runId)).toMatchObject({ lastErrorCode: 'GIVEN_UP' });
    await client.action.retry('ada', 'world', runId);
    await runThat('processing');
    expect(await client.action.callback(runId, { status: 'success' })).toEqual({ runId, status: 'succeeded' });
    await expect(client.action.callback(runId, failure)).rejects.toMatchObject({ code: 'CONFLICT' });
    const { items } = await client.action.attempts('ada', 'world', runId);
    expect(items).toMatchObject([
      { attempt: 1, outcome: 'accepted', httpStatus: 202 },
      { attempt: 2, outcome: 'accepted', httpStatus: 202 },
      { attempt: 3, outcome: 'accepted', httpStatus: 202 },
    ]);
    const forged = new CairnClient({ url, token, trace: 'forged' });
    await expect(add('c', forged)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});
