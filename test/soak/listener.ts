// Listens to a repository for the whole run and reconnects after every cut. Events must come in order, and each
// acknowledged change must be in the event that covers its sequence.
import { setTimeout as pause } from 'node:timers/promises';
import type { LiveInvalidate, LiveStream } from '@cairn/sdk';
import type { Acknowledged, RepositoryModel } from './repository-model.ts';
import { described, type World } from './world.ts';

/** Names announced for the sequences after `after` and up to `upTo`. */
interface Told {
  readonly after: number;
  readonly upTo: number;
  readonly names: ReadonlySet<string>;
  readonly isWhole: boolean;
}

const LOOK_MS = 100;

export class Listener {
  readonly #world: Pick<World, 'findings'>;
  readonly #model: RepositoryModel;
  #told: Told[] = [];
  #expected: Acknowledged[] = [];
  #stream: LiveStream | undefined;
  /** Start of listening. Earlier changes are not announced. */
  #fromSeq: number | undefined;
  #heardSeq = 0;
  events = 0;
  cuts = 0;

  constructor({ world, model }: { world: Pick<World, 'findings'>; model: RepositoryModel }) {
    this.#world = world;
    this.#model = model;
    model.onAcknowledged((acknowledged) => this.#expected.push(acknowledged));
  }

  async start({ client, signal }: Pick<World, 'client' | 'signal'>): Promise<void> {
    const { orgName, repoName } = this.#model;
    const isReady = Promise.withResolvers<void>();
    this.#stream = client.repo.live(orgName, repoName, (change) => this.hear(change), {
      signal,
      onReady: ({ repoSeq }) => {
        this.begin(repoSeq);
        isReady.resolve();
      },
      onCut: () => {
        this.cuts += 1;
      },
    });
    this.#stream.closed.catch((error: unknown) => {
      this.#world.findings.add('live', `${this.#model.name}: the stream has ended: ${described(error)}`);
      isReady.resolve();
    });
    await isReady.promise;
  }

  /** The first connection sets the start. Later connections resume from the last event. */
  begin(repoSeq: number): void {
    if (this.#fromSeq !== undefined) return;
    this.#fromSeq = repoSeq;
    this.#heardSeq = repoSeq;
  }

  hear({ repoSeq, affectedRecords, truncated }: LiveInvalidate): void {
    if (repoSeq <= this.#heardSeq) {
      this.#world.findings.add('live', `${this.#model.name}: ${repoSeq} was told after ${this.#heardSeq}`);
      return;
    }
    const told = { after: this.#heardSeq, upTo: repoSeq, names: new Set(affectedRecords), isWhole: truncated !== true };
    this.#told.push(told);
    this.#heardSeq = repoSeq;
    this.events += 1;
  }

  /** Checks acknowledged changes against received events. Called at intervals. */
  settle(): void {
    const due = this.#expected.filter(({ upTo }) => upTo <= this.#heardSeq);
    this.#expected = this.#expected.filter(({ upTo }) => upTo > this.#heardSeq);
    for (const one of due) this.#expect(one);
    // Changes acknowledged later have a higher sequence than this.
    const neededFrom = this.#expected.reduce((least, { after }) => Math.min(least, after), this.#model.settledThrough);
    this.#told = this.#told.filter(({ upTo }) => upTo > neededFrom);
  }

  #expect({ record, after, upTo }: Acknowledged): void {
    if (after < (this.#fromSeq ?? 0)) return;
    const covering = this.#told.filter((told) => told.upTo > after && told.after < upTo);
    const isTold = covering.some(({ names, isWhole }) => !isWhole || record.names.some((name) => names.has(name)));
    if (isTold) return;
    const said = `${record.key} changed after ${after}, at ${upTo} at the latest, and no event between says so`;
    this.#world.findings.add('live', `${this.#model.name}: ${said}`);
  }

  async hearAll(withinMs: number): Promise<void> {
    const until = performance.now() + withinMs;
    while (this.#heardSeq < this.#model.head && performance.now() < until) await pause(LOOK_MS);
    if (this.#heardSeq < this.#model.head) {
      const said = `has heard up to ${this.#heardSeq}, and ${this.#model.head} was acknowledged`;
      this.#world.findings.add('live', `${this.#model.name}: a listener ${said}`);
    }
    this.settle();
    this.#stream?.close();
  }
}
