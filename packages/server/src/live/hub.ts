// All live streams of this process. The hub is told of commits, looks at the sequences by itself once a second in case
// it was not, and goes round the streams so that each is looked at every 15 seconds: whether its listener still may
// listen, and whether it still takes anything. One timer serves them all, and no stream has anything of its own running.
import type { Writable } from 'node:stream';
import { CairnError, fail } from '@cairn/protocol/errors';
import type { LiveInvalidate, LiveReady, LiveRevoked } from '@cairn/protocol/live';
import { Channel, LiveStream } from './channel.ts';

/** The streams are gone round in so many parts, so that not all are written to at once. */
const PARTS = 15;

export interface LivePace {
  /** How often each stream is looked at, and gets a comment. */
  readonly beatMs: number;
  /** A stream that takes nothing for so long is cut. */
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
  /** How far the repository was when the listener was let in. */
  readonly repoSeq: number;
  /** What the listener has heard before: up to a sequence, or nobody knows what. */
  readonly heardBefore: number | 'unknown' | undefined;
  /** The right to be one of so many, from `take`. */
  readonly place: Place;
  readonly answer: Writable;
}

interface Place {
  leave(): void;
}

export class LiveHub<Who extends Listener, Seen extends Sight> {
  readonly #options: HubOptions<Who, Seen>;
  readonly #pace: LivePace;
  readonly #channels = new Map<number, Channel<Who, Seen>>();
  readonly #parts = Array.from({ length: PARTS }, () => new Set<LiveStream<Who>>());
  readonly #placesTaken = new Map<string, number>();
  readonly #looks: OnceAtATime;
  #timer: NodeJS.Timeout | undefined;
  #turn = 0;
  #opened = 0;
  #closed = false;

  constructor(options: HubOptions<Who, Seen>) {
    this.#options = options;
    this.#pace = { ...PACE, ...options.pace };
    this.#looks = new OnceAtATime(() => this.#look(), options.onError);
  }

  get streamCount(): number {
    return this.#parts.reduce((count, part) => count + part.size, 0);
  }

  /** How many of them take nothing. */
  get fullCount(): number {
    return this.#parts.reduce((count, part) => count + [...part].filter(({ isFull }) => isFull).length, 0);
  }

  /** `undefined` when all places of this name are taken. */
  take(name: string, max: number): Place | undefined {
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
    // Whoever went away while being let in.
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
    stream.write(readyEvent({ repoSeq }, toldSeq));
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

  /** A repository was committed to; `undefined`: nobody knows which. */
  heard(commit: { readonly repoId: number; readonly repoSeq: number } | undefined): void {
    if (commit === undefined) this.#looks.ask();
    else this.#channels.get(commit.repoId)?.heard(commit.repoSeq);
  }

  async #look(): Promise<void> {
    if (this.#channels.size === 0) return;
    const sequences = await this.#options.source.sequences([...this.#channels.keys()]);
    for (const [repoId, repoSeq] of sequences) this.#channels.get(repoId)?.heard(repoSeq);
    // What could not be read for them before is tried again.
    for (const channel of this.#channels.values()) channel.catchUp();
  }

  #tick(): void {
    this.#looks.ask();
    const part = this.#parts[this.#turn++ % PARTS] ?? [];
    this.#beat([...part]).catch(this.#options.onError);
  }

  async #beat(streams: readonly LiveStream<Who>[]): Promise<void> {
    if (streams.length === 0) return;
    for (const stream of streams) if (stream.fullForMs > this.#pace.fullMaxMs) stream.cut();
    // While rights cannot be looked up nothing is told either, and the streams are kept.
    await checkRights(this.#options.source, streams).catch(this.#options.onError);
    for (const stream of streams) if (stream.takesMore) stream.write(COMMENT);
  }

  /** Ends all streams: whoever listens comes again, to another node or to this one when it is back. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
    for (const part of this.#parts) for (const stream of part) stream.end();
  }
}

/** For who has heard of something that is not known here: all may have changed. */
function everythingAt(repoSeq: number): LiveInvalidate {
  const none = { affectedShapes: [], affectedRecords: [], affectedTargets: [] };
  return { topic: 'repo', repoSeq, ...none, truncated: true };
}

// What goes over the wire: server-sent events.

/** Keeps connections open that proxies would cut, and finds those that nobody reads. */
const COMMENT = Buffer.from(':\n\n');

/** The id is the sequence up to which the stream has told: whoever is cut off before the next event misses nothing. */
function readyEvent(ready: LiveReady, lastSeq: number): Buffer {
  return eventOf('ready', ready, lastSeq);
}

export function invalidateEvent(invalidate: LiveInvalidate): Buffer {
  return eventOf('invalidate', invalidate, invalidate.repoSeq);
}

export function revokedEvent({ code, message }: CairnError): Buffer {
  return eventOf('revoked', { code, message } satisfies LiveRevoked);
}

/** JSON has no line breaks, so that the data is one line. */
function eventOf(name: string, data: object, id?: number): Buffer {
  const lines = [`event: ${name}`, ...(id === undefined ? [] : [`id: ${id}`]), `data: ${JSON.stringify(data)}`];
  return Buffer.from(`${lines.join('\n')}\n\n`);
}

// Whether those who listen still may. Each of them is asked for once, however many streams they have.

/** By the key of the listener. Streams of those who may not listen any more are ended. */
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

// What the hub must be given: it knows streams, and nothing of repositories, rights or storage.

/** Who listens to a repository. Those of one key have the same rights, which are looked up once for all of them. */
export interface Listener {
  readonly key: string;
  readonly repoId: number;
}

/** What a listener may see now. */
export interface Sight {
  /** How far the repository is. */
  readonly repoSeq: number;
  /** What is shown and what is hidden, as a text to compare with others. */
  readonly view: string;
}

/** The commits after one sequence, through another. */
interface Stretch {
  readonly repoId: number;
  readonly sinceSeq: number;
  readonly throughSeq: number;
}

export interface LiveSource<Who extends Listener, Seen extends Sight> {
  /** In the order given; an error for who may listen no more. */
  check(listeners: readonly Who[]): Promise<readonly (Seen | CairnError)[]>;
  /** For each sight the event that it is due, or none. Equal events are one object: each is written out once. */
  read(stretch: Stretch, sights: readonly Seen[]): Promise<readonly (LiveInvalidate | undefined)[]>;
  /** How far repositories are. */
  sequences(repoIds: readonly number[]): Promise<ReadonlyMap<number, number>>;
}

// Work that is asked for again while it runs is done once more after that, however often it was asked for.

export class OnceAtATime {
  readonly #work: () => Promise<void>;
  readonly #onError: (error: unknown) => void;
  #asked = false;
  #running = false;

  constructor(work: () => Promise<void>, onError: (error: unknown) => void) {
    this.#work = work;
    this.#onError = onError;
  }

  ask(): void {
    this.#asked = true;
    if (!this.#running) void this.#run();
  }

  /** What fails is not tried again before it is asked for again. */
  async #run(): Promise<void> {
    this.#running = true;
    try {
      while (this.#asked) {
        this.#asked = false;
        await this.#work();
      }
    } catch (error) {
      this.#onError(error);
    } finally {
      this.#running = false;
    }
  }
}
