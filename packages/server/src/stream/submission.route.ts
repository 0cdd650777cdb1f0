// The streaming submission of REST (spec 4.4): NDJSON lines in, acknowledgement lines out during the upload.
import type { Readable } from 'node:stream';
import { type CairnError, fail } from '@cairn/protocol/errors';
import { type StreamEnd, type StreamLine, streamId, submissionQuery } from '@cairn/protocol/stream';
import { z } from 'zod';
import type { PackedLines } from '../commit/packed-lines.rule.ts';
import { answerPieces } from '../http/answer.ts';
import { refreshedContext } from '../http/arrival.ts';
import { logFault, toCairnError, unknownPathError } from '../http/error.ts';
import { type Exchange, gunzipped, operationContext, type RouteHandler, requireContentType } from '../http/exchange.ts';
import { addressIn, readParameters } from '../http/query.ts';
import { LineChunks } from './line-chunks.route.ts';
import { type AppliedChunk, admitSubmission, openSubmission, type Permit, type Submission } from './submission.ts';

const NDJSON = 'application/x-ndjson';
const HEADERS = { 'cache-control': 'no-store', vary: 'Authorization' };
const path = z.object({ streamId });

export const submit: RouteHandler = async (c) => {
  const [context, address] = [operationContext(c), addressIn(c)];
  const grant = await admitSubmission(context, address);
  // Checked first, because any other error would reveal that the repository exists.
  if (grant === undefined) throw unknownPathError();
  requireContentType(c, NDJSON);
  const isPacked = isGzip(c);
  const { streamId } = path.parse(c.params);
  const query = submissionQuery.parse(readParameters(c, submissionQuery));
  const permit = () => permitAgain(c, grant);
  const submission = openSubmission(context, { grant, streamId, query, permit });
  const body = isPacked ? gunzipped(c.incoming, context.limits.gzipRatio) : c.incoming;
  const lines = acknowledge(c, { submission, body, offset: query.offset });
  // The status waits for the first chunk, so that its failure becomes a real error response.
  const first = await lines.next();
  const pieces = { next: startingWith(first, () => lines.next()), return: () => lines.return(undefined) };
  return await answerPieces(c, pieces, { contentType: NDJSON, headers: HEADERS });
};

/** Runs for every chunk, because the right may end during the upload. */
async function permitAgain(c: Exchange, { repoId }: Permit['grant']): Promise<Permit> {
  const context = await refreshedContext(c);
  // Each chunk counts as a request, because gzip makes lines cheap to send.
  await c.deps.limiter.admit({ principal: context.principal, address: c.address });
  const grant = await admitSubmission(context, addressIn(c));
  // A renamed or recreated repository may have taken the address.
  if (grant?.repoId !== repoId) throw unknownPathError();
  return { context, grant };
}

function isGzip(c: Exchange): boolean {
  const encoding = c.header('content-encoding')?.trim().toLowerCase() ?? '';
  if (encoding === 'gzip' || encoding === 'x-gzip') return true;
  if (encoding === '' || encoding === 'identity') return false;
  throw fail('UNSUPPORTED_MEDIA_TYPE', {
    message: 'This content encoding is not supported. Send the body without Content-Encoding, or with gzip.',
  });
}

function startingWith<Item>(first: Item, next: () => Promise<Item>): () => Promise<Item> {
  let isFirst = true;
  return async () => {
    if (!isFirst) return await next();
    isFirst = false;
    return first;
  };
}

interface SubmittedBody {
  readonly submission: Submission;
  readonly body: Readable;
  readonly offset: number;
}

async function* acknowledge(c: Exchange, submitted: SubmittedBody): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const { streamIdleMs } = c.deps.settings.limits;
  const encoder = new TextEncoder();
  for await (const line of linesOf(c, submitted)) {
    // A client that reads no acknowledgements would hold a chunk in memory indefinitely.
    const unread = setTimeout(() => c.outgoing.destroy(), streamIdleMs);
    try {
      yield encoder.encode(`${JSON.stringify(line)}\n`);
    } finally {
      clearTimeout(unread);
    }
  }
}

async function* linesOf(c: Exchange, { submission, body, offset }: SubmittedBody): AsyncGenerator<StreamLine, void> {
  const { settings, stopping } = c.deps;
  const chunks = new LineChunks({ body, limits: settings.limits, offset, stopping });
  let durable: StreamEnd | undefined;
  try {
    for await (const { ack, end, refused } of new AppliedChunks(submission, chunks)) {
      if (ack !== undefined) {
        durable = end;
        yield ack;
      }
      if (refused === undefined) continue;
      const { line, error } = refused;
      throw fail(error.code, { message: `Line ${line}: ${error.message}`, details: { line } });
    }
    yield durable ?? (await submission.apply(await submission.check({ bytes: new Uint8Array(), lineCount: 0 }))).end;
  } catch (thrown) {
    if (durable === undefined) throw thrown;
    const error = toCairnError(thrown);
    if (!stopping.aborted) logFault(c, error);
    yield errorLine(error, durable.offset);
  } finally {
    chunks.close();
    // The unpacker holds memory of its own. The connection itself is needed for the answer.
    if (body !== c.incoming) body.destroy();
  }
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

const WITH_WRITER_MAX = 2;

type Read = { readonly lines: PackedLines | undefined } | { readonly failure: unknown };

/** Reads ahead while chunks are with the writer, which never waits for us. The limit makes fast clients wait. */
class AppliedChunks {
  readonly #submission: Submission;
  readonly #chunks: LineChunks;
  readonly #applying: Promise<AppliedChunk>[] = [];
  #reading: Promise<Read> | undefined;
  #failure: unknown;

  constructor(submission: Submission, chunks: LineChunks) {
    this.#submission = submission;
    this.#chunks = chunks;
    this.#reading = this.#read();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AppliedChunk, void> {
    for (;;) {
      while (await this.#hasRead());
      const oldest = this.#applying.shift();
      if (oldest === undefined) break;
      yield await oldest;
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  async #hasRead(): Promise<boolean> {
    if (this.#reading === undefined || this.#applying.length >= WITH_WRITER_MAX) return false;
    const read = await first(this.#reading, this.#applying[0]);
    if (read === undefined) return false;
    if ('failure' in read) this.#failure = read.failure;
    const lines = 'lines' in read ? read.lines : undefined;
    // Lines after an unreadable one are not applied, because their offsets would be wrong.
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

function first(reading: Promise<Read>, oldest: Promise<AppliedChunk> | undefined): Promise<Read | undefined> {
  const done = () => undefined;
  return oldest === undefined ? reading : Promise.race([reading, oldest.then(done, done)]);
}

/** Prevents an unhandled rejection if the stream ends first. */
function observed<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => {});
  return promise;
}
