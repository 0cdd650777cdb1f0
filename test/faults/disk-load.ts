// Clients of a server whose disk fails: writers, which never repeat a write, and readers of acknowledged records. Each
// answer to a write says that it was made, that it was not, or that this is unknown. The test compares the store with
// these answers.
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { StoreLocation } from '../../packages/server/src/engine/database.ts';
import type { DiskFault } from '../../packages/server/src/engine/disk-fault.ts';
import { openStore, type Store } from '../../packages/server/src/store.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { Random } from '../support/random.ts';
import { TEST_SEED } from '../support/seed.ts';
import { verifyRepository } from '../support/verify.ts';

const REPO = { orgName: 'ada', repoName: 'world' };
const WRITERS = 6;
const READERS = 3;
const BETWEEN_WRITES_MS = 5;
const TRY_AGAIN_MS = 20;
/** Large enough that a few records need new disk space. */
const FILLING = 'x'.repeat(2_000);

const ENOUGH = 20;
const WAIT = { timeout: PATIENCE_MS, interval: 100 };

const METRICS_TOKEN = 'the metrics of this test, which nobody else reads';
export const SETTINGS = {
  PORT: '0',
  CAIRN_METRICS_TOKEN: METRICS_TOKEN,
  CAIRN_LIMIT_ANONYMOUS_REQUESTS_PER_HOUR: '0',
};

interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly details?: { readonly reason?: string; readonly outcome?: string };
}

interface Answer {
  readonly status: number;
  readonly data: Record<string, unknown> | undefined;
  readonly refusal: Refusal | undefined;
}

export class DiskLoad {
  readonly acknowledged = new Set<string>();
  readonly refused = new Set<string>();
  readonly unknown = new Set<string>();
  readonly reasons = new Set<string>();
  readonly messages = new Set<string>();
  readonly wrong: string[] = [];
  reads = 0;
  readonly #random = new Random(TEST_SEED);
  readonly #token: string;
  readonly #clients: Promise<void>[];
  #url: string;
  #going = true;
  #resting = false;
  #asking = 0;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
    this.#clients = [
      ...Array.from({ length: WRITERS }, (_, writer) => this.#write(writer)),
      ...Array.from({ length: READERS }, () => this.#read()),
    ];
  }

