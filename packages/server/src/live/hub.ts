// All live streams of this process. One timer checks them for lost rights and stalled clients, and the hub polls the
// sequences every second, in case a notification was lost.
import type { Writable } from 'node:stream';
import { CairnError, fail } from '@cairn/protocol/errors';
import type { LiveInvalidate, LiveReady, LiveRevoked } from '@cairn/protocol/stream';
import { Channel, LiveStream } from './channel.ts';

const PARTS = 15;

export interface LivePace {
  readonly beatMs: number;
  readonly fullMaxMs: number;
}

const PACE: LivePace = { beatMs: 15_000, fullMaxMs: 300_000 };

interface HubOptions<Who extends Listener, Seen extends Sight> {
  readonly source: LiveSource<Who, Seen>;
  readonly onError: (error: unknown) => void;
  readonly pace?: Partial<LivePace> | undefined;
}

export interface NewStream<Who extends Listener> {
  readonly listener: Who;
  readonly repoSeq: number;
  /** Last sequence that the listener has heard of. `unknown` if it has a position that this server cannot read. */
  readonly heardBefore: number | 'unknown' | undefined;
  readonly place: ConnectionSlot;
  readonly answer: Writable;
}

interface ConnectionSlot {
  leave(): void;
}

export class LiveHub<Who extends Listener, Seen extends Sight> {
  readonly #options: HubOptions<Who, Seen>;
  readonly #pace: LivePace;
  readonly #channels = new Map<number, Channel<Who, Seen>>();
  readonly #parts = Array.from({ length: PARTS }, () => new Set<LiveStream<Who>>());
  readonly #placesTaken = new Map<string, number>();
  readonly #lookOnce: () => void;
  #timer: NodeJS.Timeout | undefined;
  #turn = 0;
  #opened = 0;
  #closed = false;

  constructor(options: HubOptions<Who, Seen>) {
    this.#options = options;
    this.#pace = { ...PACE, ...options.pace };
    this.#lookOnce = onceAtATime(() => this.#look(), options.onError);
  }

  get streamCount(): number {
    return this.#parts.reduce((count, part) => count + part.size, 0);
  }

  get fullCount(): number {
    return this.#parts.reduce((count, part) => count + [...part].filter(({ isFull }) => isFull).length, 0);
  }

