// The number of our files that a request passes through. Each file costs time to run and time to read.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { openStore } from '../packages/server/src/store.ts';
import { PATIENCE_MS } from './support/patience.ts';
import { createOwnerToken, ROOT, settingsOf } from './support/server.ts';
import { testLocation } from './support/store.ts';

const BUDGETS = { 'point read by name': 13, 'page of a list': 33, 'commit.submit': 25, 'call of an MCP tool': 24 };

const WORLD = { orgName: 'ada', repoName: 'world' };
/** Background jobs that run after each commit and do not delay it. */
const BACKGROUND = /(\.job|\/delivery-queue\.sql)\.ts$/;
/** A function that is called less often than once per request is not part of the path. */
const REQUESTS = 20;
const SETTLED_MS = 1_000;

interface Answer {
  readonly id: number;
  readonly threadId: number;
  readonly calls: [file: string, most: number][];
}

it('a request passes through few files', async () => {
  const location = await testLocation('sqlite');
  const store = await openStore(location);
  const token = await createOwnerToken(store);
  await store.close();
  const script = join(ROOT, 'packages/server/src/main.ts');
  const server = fork(join(ROOT, 'run.mjs'), [script], {
    execArgv: ['--import', join(import.meta.dirname, 'support/called-files.mjs')],
    env: { ...process.env, ...settingsOf(location), PORT: '0', CAIRN_LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  onTestFinished(async () => {
    server.kill('SIGKILL');
    await once(server, 'exit');
  });
  let output = '';
  for (const stream of [server.stdout, server.stderr]) stream?.on('data', (text: Buffer) => (output += text));
  await expect.poll(() => /is at (\S+) /.exec(output)?.[1], { timeout: 60_000 }).toBeDefined();
  const url = /is at (\S+) /.exec(output)?.[1] ?? '';

  const answers: Answer[] = [];
  server.on('message', (answer: Answer) => answers.push(answer));
  let asked = 0;
  const take = async () => {
    const id = ++asked;
    server.send(id);
    const threads = new Set(answers.map(({ threadId }) => threadId));
    await pause(SETTLED_MS);
    const found = () => answers.filter((answer) => answer.id === id);
    await expect.poll(() => found().length, { timeout: PATIENCE_MS }).toBeGreaterThanOrEqual(threads.size);
    const most = new Map<string, number>();
    const onPath = found().filter(({ calls }) => !calls.some(([file]) => file.endsWith('/search-thread.ts')));
    for (const [file, count] of onPath.flatMap(({ calls }) => calls))
      most.set(file, Math.max(most.get(file) ?? 0, count));
    return most;
  };
  const send = async (path: string, body?: object) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
    const answer = await fetch(`${url}${path}`, init);
    const text = await answer.text();
    expect([path, answer.status]).toEqual([path, 200]);
    expect(text).not.toContain('"isError":true');
  };
  const procedure = (name: string, input: object) => send(`/trpc/${name}`, input);
  const tool = (name: string, input: object) =>
    send('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } });
  const requests: Record<keyof typeof BUDGETS, (n: number) => Promise<void>> = {
    'point read by name': () => send('/api/repos/ada/world/head?match=Place/first'),
    'page of a list': () => send('/api/repos/ada/world/head?shape=Place&limit=50'),
    'commit.submit': (n) => {
      const operations = [{ name: `Place/${n}`, data: { n } }];
      return procedure('commit.submit', { ...WORLD, operations });
    },
    'call of an MCP tool': () => tool('thing_get', { ...WORLD, wref: 'Place/first' }),
  };
  await procedure('repo.create', { orgName: 'ada', name: 'world' });
  await procedure('shape.create', { ...WORLD, name: 'Place', fields: { n: 'number' } });
  await procedure('commit.submit', { ...WORLD, operations: [{ name: 'Place/first', data: { n: 1 } }] });

  const over: Record<string, readonly string[]> = {};
  for (const [name, request] of Object.entries(requests)) {
    // A first request loads and caches modules, which must not count.
    await request(1_000);
    await take();
    for (let n = 0; n < REQUESTS; n++) await request(n);
    const called = [...(await take())].filter(([, count]) => count >= REQUESTS).map(([file]) => file);
    const passed = called.filter((file) => file.includes('/packages/') && !BACKGROUND.test(file));
    console.log(`${name}: ${passed.length} files`);
    expect(passed.length).toBeGreaterThan(10);
    if (passed.length > BUDGETS[name as keyof typeof BUDGETS]) over[name] = passed;
  }
  expect(over).toEqual({});
});
