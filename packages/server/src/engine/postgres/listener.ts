// Hears what is sent to channels of PostgreSQL. When the connection is lost it makes another, and tells who listens that
// something may have been missed.
import { setTimeout as pause } from 'node:timers/promises';
import type { StopListening } from '../database.ts';
import type { Connection } from './connection.ts';
import type { Primary } from './primary.ts';

type OnNotice = (payload: string | undefined) => void;

const AGAIN_AFTER_MS = 100;

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
      // Without a connection there is nothing to stop.
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
