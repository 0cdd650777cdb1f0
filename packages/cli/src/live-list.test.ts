import { describe, expect, it } from 'vitest';
import { openRepository, runCairn } from '../../../test/support/cli.ts';
import { startProxy } from '../../../test/support/proxy.ts';
import { startCairn } from '../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../test/support/store.ts';

async function openRooms(engine: (typeof UPPER_ENGINES)[number]) {
  const repository = await openRepository(engine);
  await repository.json('shape', 'create', 'Room', '--fields', '{}');
  const add = (name: string) => repository.json('commit', 'submit', '--add', `Room/${name}`, '--data', '{"x":1}');
  await add('first');
  const follow = (environment: Record<string, string>, ...args: string[]) =>
    startCairn([...args, '--live'], environment);
  return { ...repository, add, follow };
}

const count = (text: string, part: string) => text.split(part).length - 1;

describe.each(UPPER_ENGINES)('--live on %s', (engine) => {
  it('shows in lines what is new or has changed, also after the connection was cut', async () => {
    const { environment, add, json, follow } = await openRooms(engine);
    const proxy = await startProxy(environment.CAIRN_URL, {});
    const through = { ...environment, CAIRN_URL: proxy.url };
    const live = follow(through, 'thing', 'list', '--shape', 'Room', '--format', 'jsonl');
    await live.printed(/Room\/first/);
    await add('second');
    await live.printed(/Room\/second/);
    proxy.cut();
    await add('third');
    await live.printed(/Room\/third/);
    await json('commit', 'submit', '--revise', 'Room/first', '--data', '{"x":2}');
    await live.printed(/"x":2/);
    expect(count(live.output(), '"wref":"Room/second"')).toBe(1);
    expect(count(live.output(), '"wref":"Room/first"')).toBe(2);
  });

  it('shows the whole list again when it has changed, and only then', async () => {
    const { environment, add, json, follow } = await openRooms(engine);
    const live = follow(environment, 'thing', 'query', '--shape', 'Room');
    await live.printed(/Room\/first/);
    await json('shape', 'create', 'Other', '--fields', '{}');
    await json('commit', 'submit', '--add', 'Other/a', '--data', '{}');
    await add('second');
    await live.printed(/Room\/second/);
    expect(count(live.output(), 'Room/first')).toBe(2);
    expect(live.output()).not.toContain('Other');
  });

  it('follows a search until its index has read what changed', async () => {
    const { environment, add, follow } = await openRooms(engine);
    const live = follow(environment, 'thing', 'search', 'room', '--format', 'jsonl');
    await live.printed(/Room\/first/);
    await add('second');
    await live.printed(/Room\/second/);
  });

  it('draws over the list on a terminal, and ends when the right to read does', async () => {
    const { environment, client, add } = await openRooms(engine);
    const scopes = [{ resource: 'ada/world', permissions: ['repo:read' as const] }];
    const { token } = await client.token.create('watcher', { scopes });
    let stdout = '';
    const running = runCairn(['--live', 'thing', 'list', '--shape', 'Room'], {
      stdout: (text) => {
        stdout += text;
      },
      stdoutIsTerminal: true,
      environment: { ...environment, CAIRN_TOKEN: token },
    });
    await expect.poll(() => stdout.includes('Room/first')).toBe(true);
    await add('second');
    await expect.poll(() => stdout.includes('Room/second')).toBe(true);
    expect(count(stdout, '\u001B[H\u001B[2J')).toBe(2);
    await client.token.revoke('watcher');
    await add('third');
    expect(await running).toMatchObject({ code: 3, stderr: expect.stringContaining('UNAUTHENTICATED') });
  });

  it('is refused where there is nothing to follow', async () => {
    const { run } = await openRooms(engine);
    for (const args of [
      ['org', 'list'],
      ['thing', 'count'],
      ['thing', 'list', '--at', '1'],
      ['thing', 'query', '--count'],
    ]) {
      expect(await run([...args, '--live'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--live') });
    }
    expect((await run(['thing', 'list', '--where', 'x:gte:1', '--live'])).code).toBe(2);
    expect((await run(['thing', 'list', '--repo', 'ada/none', '--live'])).code).toBe(4);
  });
});
