// Clients that use the proxy while nodes come and go: they write, read acknowledged records, listen, and stream. They
// retry where that is allowed, and record every other error.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type CairnClient, isRetryable, type LiveInvalidate, type LiveStream, type StreamedLines } from '@cairn/sdk';
import { expect, onTestFinished } from 'vitest';
import { PATIENCE_MS } from '../support/patience.ts';
import type { Random } from '../support/random.ts';
import { amount } from '../support/suite.ts';
import type { NodeName, NodeRig, Visitor } from './node-rig.ts';

export const WORLD = ['ada', 'world'] as const;
export const LOAD = ['ada', 'load'] as const;
const STREAM_ID = 'load';

const WRITERS = 4;
const READERS = 2;
const LISTENERS = 6;
/** Pause between requests of one client, which leaves the machine time for other work. */
const PAUSE_MS = amount('NODE_PAUSE_MS', { short: 200, long: 25 });
const LINES_TOGETHER = 10;

interface Together {
  readonly rig: NodeRig;
  readonly random: Random;
  readonly acknowledged: Map<string, number>;
  readonly names: string[];
  readonly wrong: string[];
  going: boolean;
  /** Aborted when the test ends, whatever its outcome. */
  readonly over: AbortController;
}

export class NodeLoad {
  readonly #together: Together;
  readonly #writers: Writer[];
  readonly #listeners: Listener[];
  readonly #streamer: Streamer;
  #running: Promise<unknown>[] = [];

  private constructor(rig: NodeRig, random: Random) {
    this.#together = {
      rig,
      random,
      acknowledged: new Map(),
      names: [],
      wrong: [],
      going: true,
      over: new AbortController(),
    };
    this.#writers = Array.from({ length: WRITERS }, (_, n) => new Writer(this.#together, n));
    this.#listeners = Array.from({ length: LISTENERS }, (_, n) => new Listener(this.#together, n));
    this.#streamer = new Streamer(this.#together);
  }

  static async start(rig: NodeRig, random: Random): Promise<NodeLoad> {
    const load = new NodeLoad(rig, random);
    onTestFinished(() => load.#abandon());
    await Promise.all(load.#listeners.map((listener) => listener.listen()));
    const readers = Array.from({ length: READERS }, () => readOften(load.#together));
    load.#running = [...load.#writers.map((writer) => writer.write()), ...readers, load.#streamer.stream()];
    // The end of the test awaits them. An earlier failure is reported by the next check for progress.
    for (const running of load.#running) running.catch((error: unknown) => load.wrong.push(String(error)));
    return load;
  }

  get acknowledged(): ReadonlyMap<string, number> {
    return this.#together.acknowledged;
  }

  get wrong(): string[] {
    return this.#together.wrong;
  }

  get streamer(): Streamer {
    return this.#streamer;
  }

  get listeners(): readonly Listener[] {
    return this.#listeners;
  }

  async goesOn(): Promise<void> {
    const writes = this.#writers.map(({ count }) => count);
    const lines = this.#streamer.produced;
    const repoSeq = this.#writers.reduce((last, { toldSeq }) => Math.max(last, toldSeq), 0);
    const behind = () => [
      ...this.wrong,
      ...this.#writers.filter(({ count }, n) => count <= (writes[n] ?? 0)).map(({ name }) => name),
      ...this.#listeners.filter(({ heardSeq }) => heardSeq < repoSeq).map(({ name }) => name),
      ...(this.#streamer.durable > lines ? [] : ['the stream']),
    ];
    await expect.poll(behind, { timeout: PATIENCE_MS, interval: 100 }).toEqual([]);
  }

  async end(): Promise<void> {
    this.#together.going = false;
    await Promise.all(this.#running);
    const { names } = this.#together;
    const missed = () => this.#listeners.map((listener) => names.filter((name) => !listener.told.has(name)));
    const nothing = this.#listeners.map(() => []);
    await expect.poll(missed, { timeout: PATIENCE_MS, interval: 100 }).toEqual(nothing);
    for (const listener of this.#listeners) listener.close();
  }

  async #abandon(): Promise<void> {
    this.#together.going = false;
    this.#together.over.abort();
    for (const listener of this.#listeners) listener.close();
    await Promise.allSettled(this.#running);
  }
}

/** Retries until an answer. A permanent refusal is an error, because nothing here may cause one. */
async function insist<Result>({ wrong, over }: Together, what: string, call: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!isRetryable(error)) {
        wrong.push(`${what}: ${String(error)}`);
        throw error;
      }
      over.signal.throwIfAborted();
      await pause(PAUSE_MS);
    }
  }
}

class Writer {
  readonly name: string;
  count = 0;
  toldSeq = 0;
  readonly #together: Together;
  readonly #client: CairnClient;

  constructor(together: Together, n: number) {
    this.name = `writer-${n}`;
    this.#together = together;
    this.#client = together.rig.visitor().client;
  }

  async write(): Promise<void> {
    const { acknowledged, names } = this.#together;
    while (this.#together.going) {
      const name = `Step/${this.name}-${this.count}`;
      const operations = [{ operation: 'add', name, data: { n: this.count } }];
      // The same ID on every retry, so that the commit is applied once.
      const commit = { submissionId: randomUUID(), operations };
      const { repoSeq } = await insist(this.#together, name, () => this.#client.commit.submit(...WORLD, commit));
      acknowledged.set(name, repoSeq);
      names.push(name);
      this.toldSeq = repoSeq;
      this.count += 1;
      await pause(PAUSE_MS);
    }
  }
}

/** Reads acknowledged records from any node. */
async function readOften(together: Together): Promise<void> {
  const { client } = together.rig.visitor();
  const { names, random, wrong } = together;
  while (together.going) {
    await pause(PAUSE_MS);
    if (names.length === 0) continue;
    const name = random.pick(names);
    const read = await insist(together, `read of ${name}`, () => client.thing.get(...WORLD, name));
    const { n } = read.data as { n: number };
    if (read.name !== name || !name.endsWith(`-${n}`)) wrong.push(`${name} was read as ${JSON.stringify(read)}`);
  }
}

export class Listener {
  readonly name: string;
  readonly told = new Set<string>();
  heardSeq = 0;
  cuts = 0;
  readonly #together: Together;
  readonly #visitor: Visitor;
  #live: LiveStream | undefined;

  constructor(together: Together, n: number) {
    this.name = `listener-${n}`;
    this.#together = together;
    this.#visitor = together.rig.visitor();
  }

  get node(): NodeName {
    return lastNode(this.#visitor, '/sse');
  }

  async listen(): Promise<void> {
    await new Promise<void>((ready, reject) => {
      this.#live = this.#visitor.client.repo.live(...WORLD, (change) => this.#hear(change), {
        onReady: () => ready(),
        onCut: () => {
          this.cuts += 1;
        },
      });
      this.#live.closed.catch((error: unknown) => {
        this.#together.wrong.push(`${this.name}: ${String(error)}`);
        reject(error);
      });
    });
  }

  close(): void {
    this.#live?.close();
  }

  async #hear({ repoSeq, affectedRecords, truncated }: LiveInvalidate): Promise<void> {
    if (repoSeq <= this.heardSeq) this.#together.wrong.push(`${this.name} heard ${repoSeq} after ${this.heardSeq}`);
    const names = truncated ? await this.#allNames() : affectedRecords;
    for (const name of names) this.told.add(name);
    this.heardSeq = repoSeq;
  }

  /** Lists all names after a notice that too many changed to name them. */
  async #allNames(): Promise<string[]> {
    const { client } = this.#visitor;
    return await insist(this.#together, `list of ${this.name}`, async () => {
      const names: string[] = [];
      for await (const { name } of client.thing.head(...WORLD, { shape: 'Step' })) names.push(name);
      return names;
    });
  }
}

