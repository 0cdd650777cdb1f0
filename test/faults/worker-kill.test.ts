// Processes of one server are killed at random while clients write and read. Every write that was acknowledged stays, none
// is there twice, and every answer is the right one or says to try again. How soon the server is back is printed.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../packages/server/src/store/store.ts';
import { descendants } from '../support/process-tree.ts';
import { Random } from '../support/random.ts';
import { TEST_SEED } from '../support/seed.ts';
import { createOwnerToken, settingsOf, startServerProcess, type TestProcess } from '../support/server.ts';
import { ENGINES, testLocation } from '../support/store.ts';
import { verifyRepository } from '../support/verify.ts';

const KILLS = Number(process.env.CAIRN_TEST_WORKER_KILLS ?? 6);
const WRITERS = 4;
const READERS = 4;
/** On average. The process that stands ready for the next one needs a second or two to get there. */
const BETWEEN_KILLS_MS = Number(process.env.CAIRN_TEST_WORKER_KILL_EVERY_MS ?? 1_000);
const TRY_AGAIN_MS = 20;

const REPO = { orgName: 'ada', repoName: 'world' };

interface Answer {
  readonly status: number;
  readonly body: { result?: { data: Record<string, unknown> }; error?: { data: { code: string } } };
}

/** Clients of the server, each request on its own: they try again by themselves, and count what went wrong. */
class Load {
  /** By name, the sequence that the write was told. */
  readonly acknowledged = new Map<string, number>();
  readonly wrong: string[] = [];
  readonly random = new Random(TEST_SEED);
  going = true;
  /** When requests of each kind last went well, and the longest time without since somebody looked. */
  readonly lastAt = { write: performance.now(), read: performance.now() };
  readonly longestMs = { write: 0, read: 0 };
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  async write(writer: number): Promise<void> {
    for (let n = 0; this.going; n++) {
      const name = `Step/${writer}-${n}`;
      const operations = [{ operation: 'add', name, data: { n } }];
      const input = { ...REPO, submissionId: randomUUID(), operations };
      const data = await this.#ask('write', 'commit.submit', input);
      const repoSeq = Number(data.repoSeq);
      if (!Number.isSafeInteger(repoSeq)) this.wrong.push(`${name} was told ${JSON.stringify(data)}`);
      this.acknowledged.set(name, repoSeq);
    }
  }

  async read(): Promise<void> {
    while (this.going) {
      const names = [...this.acknowledged.keys()];
      if (names.length === 0) {
        await pause(TRY_AGAIN_MS);
        continue;
      }
      const name = this.random.pick(names);
      const data = await this.#ask('read', 'thing.get', { ...REPO, wref: name });
      const n = Number(name.split('-')[1]);
      if (data.name !== name || (data.data as { n: number }).n !== n) {
        this.wrong.push(`${name} was read as ${JSON.stringify(data)}`);
      }
    }
  }

  async #ask(kind: 'write' | 'read', procedure: string, input: object): Promise<Record<string, unknown>> {
    for (;;) {
      const answer = await this.#send(procedure, input).catch(() => undefined);
      const data = answer?.body.result?.data;
      if (answer?.status === 200 && data !== undefined) {
        const now = performance.now();
        this.longestMs[kind] = Math.max(this.longestMs[kind], now - this.lastAt[kind]);
        this.lastAt[kind] = now;
        return data;
      }
      // A connection that was cut, or 503: try again. Nothing else is right.
      if (answer !== undefined && answer.status !== 503) {
        this.wrong.push(`${procedure} ${JSON.stringify(input)} was answered ${JSON.stringify(answer)}`);
        return {};
      }
      await pause(TRY_AGAIN_MS);
    }
  }

  async #send(procedure: string, input: object): Promise<Answer> {
    const answer = await fetch(`${this.#url}/trpc/${procedure}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      body: JSON.stringify(input),
    });
    return { status: answer.status, body: (await answer.json()) as Answer['body'] };
  }
}

const inOrder = (a: string, b: string) => (a < b ? -1 : 1);

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
    await store.write('createRepository', { orgName: 'ada', name: 'world', ...rest });
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
    const again = await openStore(location);
    try {
      const rows = await again.database.query<{ name: string; n: number }>(
        `select 'Step/' || record.name as name, count(*) as n from record join version
         on version.repo_id = record.repo_id and version.record_id = record.record_id
         where record.kind = 'thing' group by record.name`,
      );
      expect(rows.filter(({ n }) => Number(n) !== 1)).toEqual([]);
      expect(rows.map(({ name }) => name).toSorted(inOrder)).toEqual([...acknowledged.keys()].toSorted(inOrder));
      const [repository] = await again.database.query<{ id: number }>('select id from repository');
      const sequences = [...acknowledged.values()];
      expect(new Set(sequences).size).toBe(sequences.length);
      expect(await verifyRepository(again, repository?.id ?? 0)).toEqual([]);
    } finally {
      await again.close();
    }
  });
});
