// What a streaming submission answers: a line for each chunk that is durable, and one last line.
import type { Readable } from 'node:stream';
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { StreamEnd, StreamLine } from '@cairn/protocol/stream';
import type { EdgeContext } from '../http/env.ts';
import { logFault, toCairnError } from '../http/error.ts';
import { AppliedChunks } from './applied-chunks.route.ts';
import { LineChunks } from './line-chunks.route.ts';
import type { AppliedChunk, LineChunk, Submission } from './submission.ts';

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
