// The server is killed repeatedly while clients make matching commits and it delivers them to a receiver. At the end
// every commit has exactly one run of each subscription. Every run has ended, and the receiver has had each of them at
// least once. `CAIRN_TEST_ACTION_COMMITS` and `CAIRN_TEST_ACTION_KILLS` make it longer: the full run is 20,000 commits
// and 20 kills.
import { setTimeout } from 'node:timers/promises';
import { type ProcedureName, QUERIES } from '@cairn/protocol/procedure-kinds';
import type { ProcedureInput, ProcedureOutput } from '@cairn/protocol/procedures';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../packages/server/src/store.ts';
import { Random } from '../support/random.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { TEST_SEED } from '../support/seed.ts';
import { createOwnerToken, settingsOf, startServerProcess, type TestProcess } from '../support/server.ts';
import { ENGINES, testLocation } from '../support/store.ts';
import { amount } from '../support/suite.ts';

const COMMITS = amount('ACTION_COMMITS', { short: 100, long: 20_000 });
const KILL_COUNT = amount('ACTION_KILLS', { short: 2, long: 20 });
const WRITERS = 8;
const SUBSCRIPTIONS = ['first', 'second'];
const REPO = ['ada', 'world'] as const;
const DELAY_MS_MAX = 50;
const TIMEOUT_MS = 120_000 + 30_000 * KILL_COUNT + 40 * COMMITS;

describe.each(ENGINES)('kill -9 of a server on %s that delivers', (engine) => {
  it(`loses no run: ${COMMITS} commits, ${KILL_COUNT} kills`, { timeout: TIMEOUT_MS }, async () => {
    const location = await testLocation(engine);
    const store = await openStore(location);
    const token = await createOwnerToken(store);
    await store.close();
    const receiver = await startReceiver();
    const rig = new Rig({ settings: { ...settingsOf(location), ...settingsFor(receiver) }, token });
    await rig.start();
    await prepare(rig, receiver);
    const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => rig.write(writer)));
    const random = new Random(TEST_SEED);
    const offsets = Array.from({ length: KILL_COUNT }, () => random.below(Math.floor(COMMITS * 0.9)));
    for (const offset of offsets.sort((a, b) => a - b)) {
      while (rig.committed < offset) await setTimeout(5);
      await setTimeout(random.below(DELAY_MS_MAX));
      await rig.killAndStart();
    }
    await writing;
    const open = () => openRuns(rig);
    await expect.poll(open, { timeout: TIMEOUT_MS, interval: 500 }).toEqual({});
    await rig.stop();
    await expectRuns(location, receiver);
  });
});

/** Interrupted attempts count, and every kill may hit the same run. */
function settingsFor({ address }: Receiver): Record<string, string> {
  const retries = Array.from({ length: KILL_COUNT + 3 }, () => '0').join(',');
  return { CAIRN_OUTBOUND_ALLOW: address, CAIRN_WEBHOOK_RETRY_SECONDS: retries };
}

async function prepare(rig: Rig, { url }: Receiver): Promise<void> {
  const [orgName, repoName] = REPO;
  await rig.call('repo.create', { orgName, name: repoName });
  const operations = [{ kind: 'shape', name: 'Item', data: { fields: { n: 'number' } } }];
  await rig.call('commit.submit', { orgName, repoName, operations });
  for (const name of SUBSCRIPTIONS) {
    const form = { orgName, repoName, name, filter: { shape: 'Item' }, webhookUrl: `${url}/${name}` };
    await rig.call('subscription.create', form);
  }
}

const byText = (a: string, b: string) => (a < b ? -1 : Number(a > b));

const OPEN = ['pending', 'running', 'processing', 'retry_wait'] as const;

async function openRuns(rig: Rig): Promise<Record<string, number>> {
  const [orgName, repoName] = REPO;
  const found: Record<string, number> = {};
  for (const status of OPEN) {
    const { items } = await rig.call('action.runs', { orgName, repoName, status, limit: 1 });
    if (items.length > 0) found[status] = items.length;
  }
  return found;
}

