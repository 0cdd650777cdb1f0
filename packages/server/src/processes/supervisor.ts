// One writer process and several workers. This process listens, hands out connections and replaces dead processes with
// a spare. It touches no data, so data problems cannot end it.
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { publicUrlOf, setupLink } from '../config.ts';
import { newWriterAddress } from '../engine/writer-socket.ts';
import { listen } from '../http/listener.ts';
import { type MetricsSnapshot, renderTogether } from '../http/metrics.ts';
import { type FromChild, type Role, Supervised } from './supervised.ts';

/** Together with the processes' own stop time, this stays within the promised 10 s. */
const STOP_WITHIN_MS = 9_000;
const SNAPSHOT_WITHIN_MS = 1_000;
/** A process that dies sooner is restarted after a pause. */
const SOON_MS = 1_000;
const PAUSE_MS = 100;
const PAUSE_MAX_MS = 5_000;
const SPARE_AFTER_MS = 300;
const WAITING_MAX = 1_000;

interface SupervisorOptions {
  readonly args: readonly string[];
  readonly workers: number;
  readonly port: number;
  readonly host: string;
  readonly publicUrl: string | undefined;
}

interface SupervisedServer {
  readonly url: string;
  readonly setupUrl: string | undefined;
  stop(): Promise<void>;
}

export async function supervise(options: SupervisorOptions): Promise<SupervisedServer> {
  const supervisor = new Supervisor(options);
  try {
    return await supervisor.start();
  } catch (error) {
    await supervisor.stop();
    throw error;
  }
}

class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #writerAt = newWriterAddress();
  readonly #children = new Set<Supervised>();
  readonly #ready: Supervised[] = [];
  readonly #waiting: Socket[] = [];
  readonly #snapshots = new Map<number, (snapshot: MetricsSnapshot) => void>();
  readonly #server: Server;
  #spare: Supervised | undefined;
  #spareSoon: NodeJS.Timeout | undefined;
  #publicUrl = '';
  #lastId = 0;
  #stopping = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    // The worker reads the data, not this process.
    this.#server = createServer({ pauseOnConnect: true }, (socket) => this.#give(socket));
  }

  async start(): Promise<SupervisedServer> {
    const { port, host, workers } = this.#options;
    this.#publicUrl = publicUrlOf(this.#options, await listen(this.#server, { port, host }));
    const writer = this.#start('writer');
    const { setupCode } = await writer.told('opened');
    // Starts one worker first, so that a configuration error is reported once.
    await this.#start('worker').told('ready');
    const others = Array.from({ length: workers - 1 }, () => this.#start('worker'));
    await Promise.all(others.map((worker) => worker.told('ready')));
    for (const child of this.#children) child.hasPlace = true;
    this.#keepSpare();
    return { url: this.#publicUrl, setupUrl: setupLink(this.#publicUrl, setupCode), stop: () => this.stop() };
  }

  /** Workers stop first, because the writer still writes for them. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#server.close();
    for (const socket of this.#waiting.splice(0)) socket.destroy();
    const late = setTimeout(() => this.#kill(), STOP_WITHIN_MS);
    this.#spare?.kill();
    for (const role of ['worker', 'writer', undefined] as const) {
      const stopping = [...this.#children].filter((child) => child.role === role);
      await Promise.all(stopping.map((child) => child.stop()));
    }
    clearTimeout(late);
    this.#writerAt.remove();
  }

  #start(role: Role['role']): Supervised {
    const { path, key } = this.#writerAt;
    const child = this.#spare ?? this.#fork();
    this.#spare = undefined;
    child.assume({ role, writerAt: { path, key }, publicUrl: this.#publicUrl });
    return child;
  }

  #fork(): Supervised {
    const child = new Supervised(this.#options.args);
    this.#children.add(child);
    child.onMessage((message) => this.#hear(child, message));
    child.onExit(() => this.#lose(child));
    return child;
  }

  /** Waits until other processes have started, because they need the processors more. */
  #keepSpare(): void {
    this.#spareSoon ??= setTimeout(() => {
      this.#spareSoon = undefined;
      if (!this.#stopping) this.#spare ??= this.#fork();
    }, SPARE_AFTER_MS);
    this.#spareSoon.unref();
  }

  #lose(child: Supervised): void {
    this.#children.delete(child);
    this.#passOver(child);
    if (this.#spare === child) this.#spare = undefined;
    if (!this.#stopping) this.#keepSpare();
    if (!this.#stopping && child.hasPlace) void this.#replace(child);
  }

  #passOver(child: Supervised): void {
    const place = this.#ready.indexOf(child);
    if (place !== -1) this.#ready.splice(place, 1);
  }

  async #replace({ role = 'worker', livedMs, failures }: Supervised): Promise<void> {
    const soon = livedMs < SOON_MS;
    if (soon) await pause(Math.min(PAUSE_MS * 2 ** failures, PAUSE_MAX_MS));
    if (this.#stopping) return;
    const child = this.#start(role);
    child.hasPlace = true;
    child.failures = soon ? failures + 1 : 0;
  }

  #give(socket: Socket): void {
    // A socket may fail before a worker has it.
    socket.on('error', () => socket.destroy());
    const next = this.#ready.shift();
    if (next !== undefined) {
      this.#ready.push(next);
      next.give(socket);
    } else if (this.#waiting.length < WAITING_MAX && !this.#stopping) this.#waiting.push(socket);
    else socket.destroy();
  }

  #hear(child: Supervised, message: FromChild): void {
    if ('ready' in message) {
      this.#ready.push(child);
      for (const socket of this.#waiting.splice(0)) this.#give(socket);
    }
    if ('leaving' in message) this.#passOver(child);
    if ('render' in message) void this.#render(child, message.render);
    if ('snapshot' in message) this.#snapshots.get(message.for)?.(message.snapshot);
  }

  async #render(asker: Supervised, rendered: number): Promise<void> {
    const snapshots = await Promise.all(
      [...this.#children].filter(({ role }) => role !== undefined).map((child) => this.#snapshotOf(child)),
    );
    const text = await renderTogether(snapshots.filter((one) => one !== undefined));
    asker.send({ rendered, text });
  }

  #snapshotOf(child: Supervised): Promise<MetricsSnapshot | undefined> {
    const id = ++this.#lastId;
    const given = Promise.withResolvers<MetricsSnapshot | undefined>();
    const late = setTimeout(given.resolve, SNAPSHOT_WITHIN_MS, undefined);
    this.#snapshots.set(id, given.resolve);
    child.send({ snapshotOf: id });
    return given.promise.finally(() => {
      clearTimeout(late);
      this.#snapshots.delete(id);
    });
  }

  #kill(): void {
    for (const child of this.#children) child.kill();
  }
}
