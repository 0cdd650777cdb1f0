// What a streaming submission answers: a line for each chunk that is durable, and one last line.
import type { Readable } from 'node:stream';
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { StreamEnd, StreamLine } from '@cairn/protocol/stream';
import type { EdgeContext } from '../http/env.ts';
import { logFault, toCairnError } from '../http/error.ts';
import { LineChunks } from './line-chunks.route.ts';
import type { AppliedChunk, LineChunk, PackedLines, Submission } from './submission.ts';

export interface SubmittedBody {
  readonly submission: Submission;
  readonly body: Readable;
  /** How many lines of the stream came before. */
  readonly offset: number;
}

type Piece = Uint8Array<ArrayBuffer>;

/** Fails when the first chunk does: as long as nothing is answered, what is wrong can be the answer. */
export async function* acknowledge(c: EdgeContext, submitted: SubmittedBody): AsyncGenerator<Piece, void> {
  const { streamIdleMs } = c.get('deps').settings.limits;
  const encoder = new TextEncoder();
  for await (const line of linesOf(c, submitted)) {
    // Who takes no acknowledgements would hold a chunk in memory for as long as they like.
    const unread = setTimeout(() => c.env?.outgoing?.destroy(), streamIdleMs);
    try {
      yield encoder.encode(`${JSON.stringify(line)}\n`);
    } finally {
      clearTimeout(unread);
    }
  }
}

async function* linesOf(c: EdgeContext, { submission, body, offset }: SubmittedBody): AsyncGenerator<StreamLine, void> {
  const { settings, stopping } = c.get('deps');
  const chunks = new LineChunks({ body, limits: settings.limits, offset, stopping });
  let durable: StreamEnd | undefined;
  try {
    for await (const { ack, end, refused } of new AppliedChunks(submission, chunks)) {
      if (ack !== undefined) {
        durable = end;
        yield ack;
      }
      if (refused !== undefined) throw refusal(refused);
    }
    yield durable ?? (await submission.apply(await submission.check(noLines()))).end;
  } catch (thrown) {
    if (durable === undefined) throw thrown;
    const error = toCairnError(thrown);
    if (!stopping.aborted) logFault(c, error);
    yield errorLine(error, durable.offset);
  } finally {
    chunks.close();
    // What unpacks it holds memory of its own. The connection itself is needed for the answer.
    if (body !== c.env?.incoming) body.destroy();
  }
}

/** An empty body asks whether the stream stands where the client thinks. */
function noLines(): LineChunk {
  return { bytes: new Uint8Array(), lineCount: 0 };
}

function refusal({ line, error }: NonNullable<AppliedChunk['refused']>): CairnError {
  return fail(error.code, { message: `Line ${line}: ${error.message}`, details: { line } });
}

function errorLine({ code, message, details, retryAfter }: CairnError, offset: number): StreamLine {
  const line = typeof details === 'object' && details !== null && 'line' in details ? Number(details.line) : undefined;
  return {
    type: 'error',
    code,
    message,
    offset,
    ...(line !== undefined && { line }),
    ...(details !== undefined && { details }),
    ...(retryAfter !== undefined && { retryAfter }),
  };
}

// The chunks of a submission, applied in their order. While one is written the next is collected, read, and handed to the
// writer too: so that never waits for us, and makes both durable at once where it can. No more are on the way, so that a
// client that sends faster than we write has to wait.

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
