// The chunks of a submission, applied in their order. While one is written the next is collected, read, and handed to the
// writer too: so that never waits for us, and makes both durable at once where it can. No more are on the way, so that a
// client that sends faster than we write has to wait.

import type { LineChunks } from './line-chunks.route.ts';
import type { AppliedChunk, PackedLines, Submission } from './submission.ts';

const WITH_WRITER_MAX = 2;

type Read = { readonly lines: PackedLines | undefined } | { readonly failure: unknown };

export class AppliedChunks {
  readonly #submission: Submission;
  readonly #chunks: LineChunks;
  readonly #applying: Promise<AppliedChunk>[] = [];
  /** `undefined` when there is no more to read. */
  #reading: Promise<Read> | undefined;
  #failure: unknown;

  constructor(submission: Submission, chunks: LineChunks) {
    this.#submission = submission;
    this.#chunks = chunks;
    this.#reading = this.#read();
  }

  /** Each chunk as soon as it is durable. What goes wrong is thrown after all that was applied before it. */
  async *[Symbol.asyncIterator](): AsyncGenerator<AppliedChunk, void> {
    for (;;) {
      while (await this.#hasRead());
      const oldest = this.#applying.shift();
      if (oldest === undefined) break;
      yield await oldest;
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Hands over what was read; false when the oldest chunk is done before, or no more can be handed over. */
  async #hasRead(): Promise<boolean> {
    if (this.#reading === undefined || this.#applying.length >= WITH_WRITER_MAX) return false;
    const read = await first(this.#reading, this.#applying[0]);
    if (read === undefined) return false;
    if ('failure' in read) this.#failure = read.failure;
    const lines = 'lines' in read ? read.lines : undefined;
    // What comes after a line that is none is not applied: it would stand where that line should.
    this.#reading = lines === undefined || lines.unreadable !== undefined ? undefined : this.#read();
    if (lines !== undefined) this.#applying.push(observed(this.#submission.apply(lines)));
    return true;
  }

  async #read(): Promise<Read> {
    try {
      const chunk = await this.#chunks.next();
      return { lines: chunk && (await this.#submission.check(chunk)) };
    } catch (failure) {
      return { failure };
    }
  }
}

/** What was read, or `undefined` when the oldest chunk is done before. */
function first(reading: Promise<Read>, oldest: Promise<AppliedChunk> | undefined): Promise<Read | undefined> {
  const done = () => undefined;
  return oldest === undefined ? reading : Promise.race([reading, oldest.then(done, done)]);
}

/** Nobody waits for it when the stream ends before. */
function observed<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => {});
  return promise;
}
