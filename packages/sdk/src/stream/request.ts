// One request of a stream: lines go up while acknowledgements come down. If uploads cannot be streamed, or if something
// on the way holds them back, requests are bounded instead.
import { CairnError, fail, isErrorCode } from '@cairn/protocol/errors';
import type { StreamLine } from '@cairn/protocol/stream';
import { bodyOf, type Http } from '../http.ts';
import { type Bytes, joined, textLines, wholeLines } from '../line.ts';
import type { Backlog, Piece } from './backlog.ts';

export interface StreamRequest {
  readonly http: Http;
  readonly path: string;
  readonly query: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly backlog: Backlog;
  readonly signal: AbortSignal | undefined;
  /** Called with the number of stream lines handed to the connection. */
  readonly onSent: (lines: number) => void;
  readonly onLine: (line: Exclude<StreamLine, { type: 'error' }>) => Promise<void>;
}

const SILENCE_MS = 60_000;
/**
 * Share of the silence limit for which a request waits for the source, and for acknowledgements to make room. The
 * request thus ends before the server or a proxy gives up an idle connection. Acknowledgements of a full backlog arrive
 * within about a second, unless a proxy holds them back.
 */
const PATIENCE_SHARE = 1 / 6;

/**
 * Sends lines from `first` on until the source ends or pauses. Returns false if acknowledgements did not arrive while
 * it was sending: the next requests should then be bounded.
 */
export async function sendStream(request: StreamRequest, first: Piece): Promise<boolean> {
  const { backlog, http } = request;
  const patienceMs = (http.retry.silenceMs ?? SILENCE_MS) * PATIENCE_SHARE;
  let next: Piece | undefined = first;
  let sent = backlog.offset;
  let answers = true;
  const body = (watch: Watch) =>
    new ReadableStream<Bytes>(
      {
        pull: async (controller) => {
          next ??= await backlog.take(sent, { sourceMs: patienceMs, roomMs: patienceMs });
          if (watch.signal.aborted) return;
          if (next === undefined) {
            answers = !backlog.isFull;
            return controller.close();
          }
          sent += next.lineCount;
          request.onSent(sent);
          watch.sign();
          controller.enqueue(next.bytes);
          next = undefined;
        },
      },
      // Nothing is taken before it can be sent.
      { highWaterMark: 0 },
    );
  await exchange(request, body);
  return answers;
}

const BOUNDED_BYTES = 1024 * 1024;
const BOUNDED_PATIENCE = { sourceMs: 20, roomMs: 0 };

export async function sendBounded(request: StreamRequest, first: Piece): Promise<void> {
  const { backlog } = request;
  const parts: Bytes[] = [];
  let sent = backlog.offset;
  let bytes = 0;
  for (let piece: Piece | undefined = first; piece !== undefined; ) {
    parts.push(piece.bytes);
    bytes += piece.bytes.length;
    sent += piece.lineCount;
    piece = bytes < BOUNDED_BYTES ? await backlog.take(sent, BOUNDED_PATIENCE) : undefined;
  }
  request.onSent(sent);
  await exchange(request, () => joined(parts));
}

async function exchange(
  request: StreamRequest,
  bodyFor: (watch: Watch) => Bytes | ReadableStream<Bytes>,
): Promise<void> {
  const { http, path, query, backlog } = request;
  const watch = watchSilence(request);
  const { signal } = watch;
  try {
    const headers = { 'content-type': 'application/x-ndjson' };
    const upload = { headers, signal, body: bodyFor(watch) };
    const answer = await http.post(path, { ...query, offset: backlog.offset }, upload);
    await readAnswer(answer, request, watch);
  } finally {
    watch.end();
  }
}

async function readAnswer(answer: Response, { onLine }: StreamRequest, watch: Watch): Promise<void> {
  for await (const lines of wholeLines(bodyOf(answer, { signal: watch.signal, cut: connectionCut }))) {
    watch.sign();
    for (const line of parsedLines(lines)) {
      if (line.type === 'error') throw errorOf(line);
      await onLine(line);
      if (line.type === 'end') return;
    }
  }
  throw connectionCut('it ended without its last line');
}

const connectionCut = (reason: string) => fail('NETWORK_ERROR', { message: `The connection was lost: ${reason}.` });

function parsedLines(lines: Bytes): StreamLine[] {
  try {
    return textLines(lines).map((line) => JSON.parse(line));
  } catch (cause) {
    throw fail('NETWORK_ERROR', {
      message: 'The response is not an answer to a stream. Is there a proxy that changes it?',
      cause,
    });
  }
}

function errorOf({
  code,
  message,
  details,
  offset,
  line,
  retryAfter,
}: Extract<StreamLine, { type: 'error' }>): CairnError {
  return new CairnError(isErrorCode(code) ? code : 'INTERNAL_ERROR', {
    message,
    details: details ?? { offset, ...(line !== undefined && { line }) },
    ...(retryAfter !== undefined && { retryAfter }),
  });
}

interface Watch {
  /** Aborted when the caller aborts, when the server is silent for too long, and when the request is over. */
  readonly signal: AbortSignal;
  readonly sign: () => void;
  readonly end: () => void;
}

/** A dead connection may never report an error, so a silent one is aborted. */
function watchSilence({ http, backlog, signal }: StreamRequest): Watch {
  const { silenceMs = SILENCE_MS } = http.retry;
  const over = new AbortController();
  let signedAt = performance.now();
  const look = () => {
    const isWaiting = backlog.end > backlog.offset;
    if (isWaiting && performance.now() - signedAt > silenceMs)
      over.abort(connectionCut(`nothing came for ${silenceMs / 1_000} s`));
  };
  const timer = setInterval(look, silenceMs / 4);
  return {
    signal: signal === undefined ? over.signal : AbortSignal.any([over.signal, signal]),
    sign: () => {
      signedAt = performance.now();
    },
    end: () => {
      clearInterval(timer);
      over.abort(connectionCut('it is over'));
    },
  };
}
