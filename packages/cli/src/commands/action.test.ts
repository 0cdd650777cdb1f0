import { describe, expect, it, vi } from 'vitest';
import { openRepository } from '../../../../test/support/cli.ts';
import { PATIENCE_MS } from '../../../../test/support/patience.ts';
import { startReceiver, withStatus } from '../../../../test/support/receiver.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

interface Runs {
  readonly items: { readonly runId: string; readonly status: string }[];
}

describe.each(UPPER_ENGINES)('cairn action on %s', (engine) => {
  it('lists runs, attempts and notifications, and has a run that failed delivered again', async () => {
    const receiver = await startReceiver(withStatus(400, {}, 'No such thing'));
    const { json, run } = await openRepository(engine, { CAIRN_OUTBOUND_ALLOW: receiver.address });
    await json('shape', 'create', 'Signal', '--fields', '{}');
    await json('sub', 'create', 'signals', '--shape', 'Signal', '--webhook-url', receiver.url);
    await json('commit', 'submit', '--add', 'Signal/a', '--data', '{}');
    const runsThat = (status: string) =>
      vi.waitFor(
        async () => {
          const list = [
            'action',
            'runs',
            '--subscription',
            'signals',
            '--status',
            status,
            '--since',
            '2',
            '--after',
            '1h',
          ];
          const { items } = (await json(...list)) as Runs;
          expect(items).toHaveLength(1);
          return items;
        },
        { timeout: PATIENCE_MS, interval: 100 },
      );
    const [failed] = await runsThat('failed_terminal');
    const runId = failed?.runId ?? '';
    expect(failed).toMatchObject({ lastErrorCode: 'HTTP_400', attemptCount: 1 });
    expect(await json('action', 'attempts', runId)).toMatchObject({
      items: [{ attempt: 1, target: 'webhook', outcome: 'failed', httpStatus: 400, responseSnippet: 'No such thing' }],
    });
    const notifications = await json('action', 'notifications', '--after', '1h');
    expect(notifications).toMatchObject({ items: [{ runId, status: 'failed_terminal', errorCode: 'HTTP_400' }] });
    for (const args of [['runs'], ['runs', '--all'], ['attempts', runId], ['notifications']]) {
      expect((await run(['action', ...args])).stdout).toContain('HTTP_400');
    }
    receiver.answer(withStatus(200));
    expect(await json('action', 'retry', runId)).toMatchObject({ runId });
    await runsThat('succeeded');
    expect((await run(['action', 'retry', runId])).code).toBe(5);
    expect((await run(['action', 'runs', '--after', '2999-01-01'])).stdout).toBe('');
    expect((await run(['action', 'give-up', runId])).code).toBe(5);
    expect(await json('action', 'notifications')).toMatchObject({ items: [{ runId, runStatus: 'succeeded' }] });
    expect(await json('action', 'runs', '--org', 'ada')).toMatchObject({ items: [] });
  });
});