/** One stream that lasts from the start to the end of the test. */
export class Streamer {
  produced = 0;
  durable = 0;
  result: StreamedLines | undefined;
  readonly #together: Together;
  readonly #visitor: Visitor;

  constructor(together: Together) {
    this.#together = together;
    this.#visitor = together.rig.visitor();
  }

  get node(): NodeName {
    return lastNode(this.#visitor, '/submissions');
  }

  get nodes(): ReadonlySet<NodeName> {
    return new Set(this.#visitor.trail.filter(({ path }) => path.endsWith('/submissions')).map(({ node }) => node));
  }

  async stream(): Promise<void> {
    const { client } = this.#visitor;
    this.result = await client.repo.stream(...LOAD, this.#lines(), {
      streamId: STREAM_ID,
      signal: this.#together.over.signal,
      onProgress: ({ offset }) => {
        if (offset < this.durable) this.#together.wrong.push(`the stream went back from ${this.durable} to ${offset}`);
        this.durable = offset;
      },
      onRefused: (line) => this.#together.wrong.push(`a line was refused: ${JSON.stringify(line)}`),
    });
  }

  async *#lines(): AsyncGenerator<object, void> {
    while (this.#together.going) {
      const n = this.produced;
      this.produced += 1;
      yield { operation: 'add', name: `Line/${n}`, data: { n } };
      if (this.produced % LINES_TOGETHER === 0) await pause(PAUSE_MS);
    }
  }
}

function lastNode({ trail }: Visitor, ending: string): NodeName {
  const last = trail.findLast(({ path }) => path.endsWith(ending));
  if (last === undefined) throw new Error(`nobody has answered ${ending} yet`);
  return last.node;
}
