// All live streams of this process. The hub is told of commits, looks at the sequences by itself once a second in case
// it was not, and goes round the streams so that each is looked at every 15 seconds: whether its listener still may
// listen, and whether it still takes anything. One timer serves them all, and no stream has anything of its own running.
import type { Writable } from 'node:stream';
import { fail } from '@cairn/protocol/errors';
import type { LiveInvalidate } from '@cairn/protocol/live';
import { Channel } from './channel.ts';
import { COMMENT, invalidateEvent, readyEvent } from './event.ts';
import { LiveStream } from './live-stream.ts';
import { OnceAtATime } from './once-at-a-time.ts';
import { checkRights } from './rights.ts';
import type { Listener, LiveSource, Sight } from './source.ts';

/** The streams are gone round in so many parts, so that not all are written to at once. */
const PARTS = 15;

export interface LivePace {
  /** How often each stream is looked at, and gets a comment. */
  readonly beatMs: number;
  /** A stream that takes nothing for so long is cut. */
  readonly fullMaxMs: number;
}

const PACE: LivePace = { beatMs: 15_000, fullMaxMs: 300_000 };

export interface HubOptions<Who extends Listener, Seen extends Sight> {
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

export interface Place {
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
