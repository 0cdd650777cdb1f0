import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { openRepository } from '../../../../test/support/cli.ts';
import { startReceiver, withStatus } from '../../../../test/support/receiver.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

const PRIVATE_PATH = '/hooks/nobody-knows-this';

async function openSignals(engine: (typeof UPPER_ENGINES)[number]) {
  const receiver = await startReceiver();
  const repository = await openRepository(engine, { CAIRN_OUTBOUND_ALLOW: receiver.address });
  await repository.json('shape', 'create', 'Signal', '--fields', '{}');
  const create = (name: string, ...flags: string[]) =>
    repository.json('subscription', 'create', name, '--webhook-url', receiver.url + PRIVATE_PATH, ...flags);
  return { ...repository, receiver, create };
}

describe.each(UPPER_ENGINES)('cairn subscription on %s', (engine) => {
  it(verifies('creates, shows, changes, pauses, resumes and deletes', '4.6/subscriptions-cli'), async () => {
    const { run, json, receiver, create } = await openSignals(engine);
    const made = await create('signals', '--shape', 'Signal', '--operation', 'add', '--operation', 'revise');
    expect(made).toMatchObject({
      name: 'signals',
      filter: { shape: ['Signal'], operation: ['add', 'revise'] },
      webhookOrigin: `${receiver.url}/***`,
      active: true,
    });
    await create('renames', '--event', 'thing.renamed');
    expect(await json('sub', 'list')).toMatchObject({ items: [{ name: 'renames' }, { name: 'signals' }] });
    const people = await run(['sub', 'list']);
    expect(people.stdout).toContain(`${receiver.url}/***`);
    expect(people.stdout).not.toContain(PRIVATE_PATH);
    expect(await json('sub', 'view', 'signals')).toEqual(made);
    expect(await json('sub', 'pause', 'signals')).toMatchObject({ active: false });
    expect(await json('sub', 'resume', 'signals')).toMatchObject({ active: true });
    expect(await json('sub', 'reveal', 'signals')).toMatchObject({ webhookUrl: receiver.url + PRIVATE_PATH });
    await json('sub', 'delete', 'signals', '--yes');
    expect((await run(['sub', 'view', 'signals'])).code).toBe(4);
    expect((await run(['sub', 'create', 'renames', '--filter', '{}', '--webhook-url', receiver.url])).code).toBe(5);
  });

  it('shows what a filter would have matched', async () => {
    const { run, json } = await openSignals(engine);
    await json('commit', 'submit', '--add', 'Signal/a', '--data', '{}');
    expect(await json('sub', 'preview', '--shape', 'Signal')).toMatchObject({
      items: [
        { matches: true, repoSeq: 2, opIndex: 0, operation: 'add', kind: 'thing', name: 'Signal/a' },
        { matches: false, repoSeq: 1, name: 'Signal' },
      ],
    });
    expect(await json('sub', 'preview', '--kind', 'shape', '--matching')).toMatchObject({
      items: [{ name: 'Signal' }],
    });
    expect((await run(['sub', 'preview', '--event', 'thing.renamed'])).code).toBe(2);
  });

  it('takes a URL from standard input, and changes what is given alone', async () => {
    const { run, json, receiver, create } = await openSignals(engine);
    await create(
      'signals',
      '--filter',
      '{"not":{"kind":"shape"}}',
      '--fallback-webhook-url',
      `${receiver.url}/fallback`,
    );
    const changed = await run(['--json', 'sub', 'update', 'signals', '--webhook-url', '-'], `${receiver.url}/new\n`);
    expect(changed).toMatchObject({ code: 0, stderr: '' });
    expect(await json('sub', 'reveal', 'signals')).toMatchObject({
      webhookUrl: `${receiver.url}/new`,
      fallbackWebhookUrl: `${receiver.url}/fallback`,
    });
    const update = [
      'sub',
      'update',
      'signals',
      '--new-name',
      'all',
      '--no-fallback-webhook-url',
      '--allow-trace-reentry',
    ];
    const updated = await json(...update, '--match', 'Signal/**', '--record', 'Signal/a', '--kind', 'thing');
    expect(updated).toMatchObject({
      name: 'all',
      allowTraceReentry: true,
      filter: { match: ['Signal/**'], name: ['Signal/a'], kind: ['thing'] },
    });
    expect(updated).not.toHaveProperty('fallbackWebhookOrigin');
    expect(await json('sub', 'update', 'all', '--no-allow-trace-reentry')).toMatchObject({ allowTraceReentry: false });
  });

  it('binds a credential set, and shows how a test delivery was answered', async () => {
    const { run, json, receiver, create } = await openSignals(engine);
    await create('signals', '--shape', 'Signal');
    await json('credential', 'create', 'hooks');
    await run(['credential', 'set', 'hooks', 'WEBHOOK_BEARER_TOKEN'], 'let-me-in');
    expect(await json('sub', 'bind', 'signals', 'hooks')).toMatchObject({ credentialSet: 'hooks' });
    expect(await json('sub', 'test', 'signals')).toMatchObject({ outcome: 'succeeded', httpStatus: 200 });
    expect(receiver.received[0]?.headers.authorization).toBe('Bearer let-me-in');
    expect(await json('sub', 'unbind', 'signals')).not.toHaveProperty('credentialSet');
    receiver.answer(withStatus(403, {}, 'Who are you?'));
    const refused = await run(['sub', 'test', 'signals']);
    expect(refused).toMatchObject({ code: 1, stderr: '' });
    expect(refused.stdout).toMatch(/httpStatus +403\n.*Who are you\?/s);
    expect(receiver.received[1]?.headers.authorization).toBeUndefined();
  });

  it('subscribes an organization to what becomes of its repositories', async () => {
    const { json, create, receiver } = await openSignals(engine);
    const made = await create('repos', '--org', 'ada', '--event', 'repo.created');
    expect(made).toMatchObject({ orgName: 'ada', name: 'repos', event: 'repo.created' });
    expect(await json('sub', 'list', '--org', 'ada')).toMatchObject({ items: [{ name: 'repos' }] });
    expect(await json('sub', 'list')).toMatchObject({ items: [] });
    await json('repo', 'create', 'ada/attic');
    expect(await json('sub', 'log', 'repos', '--org', 'ada')).toMatchObject({
      items: [{ event: 'cairn.repo.created' }],
    });
    expect(receiver.received.every(({ body }) => body.repo === null)).toBe(true);
  });

  it('names the flag where the server refuses what it was given', async () => {
    const { run, receiver } = await openSignals(engine);
    const create = ['sub', 'create', 'x', '--webhook-url'];
    const inside = await run([...create, 'http://169.254.169.254/latest', '--filter', '{}']);
    expect(inside).toMatchObject({ code: 2, stderr: expect.stringContaining('--webhook-url') });
    const unknown = await run([...create, receiver.url, '--shape', 'Nothing']);
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('Nothing') });
    expect((await run(['sub', 'log', 'none'])).code).toBe(4);
    expect((await run(['sub', 'log', 'none', '--live'])).code).toBe(4);
  });
});