  /** Makes no requests until the test gives the new address of the server. */
  async rest(): Promise<void> {
    this.#resting = true;
    while (this.#asking > 0) await pause(TRY_AGAIN_MS);
  }

  goOn(url: string): void {
    this.#url = url;
    this.#resting = false;
  }

  async stop(): Promise<void> {
    this.#going = false;
    await Promise.all(this.#clients);
  }

  /** Expects that the server accepts writes and reports no fault. */
  async goesWell(): Promise<void> {
    const before = this.acknowledged.size;
    await expect.poll(() => this.acknowledged.size, WAIT).toBeGreaterThan(before + ENOUGH);
    await expect.poll(() => this.#ready(), WAIT).toEqual({ status: 200, writeFault: undefined });
    const faults = async () => Object.values(await this.#faultFigures()).filter((figure) => figure > 0);
    await expect.poll(faults, WAIT).toEqual([]);
  }

  /** Expects that the server refuses writes, reports the reason, and still answers reads. */
  async isRefused(fault: DiskFault): Promise<void> {
    const refusals = () => this.refused.size + this.unknown.size;
    const before = refusals();
    await expect.poll(refusals, WAIT).toBeGreaterThan(before + ENOUGH);
    await expect.poll(() => this.#ready(), WAIT).toEqual({ status: 200, writeFault: fault });
    await expect.poll(async () => (await this.#faultFigures())[fault], WAIT).toBeGreaterThan(0);
    const { reads } = this;
    await expect.poll(() => this.reads, WAIT).toBeGreaterThan(reads + ENOUGH);
    expect(this.wrong).toEqual([]);
  }

  toString(): string {
    const { acknowledged, refused, unknown, reads } = this;
    return `${acknowledged.size} writes acknowledged, ${refused.size} refused, ${unknown.size} unknown, ${reads} reads`;
  }

  async #readOne(name: string): Promise<void> {
    const { status, data } = await this.#ask('thing.get', { ...REPO, wref: name });
    const read = data?.data as { n?: number } | undefined;
    if (status !== 200 || data?.name !== name || read?.n !== Number(name.split('-')[1])) {
      this.wrong.push(`${name} was read as ${status} ${JSON.stringify(data)}`);
    }
    this.reads++;
  }

  async #ready(): Promise<{ status: number; writeFault: unknown }> {
    const answer = await fetch(`${this.#url}/health/ready`);
    const { writeFault } = (await answer.json()) as { writeFault?: unknown };
    return { status: answer.status, writeFault };
  }

  /** The number of processes that cannot write, by fault. */
  async #faultFigures(): Promise<Record<string, number>> {
    const answer = await fetch(`${this.#url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
    const found = (await answer.text()).matchAll(/^cairn_write_faults\{fault="(\w+)"\} (\d+)$/gm);
    return Object.fromEntries([...found].map(([, fault = '', processes]) => [fault, Number(processes)]));
  }

  async #write(writer: number): Promise<void> {
    for (let n = 0; this.#going; n++) {
      await pause(BETWEEN_WRITES_MS);
      if (this.#resting) continue;
      const name = `Step/${writer}-${n}`;
      const operations = [{ operation: 'add', name, data: { n, filling: FILLING } }];
      const answer = await this.#ask('commit.submit', { ...REPO, operations });
      this.#note(name, answer);
      if (answer.status !== 200) await pause(TRY_AGAIN_MS);
    }
  }

  #note(name: string, { status, data, refusal }: Answer): void {
    const reason = refusal?.details?.reason;
    if (status === 200 && Number.isSafeInteger(data?.repoSeq)) this.acknowledged.add(name);
    else if (status === 503 && refusal?.code === 'UNAVAILABLE' && reason !== undefined) {
      this.reasons.add(reason);
      this.messages.add(refusal.message);
      (refusal.details?.outcome === 'unknown' ? this.unknown : this.refused).add(name);
    } else this.wrong.push(`${name} was answered ${status} ${JSON.stringify(data ?? refusal)}`);
  }

  async #read(): Promise<void> {
    while (this.#going) {
      const names = [...this.acknowledged];
      if (names.length === 0 || this.#resting) await pause(TRY_AGAIN_MS);
      else await this.#readOne(this.#random.pick(names));
    }
  }

  async #ask(procedure: string, input: object): Promise<Answer> {
    this.#asking++;
    try {
      const answer = await fetch(`${this.#url}/trpc/${procedure}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
        body: JSON.stringify(input),
        signal: AbortSignal.timeout(WAIT.timeout),
      });
      const body = (await answer.json()) as {
        result?: { data: Record<string, unknown> };
        error?: { data: { cairn: Refusal } };
      };
      return { status: answer.status, data: body.result?.data, refusal: body.error?.data.cairn };
    } catch (error) {
      this.wrong.push(`${procedure} was not answered: ${String(error)}`);
      return { status: 0, data: undefined, refusal: undefined };
    } finally {
      this.#asking--;
    }
  }
}

export async function prepareStore(
  location: StoreLocation,
  createToken: (store: Store) => Promise<string>,
): Promise<string> {
  const store = await openStore(location);
  try {
    const token = await createToken(store);
    const rest = { displayName: 'world', description: '', visibility: 'private' } as const;
    await store.write.createRepository({ orgName: 'ada', name: 'world', ...rest });
    return token;
  } finally {
    await store.close();
  }
}

export async function createShape(url: string, token: string): Promise<void> {
  const body = JSON.stringify({ ...REPO, name: 'Step', fields: { n: 'number', filling: 'string' } });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  expect((await fetch(`${url}/trpc/shape.create`, { method: 'POST', headers, body })).status).toBe(200);
}

export async function expectStored(location: StoreLocation, load: DiskLoad): Promise<void> {
  const store = await openStore(location);
  try {
    const rows = await store.database.query<{ name: string }>(`select name from record where kind = 'thing'`);
    const stored = new Set(rows.map(({ name }) => `Step/${name}`));
    expect([...load.acknowledged].filter((name) => !stored.has(name))).toEqual([]);
    expect([...load.refused].filter((name) => stored.has(name))).toEqual([]);
    const asked = new Set([...load.acknowledged, ...load.unknown]);
    expect([...stored].filter((name) => !asked.has(name))).toEqual([]);
    const [repository] = await store.database.query<{ id: number }>('select id from repository');
    expect(await verifyRepository(store, repository?.id ?? 0)).toEqual([]);
  } finally {
    await store.close();
  }
}
