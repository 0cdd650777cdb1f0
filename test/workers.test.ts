// One server of several processes: to clients it is as one, and it goes on when one of them dies.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CairnClient } from '../packages/sdk/src/index.ts';
import type { Engine } from '../packages/server/src/engine/database.ts';
import { openStore } from '../packages/server/src/store.ts';
import { descendants, isRunning } from './support/process-tree.ts';
import { createOwnerToken, settingsOf, startServerProcess, type TestProcess } from './support/server.ts';
import { testLocation, UPPER_ENGINES } from './support/store.ts';

const WORKERS = 2;
const METRICS_TOKEN = 'the metrics of this test, which nobody else reads';

function serve(environment: Record<string, string>): TestProcess {
  const settings = { PORT: '0', CAIRN_WORKERS: String(WORKERS), CAIRN_METRICS_TOKEN: METRICS_TOKEN, ...environment };
  return startServerProcess(settings);
}

async function urlOf(server: TestProcess): Promise<string> {
  return (await server.printed(/Cairn \S+ is at (\S+) /))[1] ?? '';
}

async function openServer(engine: Engine, settings: Record<string, string> = {}) {
  const location = await testLocation(engine);
  const store = await openStore(location);
  const token = await createOwnerToken(store);
  await store.close();
  const server = serve({ ...settingsOf(location), ...settings });
  const url = await urlOf(server);
  const client = new CairnClient({ url, token, retry: { tries: 100, pauseMs: 50 } });
  await client.repo.create('ada', 'world');
  await client.shape.create('ada', 'world', 'Step', { fields: { n: 'number' } });
  return { server, url, client, repo: client.repo('ada/world'), token };
}

/** The writer, the workers, and one that waits to take the place of another. */
const PROCESSES = WORKERS + 2;

/** The writer is started first, and has the lowest number. */
const processesOf = ({ child }: TestProcess) => descendants(child.pid).sort((a, b) => a - b);

async function metricsOf(url: string): Promise<string> {
  return await (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })).text();
}

/** A write that never ends, on a connection that a worker has. */
async function beginRequest(url: string, token: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  socket.write('GET /health/live HTTP/1.1\r\nhost: a\r\n\r\n');
  await once(socket, 'data');
  const fields = ['host: a', `authorization: Bearer ${token}`, 'content-type: application/json', 'content-length: 9'];
  socket.write(`POST /trpc/org.create HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n{`);
}

const figure = (metrics: string, name: string) =>
  Number(
    metrics
      .split('\n')
      .find((line) => line.startsWith(name))
      ?.split(' ')[1],
  );

