// Live changes of a repository, over as many connections as needed, each with its own ticket. After a reconnect, the
// server reports the changes missed in between.
import { CairnError, fail, isErrorCode } from '@cairn/protocol/errors';
import type { LiveInvalidate, LiveReady, LiveRevoked, LiveTicket } from '@cairn/protocol/stream';
import type { RepositoryName } from './export.ts';
import { bodyOf, type Http } from './http.ts';
import type { Bytes } from './line.ts';
import { createTries, inTime, stopIfAborted } from './retry.ts';
import { notLive, type ServerEvent, serverEvents } from './server-event.ts';
import type { CallOptions } from './transport.ts';

/**
 * Tickets for live streams. `client.repo.live` requests them by itself.
 *
 * @example
 * const { ticket } = await client.live.issueTicket('acme', 'world');
 * const events = await fetch(`http://localhost:8787/sse?ticket=${ticket}`);
 * await events.body?.cancel();
 */
export interface LiveSurface {
  /** Issues a ticket for a live stream of a repository: `GET /sse?ticket=...`. It is valid once, within a minute. */
  issueTicket(orgName: string, repoName: string, options?: CallOptions): Promise<LiveTicket>;
}

/** Options of a live stream. */
export interface LiveOptions {
  /** Called when a connection is ready, with the sequence of the repository: at first, and after each reconnect. */
  readonly onReady?: ((ready: LiveReady) => void) | undefined;
  /**
   * Called when a connection is lost, before the first try to reconnect. The next connection reports missed changes.
   */
  readonly onCut?: ((error: CairnError) => void) | undefined;
  /** Called when the right to listen ends. This also ends the stream. */
  readonly onRevoked?: ((revoked: LiveRevoked) => void) | undefined;
  /** Resumes after a known change, given by its `repoSeq`. Everything since then arrives as one change. */
  readonly lastEventId?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Callback for each change. */
export type OnChange = (change: LiveInvalidate) => void | Promise<void>;

interface LiveSource {
  readonly surface: LiveSurface;
  readonly http: Http;
  readonly repo: RepositoryName;
  readonly options: LiveOptions;
}

/**
 * Changes of a repository from now on. The stream reconnects by itself until it is closed, or until the right to listen
 * ends.
 *
 * @example
 * for await (const { repoSeq, affectedShapes } of client.repo.live('acme', 'world')) {
 *   console.log(repoSeq, affectedShapes);
 *   if (affectedShapes.includes('Location')) break;
 * }
 * const live = client.repo.live('acme', 'world');
 * live.follow(() => live.close());
 * await live.closed;
 */
export class LiveStream implements AsyncIterable<LiveInvalidate> {
  readonly #over = new AbortController();
  readonly #changes: AsyncGenerator<LiveInvalidate, void>;
  readonly #settle: { resolve: () => void; reject: (error: unknown) => void };
  /** Resolves when the stream is closed. Rejects if something else ends it, such as a lost permission. */
  readonly closed: Promise<void>;

