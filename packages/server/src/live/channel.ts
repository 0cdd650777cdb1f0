// The live streams of one repository. Commits are read once for all that keep up; slow streams are served separately.

import type { Writable } from 'node:stream';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { CairnError } from '@cairn/protocol/errors';
import type { LiveInvalidate } from '@cairn/protocol/stream';
import {
  checkRights,
  invalidateEvent,
  type Listener,
  type LiveSource,
  onceAtATime,
  revokedEvent,
  type Sight,
} from './hub.ts';

/** Writing to this many streams takes some 10 ms; then the loop yields to other work. */
const STREAMS_A_TURN = 500;
/** If reading took longer, access is checked again before anything is sent. */
const RIGHTS_HOLD_MS = 100;
/** Longer rounds are followed by an equal pause, which leaves the thread to requests. */
const PAUSE_FROM_MS = 5;

interface ChannelOptions<Who extends Listener, Seen extends Sight> {
  readonly repoId: number;
  readonly source: LiveSource<Who, Seen>;
  readonly onError: (error: unknown) => void;
}

export class Channel<Who extends Listener, Seen extends Sight> {
  readonly #repoId: number;
  readonly #source: LiveSource<Who, Seen>;
  readonly #streams = new Set<LiveStream<Who>>();
  readonly #askFront: () => void;
  readonly #askBehind: () => void;
  #frontSeq: number;
  #knownSeq: number;

  constructor({ repoId, source, onError }: ChannelOptions<Who, Seen>, repoSeq: number) {
    this.#repoId = repoId;
    this.#source = source;
    this.#askFront = onceAtATime(() => this.#tellFront(), onError);
    this.#askBehind = onceAtATime(() => this.#tellBehind(), onError);
    this.#frontSeq = repoSeq;
    this.#knownSeq = repoSeq;
  }

  get isEmpty(): boolean {
    return this.#streams.size === 0;
  }

  add(stream: LiveStream<Who>, repoSeq: number): void {
    this.#streams.add(stream);
    this.heard(repoSeq);
    this.drained(stream);
  }

  delete(stream: LiveStream<Who>): void {
    this.#streams.delete(stream);
  }

  heard(repoSeq: number): void {
    this.#knownSeq = Math.max(this.#knownSeq, repoSeq);
    if (this.#frontSeq < this.#knownSeq) this.#askFront();
  }

  catchUp(): void {
    const isAnyBehind = [...this.#streams].some((stream) => this.#isBehind(stream));
    if (isAnyBehind) this.#askBehind();
  }

  drained(stream: LiveStream<Who>): void {
    if (this.#isBehind(stream)) this.#askBehind();
  }

  async #tellFront(): Promise<void> {
    if (this.#frontSeq >= this.#knownSeq) return;
    // Lets the request that committed be answered first.
    await setImmediate();
    const start = performance.now();
    const sinceSeq = this.#frontSeq;
    const kept = [...this.#streams].filter((stream) => stream.toldSeq === sinceSeq && stream.takesMore);
    const throughSeq = await this.#advance(kept, sinceSeq);
    if (throughSeq === undefined) {
      this.#frontSeq = this.#knownSeq;
    } else {
      this.#frontSeq = Math.max(sinceSeq, throughSeq);
      if (throughSeq < this.#knownSeq) this.#knownSeq = this.#frontSeq;
    }
    this.catchUp();
    const tookMs = performance.now() - start;
    if (tookMs > PAUSE_FROM_MS) await setTimeout(tookMs, undefined, { ref: false });
  }

  async #tellBehind(): Promise<void> {
    const behind = [...this.#streams].filter((stream) => this.#isBehind(stream));
    for (const [sinceSeq, streams] of Map.groupBy(behind, ({ toldSeq }) => toldSeq)) {
      await this.#advance(streams, sinceSeq);
      await setImmediate();
    }
  }

  #isBehind({ toldSeq, takesMore }: LiveStream<Who>): boolean {
    return toldSeq < this.#frontSeq && takesMore;
  }

  async #advance(streams: readonly LiveStream<Who>[], sinceSeq: number): Promise<number | undefined> {
    if (streams.length === 0) return undefined;
    const start = performance.now();
    const rights = await checkRights(this.#source, streams);
    const [first] = rights.values();
    if (first === undefined) return undefined;
    const { repoSeq: throughSeq } = first;
    if (throughSeq <= sinceSeq) return throughSeq;
    const events = await this.#read({ sinceSeq, throughSeq }, rights);
    const isLate = performance.now() - start > RIGHTS_HOLD_MS;
    const still = isLate
      ? await checkRights(
          this.#source,
          streams.filter(({ isOpen }) => isOpen),
        )
      : rights;
    const due = streams.filter(({ listener: { key } }) => {
      const [then, now] = [rights.get(key), still.get(key)];
      return now !== undefined && then?.view === now.view;
    });
    await this.#write(due, { throughSeq, events });
    return throughSeq;
  }

  async #read(
    { sinceSeq, throughSeq }: { sinceSeq: number; throughSeq: number },
    rights: ReadonlyMap<string, Seen>,
  ): Promise<Map<string, LiveInvalidate | undefined>> {
    const stretch = { repoId: this.#repoId, sinceSeq, throughSeq };
    const events = await this.#source.read(stretch, [...rights.values()]);
    return new Map([...rights.keys()].map((key, index) => [key, events[index]]));
  }

  async #write(
    streams: readonly LiveStream<Who>[],
    { throughSeq, events }: { throughSeq: number; events: ReadonlyMap<string, LiveInvalidate | undefined> },
  ): Promise<void> {
    const texts = new Map<LiveInvalidate, Buffer>();
    for (const event of events.values()) if (event !== undefined) texts.set(event, invalidateEvent(event));
    for (const [index, stream] of streams.entries()) {
      if (index > 0 && index % STREAMS_A_TURN === 0) await setImmediate();
      if (!stream.takesMore) continue;
      const event = events.get(stream.listener.key);
      const text = event && texts.get(event);
      if (text !== undefined) stream.write(text);
      stream.toldSeq = throughSeq;
    }
  }
}

export class LiveStream<Who extends Listener> {
  readonly listener: Who;
  /** Everything up to here was sent or does not concern the listener. */
  toldSeq: number;
  readonly #answer: Writable;
  #fullSince: number | undefined;

  constructor(listener: Who, { answer, toldSeq }: { answer: Writable; toldSeq: number }) {
    this.listener = listener;
    this.toldSeq = toldSeq;
    this.#answer = answer;
  }

  get isOpen(): boolean {
    return !this.#answer.destroyed && !this.#answer.writableEnded;
  }

  get isFull(): boolean {
    return this.#answer.writableNeedDrain;
  }

  get takesMore(): boolean {
    return this.isOpen && !this.isFull;
  }

  get fullForMs(): number {
    return this.#fullSince === undefined ? 0 : performance.now() - this.#fullSince;
  }

  write(bytes: Uint8Array): void {
    if (!this.#answer.write(bytes)) this.#fullSince ??= performance.now();
  }

  drained(): void {
    this.#fullSince = undefined;
  }

  end(reason?: CairnError): void {
    // A client that reads nothing would never receive the end either.
    if (this.isFull) this.#answer.destroy();
    else if (reason === undefined) this.#answer.end();
    else this.#answer.end(revokedEvent(reason));
  }

  cut(): void {
    this.#answer.destroy();
  }
}
