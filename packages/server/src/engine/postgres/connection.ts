// One connection to PostgreSQL, never reused after a loss. The driver's own reconnect would continue a transaction on
// the new connection, write to a closed socket, which ends the process, or wait forever if the URL names several
// servers.
import { once } from 'node:events';
import { connect as connectSocket, type Socket } from 'node:net';
import postgres from 'postgres';
import type { Value } from '../database.ts';
import { SERVER_APPLICATION } from '../placement.ts';
import { ended, lost, tooLate, unanswered } from './error.ts';

export type Session = Readonly<Record<string, string | number>>;

export interface SessionOptions {
  readonly session?: Session;
  readonly answerMs?: number | undefined;
  readonly onNotify?: (channel: string, payload: string) => void;
}

interface ConnectionOptions extends SessionOptions {
  readonly url: string;
}

interface PostgresAddress {
  readonly host: readonly string[];
  readonly port: readonly number[];
  readonly path: string | false;
}

const CONNECT_TIMEOUT_S = 10;
const CLOSE_TIMEOUT_S = 2;

interface Hooks {
  readonly onnotice: (notice: postgres.Notice) => void;
  readonly onnotify: SessionOptions['onNotify'];
  readonly onclose: () => void;
  readonly socket: (address: PostgresAddress) => Promise<Socket>;
}

function createClient({ url, session }: ConnectionOptions, hooks: Hooks) {
  const options = {
    ...hooks,
    max: 1,
    connect_timeout: CONNECT_TIMEOUT_S,
    max_lifetime: null,
    backoff: () => 0,
    // The driver would query array types on every connect, and a connection loss in between would be an uncaught error.
    // `arrayText` encodes arrays instead.
    fetch_types: false,
    connection: { application_name: SERVER_APPLICATION, ...session },
    // The driver returns bigint as a string. Our integers are sequences, ids and milliseconds, all below 2^53.
    types: { int8: { to: 20, from: [20], parse: Number, serialize: String } },
  };
  return postgres(url, options);
}

export class Connection {
  readonly url: string;
  readonly #sql: ReturnType<typeof createClient>;
  readonly #pending = new Set<(error: unknown) => void>();
  readonly #onLost = new Set<() => void>();
  readonly #giveUp = new AbortController();
  #socket: Socket | undefined;
  readonly #answerMs: number | undefined;
  #isLost = false;
  #warnings = 0;
  #silence: NodeJS.Timeout | undefined;

  constructor(options: ConnectionOptions) {
    this.url = options.url;
    this.#answerMs = options.answerMs;
    this.#sql = createClient(options, {
      onnotice: ({ severity }) => {
        if (severity === 'WARNING') this.#warnings++;
      },
      onnotify: options.onNotify,
      onclose: () => this.#lose(lost()),
      socket: (address) => this.#openSocket(address),
    });
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  get warnings(): number {
    return this.#warnings;
  }

  onLost(callback: () => void): () => void {
    if (this.#isLost) callback();
    else this.#onLost.add(callback);
    return () => this.#onLost.delete(callback);
  }

  query<Result>(text: string, params: readonly Value[] = []): Promise<Result[]> {
    if (this.#isLost) return Promise.reject(lost());
    return new Promise<Result[]>((resolve, reject) => {
      this.#pending.add(reject);
      if (this.#pending.size === 1) this.#awaitAnswer();
      const values = params.map((value) => (Array.isArray(value) ? arrayText(value) : value));
      this.#sql.unsafe(text, values, { prepare: true }).then(
        (rows) => {
          this.#pending.delete(reject);
          this.#awaitAnswer();
          resolve(rows as unknown as Result[]);
        },
        (error: unknown) => {
          this.#pending.delete(reject);
          this.#awaitAnswer();
          reject(error);
        },
      );
    });
  }

  /** The time counts from the last answer: a frozen server keeps its connections open and sends nothing. */
  #awaitAnswer(): void {
    clearTimeout(this.#silence);
    if (this.#answerMs === undefined || this.#pending.size === 0 || this.#isLost) return;
    this.#silence = setTimeout(() => this.drop(unanswered()), this.#answerMs).unref();
  }

  drop(error: Error = lost()): void {
    this.#lose(error);
    this.#giveUp.abort(error);
    this.#socket?.destroy();
    void this.#sql.end({ timeout: 0 });
  }

  async close(): Promise<void> {
    await this.#sql.end({ timeout: CLOSE_TIMEOUT_S });
    this.drop(ended());
  }

  #lose(error: Error): void {
    if (this.#isLost) return;
    this.#isLost = true;
    clearTimeout(this.#silence);
    for (const reject of this.#pending) reject(error);
    this.#pending.clear();
    for (const callback of this.#onLost) callback();
  }

  // The driver keeps its write buffer if a socket closes before the write, so it gets only connected sockets.
  async #openSocket({ host: [host], port: [port], path }: PostgresAddress): Promise<Socket> {
    if (this.#isLost || this.#socket !== undefined) throw this.#lostWhile(lost());
    // With a delay, the end of what is sent together would wait for the answer to its beginning.
    const socket = path ? connectSocket(path) : connectSocket({ host, port: port ?? 0, noDelay: true });
    this.#socket = socket;
    const late = setTimeout(() => this.#giveUp.abort(tooLate()), CONNECT_TIMEOUT_S * 1_000);
    try {
      await once(socket, 'connect', { signal: this.#giveUp.signal });
    } catch (error) {
      socket.destroy();
      throw this.#lostWhile(this.#giveUp.signal.aborted ? this.#giveUp.signal.reason : error);
    } finally {
      clearTimeout(late);
    }
    // For TLS, the driver reads the host name to verify from the socket.
    return Object.assign(socket, { host, port });
  }

  #lostWhile(error: Error): Error {
    this.#lose(error);
    return error;
  }
}

export function arrayText(items: readonly Value[]): string {
  return `{${items.map(itemText).join(',')}}`;
}

function itemText(item: Value): string {
  if (item === null) return 'NULL';
  if (typeof item === 'number') return String(item);
  if (item instanceof Uint8Array) return `"\\\\x${Buffer.from(item).toString('hex')}"`;
  return /["\\]/.test(item) ? `"${item.replaceAll(/["\\]/g, '\\$&')}"` : `"${item}"`;
}