  constructor(source: LiveSource) {
    const settle = { resolve: () => {}, reject: (_: unknown) => {} };
    this.closed = new Promise<void>((resolve, reject) => Object.assign(settle, { resolve, reject }));
    this.#settle = settle;
    // Consumers that iterate over the changes get the error there, so it must not count as unhandled here.
    this.closed.catch(() => {});
    this.#changes = this.#tracked(source);
    const { signal } = source.options;
    if (signal?.aborted) this.close();
    signal?.addEventListener('abort', () => this.close(), { once: true, signal: this.#over.signal });
  }

  [Symbol.asyncIterator](): AsyncGenerator<LiveInvalidate, void> {
    return this.#changes;
  }

  /** Ends the connection, and any loop over the changes. */
  close(): void {
    this.#over.abort();
    this.#changes.return().then(this.#settle.resolve, () => {});
  }

  /** Calls `onChange` for each change, one at a time. Changes that happen meanwhile arrive as one. */
  follow(onChange: OnChange): void {
    this.#follow(onChange).catch(() => {});
  }

  async #follow(onChange: OnChange): Promise<void> {
    for await (const change of this.#changes) {
      try {
        await onChange(change);
      } catch (error) {
        return this.#settle.reject(error);
      }
    }
  }

  async *#tracked(source: LiveSource): AsyncGenerator<LiveInvalidate, void> {
    try {
      yield* changesOf(source, this.#over.signal);
    } catch (error) {
      this.#settle.reject(error);
      throw error;
    } finally {
      this.#settle.resolve();
      this.#over.abort();
    }
  }
}

interface Listening {
  lastEventId: string | undefined;
  isReady: boolean;
  /** Grows with each change and each useful connection. Growth resets the number of retries. */
  progress: number;
}

async function* changesOf(source: LiveSource, over: AbortSignal): AsyncGenerator<LiveInvalidate, void> {
  const { http, options } = source;
  const listening: Listening = { lastEventId: options.lastEventId?.toString(), isReady: false, progress: 0 };
  const atFirst = createTries(http.retry, over);
  // After a first successful connection, retries never end, however long the server is away.
  const later = createTries({ ...http.retry, tries: Number.POSITIVE_INFINITY }, over);
  while (!over.aborted) {
    try {
      yield* oneConnection(source, listening, over);
    } catch (error) {
      if (over.aborted) return;
      if (isEnd(error, listening)) throw revoked(error, options);
      if (listening.isReady && error instanceof CairnError) options.onCut?.(error);
      await (listening.isReady ? later : atFirst)(error, listening.progress).catch((end: unknown) => {
        if (!over.aborted) throw end;
      });
    }
  }
}

/** A connection that lasts this long was useful. A server that ends each one at once must be retried with pauses. */
const USEFUL_MS = 10_000;

async function* oneConnection(
  source: LiveSource,
  listening: Listening,
  over: AbortSignal,
): AsyncGenerator<LiveInvalidate, void> {
  const begunAt = performance.now();
  try {
    for await (const event of serverEvents(await connect(source, listening, over))) {
      if (event.id !== undefined) listening.lastEventId = event.id;
      if (event.event === 'revoked') throw ended(source.http, parsedEvent<LiveRevoked>(event));
      if (event.event === 'ready') {
        listening.isReady = true;
        source.options.onReady?.(parsedEvent<LiveReady>(event));
      }
      if (event.event !== 'invalidate') continue;
      listening.progress += 1;
      yield parsedEvent<LiveInvalidate>(event);
    }
  } finally {
    if (listening.isReady && performance.now() - begunAt > USEFUL_MS) listening.progress += 1;
  }
  throw streamCut('it ended');
}

async function connect(
  { http, surface, repo }: LiveSource,
  { lastEventId }: Listening,
  signal: AbortSignal,
): Promise<AsyncIterable<Bytes>> {
  const { ticket } = await surface.issueTicket(repo.orgName, repo.repoName, { signal });
  stopIfAborted(signal);
  const headers = { accept: 'text/event-stream', ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) };
  const answer = await http.get('sse', { ticket }, { headers, signal }).catch((error: unknown) => {
    // The ticket was used too late. The next one may be in time.
    if (error instanceof CairnError && error.code === 'UNAUTHENTICATED') throw streamCut(error.message);
    throw error;
  });
  return heard(bodyOf(answer, { signal, cut: streamCut }), http.retry.silenceMs ?? SILENCE_MS);
}

/** The server sends something every 15 seconds. */
const SILENCE_MS = 45_000;

/** Yields what arrives. A silent connection counts as dead, since a lost peer may never report an error. */
async function* heard(chunks: AsyncGenerator<Bytes, void>, silenceMs: number): AsyncGenerator<Bytes, void> {
  for (;;) {
    const next = chunks.next();
    if (!(await inTime(next, silenceMs))) {
      // Nobody awaits these promises any more, so their failures are ignored.
      next.catch(() => {});
      chunks.return().catch(() => {});
      throw streamCut(`nothing arrived for ${silenceMs / 1_000} s`);
    }
    const { done, value } = await next;
    if (done) return;
    yield value;
  }
}

class Revoked extends Error {
  readonly told: LiveRevoked;

  constructor(told: LiveRevoked) {
    super(told.message);
    this.told = told;
  }
}

/** An access token expires after an hour, but its session may not. The request for the next ticket tells. */
function ended({ tokenChanges }: Http, told: LiveRevoked): Error {
  return tokenChanges && told.code === 'UNAUTHENTICATED' ? streamCut('its token has expired') : new Revoked(told);
}

const REFUSALS = ['UNAUTHENTICATED', 'FORBIDDEN', 'NOT_FOUND'];

/** The stream ends if the server revokes it, or refuses a ticket after an earlier connection was ready. */
function isEnd(error: unknown, { isReady }: Listening): boolean {
  return error instanceof Revoked || (isReady && error instanceof CairnError && REFUSALS.includes(error.code));
}

function revoked(error: unknown, { onRevoked }: LiveOptions): unknown {
  const told = error instanceof Revoked ? error.told : (error as CairnError);
  const { code, message } = told;
  onRevoked?.({ code, message });
  return new CairnError(isErrorCode(code) ? code : 'FORBIDDEN', { message });
}

const streamCut = (reason: string) => fail('NETWORK_ERROR', { message: `The live stream was interrupted: ${reason}.` });

function parsedEvent<Told>({ data }: ServerEvent): Told {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw notLive(cause);
  }
}