  take(name: string, max: number): ConnectionSlot | undefined {
    const taken = this.#placesTaken.get(name) ?? 0;
    if (taken >= max) return undefined;
    this.#placesTaken.set(name, taken + 1);
    return { leave: () => this.#leave(name) };
  }

  #leave(name: string): void {
    const left = (this.#placesTaken.get(name) ?? 0) - 1;
    if (left > 0) this.#placesTaken.set(name, left);
    else this.#placesTaken.delete(name);
  }

  refuseWhenClosed(): void {
    if (!this.#closed) return;
    throw fail('UNAVAILABLE', { message: 'This server is stopping. Open the stream again.', retryAfter: 1 });
  }

  open({ listener, repoSeq, heardBefore, place, answer }: NewStream<Who>): void {
    if (answer.destroyed) {
      place.leave();
      return;
    }
    const toldSeq = typeof heardBefore === 'number' ? heardBefore : repoSeq;
    const stream = new LiveStream(listener, { answer, toldSeq });
    const part = this.#parts[this.#opened++ % PARTS] as Set<LiveStream<Who>>;
    part.add(stream);
    const channel = this.#channelOf(listener.repoId, repoSeq);
    answer.once('close', () => {
      part.delete(stream);
      place.leave();
      channel.delete(stream);
      if (channel.isEmpty && this.#channels.get(listener.repoId) === channel) this.#channels.delete(listener.repoId);
    });
    answer.on('drain', () => {
      stream.drained();
      channel.drained(stream);
    });
    stream.write(eventOf('ready', { repoSeq } satisfies LiveReady, toldSeq));
    if (heardBefore === 'unknown') stream.write(invalidateEvent(everythingAt(repoSeq)));
    channel.add(stream, repoSeq);
    if (this.#closed) stream.end();
    else this.#timer ??= setInterval(() => this.#tick(), this.#pace.beatMs / PARTS).unref();
  }

  #channelOf(repoId: number, repoSeq: number): Channel<Who, Seen> {
    const known = this.#channels.get(repoId);
    if (known !== undefined) return known;
    const { source, onError } = this.#options;
    const made = new Channel<Who, Seen>({ repoId, source, onError }, repoSeq);
    this.#channels.set(repoId, made);
    return made;
  }

  /** `undefined` means that any repository may have changed. */
  heard(commit: { readonly repoId: number; readonly repoSeq: number } | undefined): void {
    if (commit === undefined) this.#lookOnce();
    else this.#channels.get(commit.repoId)?.heard(commit.repoSeq);
  }

  async #look(): Promise<void> {
    if (this.#channels.size === 0) return;
    const sequences = await this.#options.source.sequences([...this.#channels.keys()]);
    for (const [repoId, repoSeq] of sequences) this.#channels.get(repoId)?.heard(repoSeq);
    for (const channel of this.#channels.values()) channel.catchUp();
  }

  #tick(): void {
    this.#lookOnce();
    const part = this.#parts[this.#turn++ % PARTS] ?? [];
    this.#beat([...part]).catch(this.#options.onError);
  }

  async #beat(streams: readonly LiveStream<Who>[]): Promise<void> {
    if (streams.length === 0) return;
    for (const stream of streams) if (stream.fullForMs > this.#pace.fullMaxMs) stream.cut();
    // If rights cannot be checked, the streams stay open; nothing is sent on them meanwhile.
    await checkRights(this.#options.source, streams).catch(this.#options.onError);
    for (const stream of streams) if (stream.takesMore) stream.write(COMMENT);
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
    for (const stream of this.#parts.flatMap((part) => [...part])) {
      if (stream.takesMore) stream.write(RECONNECT);
      stream.end();
    }
  }
}

function everythingAt(repoSeq: number): LiveInvalidate {
  const none = { affectedShapes: [], affectedRecords: [], affectedTargets: [] };
  return { topic: 'repo', repoSeq, ...none, truncated: true };
}

/** Keeps proxies from closing idle connections, and detects clients that stopped reading. */
const COMMENT = Buffer.from(':\n\n');

/** Tells browsers to open a stream that ended again after a second; most would wait for three. */
const RECONNECT = Buffer.from('retry: 1000\n\n');

export function invalidateEvent(invalidate: LiveInvalidate): Buffer {
  return eventOf('invalidate', invalidate, invalidate.repoSeq);
}

export function revokedEvent({ code, message }: CairnError): Buffer {
  return eventOf('revoked', { code, message } satisfies LiveRevoked);
}

function eventOf(name: string, data: object, id?: number): Buffer {
  const lines = [`event: ${name}`, ...(id === undefined ? [] : [`id: ${id}`]), `data: ${JSON.stringify(data)}`];
  return Buffer.from(`${lines.join('\n')}\n\n`);
}

export async function checkRights<Who extends Listener, Seen extends Sight>(
  source: LiveSource<Who, Seen>,
  streams: readonly LiveStream<Who>[],
): Promise<Map<string, Seen>> {
  const listeners = new Map(streams.map(({ listener }) => [listener.key, listener]));
  const checked = await source.check([...listeners.values()]);
  const outcomes = new Map([...listeners.keys()].map((key, index) => [key, checked[index]]));
  for (const stream of streams) {
    const outcome = outcomes.get(stream.listener.key);
    if (outcome instanceof CairnError && stream.isOpen) stream.end(outcome);
  }
  const rights = new Map<string, Seen>();
  for (const [key, outcome] of outcomes) {
    if (outcome !== undefined && !(outcome instanceof CairnError)) rights.set(key, outcome);
  }
  return rights;
}

export interface Listener {
  readonly key: string;
  readonly repoId: number;
}

export interface Sight {
  readonly repoSeq: number;
  /** Canonical text of what is visible. Listeners with equal texts get equal events. */
  readonly view: string;
}

export interface LiveSource<Who extends Listener, Seen extends Sight> {
  /** In the order given; an error for a listener that lost access. */
  check(listeners: readonly Who[]): Promise<readonly (Seen | CairnError)[]>;
  read(
    stretch: { repoId: number; sinceSeq: number; throughSeq: number },
    sights: readonly Seen[],
  ): Promise<readonly (LiveInvalidate | undefined)[]>;
  sequences(repoIds: readonly number[]): Promise<ReadonlyMap<number, number>>;
}

/** Runs one job at a time. Requests during a run are merged into one further run. */
export function onceAtATime(work: () => Promise<void>, onError: (error: unknown) => void): () => void {
  let [isAsked, isRunning] = [false, false];
  const run = async () => {
    isRunning = true;
    try {
      while (isAsked) {
        isAsked = false;
        await work();
      }
    } catch (error) {
      onError(error);
    } finally {
      isRunning = false;
    }
  };
  return () => {
    isAsked = true;
    if (!isRunning) void run();
  };
}