interface RunRow {
  readonly run_id: string;
  readonly subscription_name: string;
  readonly repo_seq: number;
  readonly status: string;
}

async function expectRuns(location: Parameters<typeof openStore>[0], receiver: Receiver): Promise<void> {
  const store = await openStore(location);
  const [{ last = 0 } = {}] = await store.database.query<{ last: number }>(
    'select max(repo_seq) as last from "commit"',
  );
  const rows = await store.database.query<RunRow>('select run_id, subscription_name, repo_seq, status from run');
  await store.close();
  // The first commit made the shape, before any subscription existed. A commit whose answer was lost was still made.
  expect(last).toBeGreaterThanOrEqual(COMMITS + 1);
  const expected = Array.from({ length: last - 1 }, (_, n) => SUBSCRIPTIONS.map((name) => `${name} ${n + 2}`)).flat();
  expect(rows.map((row) => `${row.subscription_name} ${row.repo_seq}`).sort(byText)).toEqual(expected.sort(byText));
  expect([...new Set(rows.map(({ status }) => status))]).toEqual(['succeeded']);
  const told = receiver.received.map(({ headers, body, path }) => `${headers['webhook-id']} ${path} ${body.repoSeq}`);
  const due = rows.map((row) => `${row.run_id} /${row.subscription_name} ${row.repo_seq}`);
  expect([...new Set(told)].sort(byText)).toEqual(due.sort(byText));
}

class Rig {
  readonly #options: { readonly settings: Record<string, string>; readonly token: string };
  #server: TestProcess | undefined;
  #url = '';
  committed = 0;

  constructor(options: { settings: Record<string, string>; token: string }) {
    this.#options = options;
  }

  async call<Name extends ProcedureName>(name: Name, input: ProcedureInput<Name>): Promise<ProcedureOutput<Name>> {
    const headers = { authorization: `Bearer ${this.#options.token}`, 'content-type': 'application/json' };
    const text = JSON.stringify(input);
    const answer = await (QUERIES.has(name)
      ? fetch(`${this.#url}/trpc/${name}?input=${encodeURIComponent(text)}`, { headers })
      : fetch(`${this.#url}/trpc/${name}`, { method: 'POST', headers, body: text }));
    const { error, result } = (await answer.json()) as {
      error?: { data: { cairn: { code: string } } };
      result: { data: ProcedureOutput<Name> };
    };
    if (error !== undefined) throw Object.assign(new Error(name), { code: error.data.cairn.code });
    return result.data;
  }

  async start(): Promise<void> {
    const environment = { PORT: '0', CAIRN_LOG_LEVEL: 'silent', ...this.#options.settings };
    this.#server = startServerProcess(environment);
    const [, url = ''] = await this.#server.printed(/is at (\S+) /);
    this.#url = url;
  }

  async killAndStart(): Promise<void> {
    this.#server?.child.kill('SIGKILL');
    await this.#server?.ended();
    await this.start();
  }

  async stop(): Promise<void> {
    this.#server?.child.kill('SIGTERM');
    await this.#server?.ended();
  }

  /** Writes this writer's share of the commits. A commit refused as a duplicate was made earlier, so it counts too. */
  async write(writer: number): Promise<void> {
    const [orgName, repoName] = REPO;
    for (let n = writer; n < COMMITS; n += WRITERS) {
      const operations = [{ name: `Item/${n}`, data: { n } }];
      while (!(await this.#tried(() => this.call('commit.submit', { orgName, repoName, operations })))) {
        await setTimeout(20);
      }
      this.committed++;
    }
  }

  async #tried(call: () => Promise<unknown>): Promise<boolean> {
    try {
      await call();
      return true;
    } catch (error) {
      return (error as { code?: string }).code === 'ALREADY_EXISTS';
    }
  }
}
