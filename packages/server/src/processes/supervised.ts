// A child process as the supervisor sees it, and the messages between the two.
import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { availableParallelism } from 'node:os';
import type { WriterAddress } from '../engine/writer-socket.ts';
import type { MetricsSnapshot } from '../http/metrics.ts';

export class StartFailed extends Error {
  override readonly name = 'StartFailed';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('A process of the server could not start.');
    this.exitCode = exitCode;
  }
}

type ChildMessage<Key extends string> = Extract<FromChild, Record<Key, unknown>>;

const CHILD_FILE = new URL(`./child${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

export class Supervised {
  /** True once the process belongs to the running server and must be replaced when it dies. */
  hasPlace = false;
  failures = 0;
  readonly #process: ChildProcess;
  #since = performance.now();
  readonly #ended = Promise.withResolvers<number>();
  /** Connections sent but not yet confirmed. */
  readonly #given = new Map<number, Socket>();
  #role: Role['role'] | undefined;
  #lastId = 0;

  constructor(args: readonly string[]) {
    this.#process = fork(CHILD_FILE, [...args], { serialization: 'advanced' });
    this.#process.on('exit', (code) => this.#ended.resolve(code ?? 1));
    this.#process.on('error', () => this.#ended.resolve(1));
    // The process's connections die with it. Close the copies too, or their clients would wait.
    for (const end of ['exit', 'error', 'disconnect']) this.#process.on(end, () => this.#closeGiven());
    this.onMessage((message) => 'took' in message && this.#taken(message.took));
  }

  get role(): Role['role'] | undefined {
    return this.#role;
  }

  assume(role: Role): void {
    this.#role = role.role;
    this.#since = performance.now();
    this.send(role);
  }

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

  async told<Key extends 'opened' | 'ready'>(key: Key): Promise<ChildMessage<Key>> {
    const heard = new Promise<ChildMessage<Key>>((resolve) => {
      this.onMessage((message) => key in message && resolve(message as ChildMessage<Key>));
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

export interface Role {
  readonly role: 'writer' | 'worker';
  readonly writerAt: WriterAddress;
  readonly publicUrl: string;
}

export type ToChild =
  | Role
  /** The supervisor keeps a copy of the socket until the worker confirms. */
  | { readonly connection: number }
  | { readonly stop: true }
  | { readonly snapshotOf: number }
  | { readonly rendered: number; readonly text: string };

export type FromChild =
  /** The writer has migrated the database; `setupCode` if there is no owner yet. */
  | { readonly opened: true; readonly setupCode: string | undefined }
  | { readonly ready: true }
  | { readonly took: number }
  | { readonly leaving: true }
  | { readonly snapshot: MetricsSnapshot; readonly for: number }
  | { readonly render: number };

/** A worker takes about 150 MB, so more must be configured explicitly. */
const BY_ITSELF_MAX = 4;

export function workerCount({ workers }: { readonly workers: number }): number {
  return workers === 0 ? Math.min(availableParallelism(), BY_ITSELF_MAX) : workers;
}
