// What changes in a repository, as long as somebody listens: over as many connections as it takes, each with a ticket of
// its own. The server says what was missed between two of them.
import { CairnError, fail, isErrorCode } from '@cairn/protocol/errors';
import type { LiveInvalidate, LiveReady, LiveRevoked, LiveTicket } from '@cairn/protocol/stream';
import type { RepositoryName } from './export.ts';
import { bodyOf, type Http } from './http.ts';
import type { Bytes } from './line.ts';
import { createTries, inTime, stopIfAborted } from './retry.ts';
import { type ServerEvent, serverEvents } from './server-event.ts';
import type { CallOptions } from './transport.ts';

/**
 * Tickets of live streams. `client.repo.live` asks for them by itself.
 *
 * @example
 * const { ticket } = await client.live.issueTicket('acme', 'world');
 * const events = await fetch(`http://localhost:8787/sse?ticket=${ticket}`);
 * await events.body?.cancel();
 */
export interface LiveSurface {
  /** Opens the live stream of a repository, once, within a minute: `GET /sse?ticket=...`. */
  issueTicket(orgName: string, repoName: string, options?: CallOptions): Promise<LiveTicket>;
}

/** What a live stream can be told. */
export interface LiveOptions {
  /** Called when a connection stands, with where the repository is: at first, and after each streamCut. */
  readonly onReady?: ((ready: LiveReady) => void) | undefined;
  /** Called when a connection is lost, before the next is tried. What was missed is told by the next. */
  readonly onCut?: ((error: CairnError) => void) | undefined;
  /** Called when the right to listen has ended, which ends the stream. */
  readonly onRevoked?: ((revoked: LiveRevoked) => void) | undefined;
  /** Goes on after a change that is known: its `repoSeq`. What came since is told in one change. */
  readonly lastEventId?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Called for each change. */
export type OnChange = (change: LiveInvalidate) => void | Promise<void>;

interface LiveSource {
  readonly surface: LiveSurface;
  readonly http: Http;
  readonly repo: RepositoryName;
  readonly options: LiveOptions;
}

/**
 * What changes in a repository, from now on. It goes on over cuts until it is closed, or until the right to listen ends.
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
  /** Kept when it is closed; broken by what ended it otherwise, such as a right that was lost. */
  readonly closed: Promise<void>;

  constructor(source: LiveSource) {
    const settle = { resolve: () => {}, reject: (_: unknown) => {} };
    this.closed = new Promise<void>((resolve, reject) => Object.assign(settle, { resolve, reject }));
    this.#settle = settle;
    // Who goes through the changes is told by them.
    this.closed.catch(() => {});
    this.#changes = this.#tracked(source);
    const { signal } = source.options;
    if (signal?.aborted) this.close();
    signal?.addEventListener('abort', () => this.close(), { once: true, signal: this.#over.signal });
  }

  [Symbol.asyncIterator](): AsyncGenerator<LiveInvalidate, void> {
    return this.#changes;
  }

  /** Ends the connection, and with it the loop over the changes. */
  close(): void {
    this.#over.abort();
    this.#changes.return().then(this.#settle.resolve, () => {});
  }

  /** Calls for each change, one after the other: what comes meanwhile is told in one. */
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

/** How a stream stands over all its connections. */
interface Listening {
  lastEventId: string | undefined;
  isReady: boolean;
  /** Connections that were of use: after one, it is tried anew as often. */
  progress: number;
}

async function* changesOf(source: LiveSource, over: AbortSignal): AsyncGenerator<LiveInvalidate, void> {
  const { http, options } = source;
  const listening: Listening = { lastEventId: options.lastEventId?.toString(), isReady: false, progress: 0 };
  const atFirst = createTries(http.retry, over);
  // Who has listened once goes on listening, however long the server is away.
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

/** Long enough that the server was well; one that ends each connection at once must not be asked without pauses. */
const USEFUL_MS = 10_000;

async function* oneConnection(
  source: LiveSource,
  listening: Listening,
  over: AbortSignal,
): AsyncGenerator<LiveInvalidate, void> {
  const begunAt = performance.now();
  try {
    for await (const event of serverEvents(await connect(source, listening, over))) {
      // Up to where the server has told.
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
    // A ticket that came too late; the next may be in time.
    if (error instanceof CairnError && error.code === 'UNAUTHENTICATED') throw streamCut(error.message);
    throw error;
  });
  return heard(bodyOf(answer, { signal, cut: streamCut }), http.retry.silenceMs ?? SILENCE_MS);
}

/** The server says something every 15 seconds. */
const SILENCE_MS = 45_000;

/** What comes; a connection on which nothing comes is dead, though nobody may have said so. */
async function* heard(chunks: AsyncGenerator<Bytes, void>, silenceMs: number): AsyncGenerator<Bytes, void> {
  for (;;) {
    const next = chunks.next();
    if (!(await inTime(next, silenceMs))) {
      // It is waited for no longer, whatever becomes of it.
      next.catch(() => {});
      chunks.return().catch(() => {});
      throw streamCut(`nothing came for ${silenceMs / 1_000} s`);
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

/** The token of a session is over after an hour; the session may not be, which the next ticket will tell. */
function ended({ tokenChanges }: Http, told: LiveRevoked): Error {
  return tokenChanges && told.code === 'UNAUTHENTICATED' ? streamCut('its token is over') : new Revoked(told);
}

const REFUSALS = ['UNAUTHENTICATED', 'FORBIDDEN', 'NOT_FOUND'];

/** The server says so; or it gives no ticket any more to who had one. */
function isEnd(error: unknown, { isReady }: Listening): boolean {
  return error instanceof Revoked || (isReady && error instanceof CairnError && REFUSALS.includes(error.code));
}

function revoked(error: unknown, { onRevoked }: LiveOptions): unknown {
  const told = error instanceof Revoked ? error.told : (error as CairnError);
  const { code, message } = told;
  onRevoked?.({ code, message });
  return new CairnError(isErrorCode(code) ? code : 'FORBIDDEN', { message });
}

const streamCut = (reason: string) => fail('NETWORK_ERROR', { message: `The live stream was cut: ${reason}.` });

function parsedEvent<Told>({ data }: ServerEvent): Told {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw fail('NETWORK_ERROR', { message: 'What comes is no live stream. Is there a proxy that changes it?', cause });
  }
}
