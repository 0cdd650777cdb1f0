import { setTimeout as pause } from 'node:timers/promises';
import type { StopListening, Value } from '../database.ts';
import type { Connection, Session } from './connection.ts';
import type { Primary } from './primary.ts';

export interface PoolOptions {
  readonly max: number;
  readonly session?: Session;
  readonly answerMs?: number | undefined;
}

/** The server caches plans and catalogs per connection, so a connection's memory grows until it is closed. */
const LIFETIME_MS = 30 * 60_000;
const lifetimeMs = () => LIFETIME_MS * (1 + Math.random());

interface Slot {
  readonly opening: Promise<Connection>;
  readonly until: number;
  load: number;
}

export class SharedPool {
  readonly #primary: Primary;
  readonly #options: PoolOptions;
  #slots: Slot[] = [];

  constructor(primary: Primary, options: PoolOptions) {
    this.#primary = primary;
    this.#options = options;
  }

  async query<Result>(text: string, params?: readonly Value[]): Promise<Result[]> {
    const slot = this.#choose();
    slot.load++;
    try {
      const connection = await slot.opening;
      return await connection.query<Result>(text, params);
    } finally {
      slot.load--;
      if (slot.load === 0 && slot.until < performance.now()) this.#end(slot);
    }
  }

  #choose(): Slot {
    const now = performance.now();
    let least: Slot | undefined;
    let open = 0;
    for (const slot of this.#slots) {
      if (slot.until < now && slot.load > 0) continue;
      open++;
      if (least === undefined || slot.load < least.load) least = slot;
    }
    return least !== undefined && (least.load === 0 || open >= this.#options.max) ? least : this.#open();
  }

  #open(): Slot {
    const opening = this.#primary.connect(this.#options);
    const slot: Slot = { opening, until: performance.now() + lifetimeMs(), load: 0 };
    this.#slots.push(slot);
    const forget = () => this.#forget(slot);
    void opening.then((connection) => connection.onLost(forget), forget);
    return slot;
  }

  #end(slot: Slot): void {
    this.#forget(slot);
    void slot.opening.then(
      (connection) => connection.close(),
      () => {},
    );
  }

  #forget(slot: Slot): void {
    this.#slots = this.#slots.filter((other) => other !== slot);
  }
}

export class ExclusivePool {
  readonly #primary: Primary;
  readonly #options: PoolOptions;
  readonly #idle: { connection: Connection; until: number }[] = [];
  readonly #waiting: (() => void)[] = [];
  #inUse = 0;

  constructor(primary: Primary, options: PoolOptions) {
    this.#primary = primary;
    this.#options = options;
  }

  async use<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    if (this.#inUse >= this.#options.max) await new Promise<void>((turn) => this.#waiting.push(turn));
    else this.#inUse++;
    try {
      const { connection, until } = this.#takeIdle() ?? (await this.#open());
      try {
        return await work(connection);
      } finally {
        this.#giveBack(connection, until);
      }
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#inUse--;
      else next();
    }
  }

  #takeIdle() {
    for (let kept = this.#idle.pop(); kept !== undefined; kept = this.#idle.pop()) {
      if (!kept.connection.isLost) return kept;
    }
    return undefined;
  }

  async #open() {
    return { connection: await this.#primary.connect(this.#options), until: performance.now() + lifetimeMs() };
  }

  #giveBack(connection: Connection, until: number): void {
    if (connection.isLost) return;
    if (performance.now() < until) this.#idle.push({ connection, until });
    else void connection.close();
  }
}

type OnNotice = (payload: string | undefined) => void;

const AGAIN_AFTER_MS = 100;

/** After a reconnect, every listener gets `undefined`, because notices may have been missed. */
export class Listener {
  readonly #primary: Primary;
  readonly #channels = new Map<string, Set<OnNotice>>();
  #connecting: Promise<Connection> | undefined;
  #isClosed = false;

  constructor(primary: Primary) {
    this.#primary = primary;
  }

  async listen(channel: string, onNotice: OnNotice): Promise<StopListening> {
    const listeners = this.#channels.get(channel) ?? new Set<OnNotice>();
    this.#channels.set(channel, listeners.add(onNotice));
    const stop = async () => {
      listeners.delete(onNotice);
      if (listeners.size > 0 || this.#channels.get(channel) !== listeners) return;
      this.#channels.delete(channel);
      // Errors are ignored: a lost connection has no listeners on the server.
      await this.#connecting?.then((connection) => connection.query(`unlisten "${channel}"`)).catch(() => {});
    };
    try {
      this.#connecting ??= this.#connect();
      await (await this.#connecting).query(`listen "${channel}"`);
    } catch (error) {
      await stop();
      throw error;
    }
    return stop;
  }

  close(): void {
    this.#isClosed = true;
  }

  async #connect(): Promise<Connection> {
    const onNotify = (channel: string, payload: string) => this.#tell(channel, payload);
    try {
      const connection = await this.#primary.connect({ onNotify });
      connection.onLost(() => void this.#reconnect());
      return connection;
    } catch (error) {
      this.#connecting = undefined;
      throw error;
    }
  }

  async #reconnect(): Promise<void> {
    this.#connecting = undefined;
    while (!this.#isClosed && this.#channels.size > 0 && this.#connecting === undefined) {
      await pause(AGAIN_AFTER_MS, undefined, { ref: false });
      await this.#resume().catch(() => {});
    }
  }

  async #resume(): Promise<void> {
    this.#connecting ??= this.#connect();
    const connection = await this.#connecting;
    for (const channel of this.#channels.keys()) await connection.query(`listen "${channel}"`);
    for (const channel of this.#channels.keys()) this.#tell(channel, undefined);
  }

  #tell(channel: string, payload: string | undefined): void {
    for (const onNotice of this.#channels.get(channel) ?? []) onNotice(payload);
  }
}
