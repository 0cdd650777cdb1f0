// One process as the supervisor has it.
import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { availableParallelism } from 'node:os';
import type { WriterAddress } from '../engine/writer-socket.ts';
import type { MetricsSnapshot } from '../http/metrics.ts';

/** A process has told its operator why it cannot start. */
export class StartFailed extends Error {
  override readonly name = 'StartFailed';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('A process of the server could not start.');
    this.exitCode = exitCode;
  }
}

type Told<Key extends string> = Extract<FromChild, Record<Key, unknown>>;

/** `.ts` in the sources, `.js` in the published package. */
const CHILD_FILE = new URL(`./child${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

export class Supervised {
  /** Whether it has its place in a server that runs: then another takes it when it dies. */
  hasPlace = false;
  /** How often the one in this place has died at once. */
  failures = 0;
  readonly #process: ChildProcess;
  #since = performance.now();
  readonly #ended = Promise.withResolvers<number>();
  /** Given, and not known to be taken. */
  readonly #given = new Map<number, Socket>();
  #role: Role['role'] | undefined;
  #lastId = 0;

  constructor(args: readonly string[]) {
    this.#process = fork(CHILD_FILE, [...args], { serialization: 'advanced' });
    this.#process.on('exit', (code) => this.#ended.resolve(code ?? 1));
    this.#process.on('error', () => this.#ended.resolve(1));
    // Connections that it had are lost with it; the copies of those on the way would keep their clients waiting.
    for (const end of ['exit', 'error', 'disconnect']) this.#process.on(end, () => this.#closeGiven());
    this.onMessage((message) => 'took' in message && this.#taken(message.took));
  }

  /** None while it waits to take the place of another. */
  get role(): Role['role'] | undefined {
    return this.#role;
  }

  assume(role: Role): void {
    this.#role = role.role;
    this.#since = performance.now();
    this.send(role);
  }

  /** Since it has its role. */
  get livedMs(): number {
    return performance.now() - this.#since;
  }

  send(message: ToChild): void {
    if (this.#process.connected) this.#process.send(message, () => {});
  }

  give(socket: Socket): void {
    const connection = ++this.#lastId;
    this.#given.set(connection, socket);
    const message: ToChild = { connection };
    if (this.#process.connected) this.#process.send(message, socket, { keepOpen: true }, () => {});
    else this.#closeGiven();
  }

  onMessage(listener: (message: FromChild) => void): void {
    this.#process.on('message', (message) => listener(message as FromChild));
  }

  onExit(listener: () => void): void {
    void this.#ended.promise.then(listener);
  }

  /** Waits for a message; fails when it ends before. */
  async told<Key extends 'opened' | 'ready'>(key: Key): Promise<Told<Key>> {
    const heard = new Promise<Told<Key>>((resolve) => {
      this.onMessage((message) => key in message && resolve(message as Told<Key>));
    });
    const ended = this.#ended.promise.then((code) => {
      throw new StartFailed(code);
    });
    ended.catch(() => {});
    return await Promise.race([heard, ended]);
  }

  async stop(): Promise<void> {
    this.send({ stop: true });
    await this.#ended.promise;
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }

  #taken(connection: number): void {
    this.#given.get(connection)?.destroy();
    this.#given.delete(connection);
  }

  #closeGiven(): void {
    for (const connection of this.#given.keys()) this.#taken(connection);
  }
}

// What the processes of one server say to each other. The supervisor starts all the others, and hears of each how it goes.

/** The first that a process is told: what it is. */
export interface Role {
  readonly role: 'writer' | 'worker';
  readonly writerAt: WriterAddress;
  /** Where clients reach the server. */
  readonly publicUrl: string;
}

export type ToChild =
  | Role
  /** With it comes a connection, of which the supervisor keeps a copy until it is taken. */
  | { readonly connection: number }
  | { readonly stop: true }
  | { readonly snapshotOf: number }
  | { readonly rendered: number; readonly text: string };

export type FromChild =
  /** The writer has brought the database up to date; `setupCode` where there is no owner yet. */
  | { readonly opened: true; readonly setupCode: string | undefined }
  /** A worker takes connections from now on. */
  | { readonly ready: true }
  | { readonly took: number }
  /** A worker stops, and takes no more. */
  | { readonly leaving: true }
  | { readonly snapshot: MetricsSnapshot; readonly for: number }
  | { readonly render: number };

// How many processes answer requests.

/** Each takes some 150 MB: who has the memory for more says so. */
const BY_ITSELF_MAX = 4;

export function workerCount({ workers }: { readonly workers: number }): number {
  return workers === 0 ? Math.min(availableParallelism(), BY_ITSELF_MAX) : workers;
}