describe.each(UPPER_ENGINES)('a server of several processes on %s', (engine) => {
  it('is one to its clients: what one process writes, all read and hear of, and figures are those of all', async () => {
    const { server, url, repo } = await openServer(engine);
    await expect.poll(() => processesOf(server)).toHaveLength(PROCESSES);
    const heard: number[] = [];
    const streams = Array.from({ length: 4 }, () =>
      repo.live(({ repoSeq }) => {
        heard.push(repoSeq);
      }),
    );
    onTestFinished(() => {
      for (const stream of streams) stream.close();
    });
    const before = figure(await metricsOf(url), 'cairn_live_streams{counted="open"}');
    expect(before).toBeLessThanOrEqual(4);
    await expect.poll(async () => figure(await metricsOf(url), 'cairn_live_streams{counted="open"}')).toBe(4);
    // Each request on a connection of its own, so that they come to different processes.
    const written = await Promise.all(
      Array.from({ length: 40 }, (_, n) => repo.commit('step').add(`Step/${n}`, { n }).submit()),
    );
    const last = Math.max(...written.map(({ repoSeq }) => repoSeq));
    expect(new Set(written.map(({ repoSeq }) => repoSeq)).size).toBe(40);
    const reads = await Promise.all(Array.from({ length: 20 }, () => repo.things.count({ shape: 'Step' })));
    expect(reads.map(({ count }) => count)).toEqual(Array.from({ length: 20 }, () => 40));
    await expect.poll(() => heard.filter((repoSeq) => repoSeq === last)).toHaveLength(4);
    // Those of a process that is late are left out.
    const writesIn = (text: string) => figure(text, 'cairn_store_writes{counted="writes"}');
    await expect.poll(async () => writesIn(await metricsOf(url))).toBeGreaterThanOrEqual(42);
    const metrics = await metricsOf(url);
    const writes = writesIn(metrics);
    if (engine === 'sqlite') {
      // Those that came together to different processes share transactions.
      expect(figure(metrics, 'cairn_store_writes{counted="transactions"}')).toBeLessThan(writes);
    }
  });

  it('ends connections on which no whole request comes', async () => {
    const server = serve({ ...settingsOf(await testLocation(engine)), CAIRN_LIMIT_HEADERS_MS: '500' });
    const { hostname, port } = new URL(await urlOf(server));
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    socket.write('GET / HTTP/1.1\r\nhost: a\r\n');
    const [said] = await once(socket, 'data');
    expect(String(said)).toMatch(/^HTTP\/1.1 408 /);
    await once(socket, 'close');
  });

  it('goes on when a worker dies, and has another soon', async () => {
    const { server, repo } = await openServer(engine);
    const [, victim = 0] = processesOf(server);
    process.kill(victim, 'SIGKILL');
    await repo.commit('after').add('Step/1', { n: 1 }).submit();
    expect(await repo.things.get('Step/1')).toMatchObject({ data: { n: 1 } });
    await expect.poll(() => processesOf(server).filter(isRunning)).toHaveLength(PROCESSES);
    expect(processesOf(server)).not.toContain(victim);
  });

  it('goes on when the writer dies: what was acknowledged is there, and the rest is told to be tried again', async () => {
    const { server, repo } = await openServer(engine);
    const [writer = 0] = processesOf(server);
    const acknowledged: string[] = [];
    let going = true;
    const commitOften = async (name: string) => {
      for (let n = 0; going; n++) {
        const record = `Step/${name}-${n}`;
        await repo.commit('step').add(record, { n }).submit();
        acknowledged.push(record);
      }
    };
    const writers = ['a', 'b', 'c'].map(commitOften);
    await expect.poll(() => acknowledged.length).toBeGreaterThan(10);
    process.kill(writer, 'SIGKILL');
    const then = acknowledged.length;
    await expect.poll(() => acknowledged.length).toBeGreaterThan(then + 10);
    going = false;
    await Promise.all(writers);
    const found = new Set<string>();
    for await (const { name } of repo.things.query({ shape: 'Step' })) found.add(name);
    expect(acknowledged.filter((name) => !found.has(name))).toEqual([]);
    expect(found.size).toBe(acknowledged.length);
  });

  it('ends with all its processes, by a signal and by the loss of the one that started them', async () => {
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const { server, url, token } = await openServer(engine);
      if (signal === 'SIGKILL') await beginRequest(url, token);
      await expect.poll(() => processesOf(server)).toHaveLength(PROCESSES);
      const started = processesOf(server);
      server.child.kill(signal);
      const ended = signal === 'SIGTERM' ? { code: 0, signal: null } : { code: null, signal };
      expect(await server.ended()).toEqual(ended);
      await expect.poll(() => started.filter(isRunning)).toEqual([]);
    }
  });
});

describe('a server that is stopped', () => {
  it.each([1, 2])('logs no error, whatever is under way in %i workers', async (workers) => {
    const { server, url, token, client } = await openServer('sqlite', { CAIRN_WORKERS: String(workers) });
    const repo = new CairnClient({ url, token, retry: { tries: 0 } }).repo('ada/world');
    const live = client.repo.live('ada', 'world', () => {});
    onTestFinished(() => live.close());
    let count = 0;
    const write = async () => {
      for (;;) await repo.commit('step').add(`Step/${++count}`, { n: count }).submit();
    };
    const writers = Promise.allSettled([write(), write()]);
    await expect.poll(() => count).toBeGreaterThan(10);
    // systemd sends its signal to all processes of a service.
    for (const pid of [server.child.pid ?? 0, ...processesOf(server)]) process.kill(pid, 'SIGTERM');
    expect((await server.ended()).code).toBe(0);
    live.close();
    expect(server.output()).not.toMatch(/"level":[56]0|"stack"|^ +at /m);
    await writers;
  });
});

describe('a server of several processes', () => {
  it('says once why it cannot start, and leaves nothing behind', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void taken.close());
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const settings = settingsOf(await testLocation('sqlite'));
    const server = serve({ ...settings, PORT: String(port) });
    expect(await server.ended()).toEqual({ code: 1, signal: null });
    expect(server.output().match(/Cairn cannot start/g)).toHaveLength(1);
    expect(server.output()).toContain(`the port ${port} is in use`);
    const wrong = serve({ ...settings, CAIRN_WORKERS: '-1' });
    expect(await wrong.ended()).toEqual({ code: 2, signal: null });
    expect(wrong.output()).toContain('CAIRN_WORKERS');
  });

  it('prints its log in lines that say which process wrote them', async () => {
    const server = serve(settingsOf(await testLocation('sqlite')));
    const url = await urlOf(server);
    await fetch(`${url}/health/live`);
    await fetch(`${url}/nothing`);
    await expect
      .poll(() =>
        server
          .output()
          .split('\n')
          .filter((line) => line.startsWith('{'))
          .map((line) => JSON.parse(line)),
      )
      .toContainEqual(expect.objectContaining({ process: 'worker', pid: expect.any(Number) }));
  });
});
