// Processes of one server are killed at random while clients write and read. Every write that was acknowledged stays, none
// is there twice, and every answer is the right one or says to try again. How soon the server is back is printed.
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../packages/server/src/store.ts';
import { descendants } from '../support/process-tree.ts';
import { createOwnerToken, settingsOf, startServerProcess, type TestProcess } from '../support/server.ts';
import { ENGINES, testLocation } from '../support/store.ts';
import { amount } from '../support/suite.ts';
import { expectAllThere } from './acknowledged.ts';
import { Load, REPO } from './load.ts';

const KILLS = amount('WORKER_KILLS', { short: 2, long: 75 });
const WRITERS = 4;
const READERS = 4;
/** On average. The process that stands ready for the next one needs a second or two to get there. */
const BETWEEN_KILLS_MS = amount('WORKER_KILL_EVERY_MS', { short: 1_000, long: 4_000 });

async function killOften({ child }: TestProcess, load: Load): Promise<void> {
  for (let killed = 0; killed < KILLS; killed++) {
    await pause(BETWEEN_KILLS_MS / 2 + load.random.below(BETWEEN_KILLS_MS));
    process.kill(load.random.pick(descendants(child.pid)), 'SIGKILL');
  }
}

describe.each(ENGINES)('kill -9 of processes of one server on %s', (engine) => {
  const options = { timeout: 120_000 + KILLS * (BETWEEN_KILLS_MS + 5_000) };
  it(`loses no acknowledged write and answers nothing wrongly, in ${KILLS} kills`, options, async () => {
    const location = await testLocation(engine);
    const store = await openStore(location);
    const token = await createOwnerToken(store);
    const rest = { displayName: 'world', description: '', visibility: 'private' } as const;
    await store.write.createRepository({ orgName: 'ada', name: 'world', ...rest });
    await store.close();
    const settings = { PORT: '0', CAIRN_WORKERS: '2', CAIRN_LOG_LEVEL: 'silent', ...settingsOf(location) };
    const server = startServerProcess(settings);
    const [, url = ''] = await server.printed(/Cairn \S+ is at (\S+) /);
    const body = JSON.stringify({ ...REPO, name: 'Step', fields: { n: 'number' } });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    expect((await fetch(`${url}/trpc/shape.create`, { method: 'POST', headers, body })).status).toBe(200);
    const load = new Load(url, token);
    const clients = [
      ...Array.from({ length: WRITERS }, (_, writer) => load.write(writer)),
      ...Array.from({ length: READERS }, () => load.read()),
    ];
    await killOften(server, load);
    load.going = false;
    await Promise.all(clients);
    const { acknowledged, wrong, longestMs } = load;
    const seconds = (ms: number) => (ms / 1_000).toFixed(2);
    console.log(
      `${engine}: ${acknowledged.size} writes; longest without an answered write ${seconds(longestMs.write)} s, read ${seconds(longestMs.read)} s`,
    );
    expect(wrong).toEqual([]);
    server.child.kill('SIGTERM');
    expect(await server.ended()).toEqual({ code: 0, signal: null });
    await expectAllThere(location, acknowledged);
  });
});
