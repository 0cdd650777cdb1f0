import { describe, expect, it } from 'vitest';
import { openRepository } from '../../../../test/support/cli.ts';
import { startProxy } from '../../../../test/support/proxy.ts';
import { startReceiver, withStatus } from '../../../../test/support/receiver.ts';
import { startCairn } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

async function openLog(engine: (typeof UPPER_ENGINES)[number]) {
  const receiver = await startReceiver();
  // Enough attempts that even a slow command sees a run wait for the next one.
  const CAIRN_WEBHOOK_RETRY_SECONDS = Array(10).fill('2').join();
  const settings = { CAIRN_OUTBOUND_ALLOW: receiver.address, CAIRN_WEBHOOK_RETRY_SECONDS };
  const repository = await openRepository(engine, settings);
  await repository.json('shape', 'create', 'Signal', '--fields', '{}');
  await repository.json('sub', 'create', 'signals', '--shape', 'Signal', '--webhook-url', receiver.url);
  const add = (name: string) => repository.json('commit', 'submit', '--add', `Signal/${name}`, '--data', '{}');
  const follow = (environment: Record<string, string>, ...args: string[]) =>
    startCairn(['sub', 'log', 'signals', '--live', ...args], environment);
  return { ...repository, receiver, add, follow };
}

const count = (text: string, part: RegExp) => [...text.matchAll(new RegExp(part, 'g'))].length;

describe.each(UPPER_ENGINES)('cairn subscription log on %s', (engine) => {
  it('shows each run as it comes and changes, also after the connection was cut', async () => {
    const { environment, receiver, add, follow } = await openLog(engine);
    await add('a');
    const proxy = await startProxy(environment.CAIRN_URL, {});
    const live = follow({ ...environment, CAIRN_URL: proxy.url });
    await live.printed(/ succeeded .*commit 2 .*attempt 1 of 11 .*run_\w+/);
    receiver.answer(withStatus(500, {}, 'Not now'));
    await add('b');
    await live.printed(/retry_wait .*commit 3 .*HTTP_500/);
    receiver.answer(withStatus(200));
    await live.printed(/succeeded .*commit 3 /);
    proxy.cut();
    await add('c');
    await live.printed(/succeeded .*commit 4 /);
    expect(count(live.output(), /succeeded .*commit 2 /)).toBe(1);
  });

  it('shows in lines of JSON what the list answers, from the newest runs on', async () => {
    const { environment, json, run, add, follow } = await openLog(engine);
    for (const name of ['a', 'b', 'c']) await add(name);
    const live = follow(environment, '--limit', '1', '--format', 'jsonl');
    await live.printed(/"repoSeq":4/);
    await add('d');
    await live.printed(/"status":"succeeded".*"repoSeq":5.*\n/);
    const shown = live
      .output()
      .split('\n')
      .flatMap((line) => (line.endsWith('}') ? [JSON.parse(line)] : []));
    expect(shown.filter(({ repoSeq }) => repoSeq < 4)).toEqual([]);
    const { items } = (await json('sub', 'log', 'signals', '--all')) as { items: { repoSeq: number }[] };
    expect(items.map(({ repoSeq }) => repoSeq)).toEqual([5, 4, 3, 2]);
    expect(items[0]).toEqual(shown.findLast(({ repoSeq }) => repoSeq === 5));
    expect((await run(['sub', 'log', 'signals', '--status', 'dead_letter'])).stdout).toBe('');
    await json('sub', 'delete', 'signals', '--yes');
    expect((await run(['sub', 'log', 'signals'])).stdout).toContain('succeeded');
  });
});
