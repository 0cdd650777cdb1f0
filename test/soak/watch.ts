// Monitors a run: memory, request durations, and progress of live clients.
import type { Killer } from './killer.ts';
import type { Listener } from './listener.ts';
import { type Lifetime, MemoryWatch } from './memory.ts';
import type { Measured } from './meter.ts';
import type { SoakServer } from './server.ts';
import type { World } from './world.ts';

export interface Interval {
  readonly atSeconds: number;
  readonly requests: Readonly<Record<string, Measured>>;
  readonly operations: number;
  readonly memoryMb: number;
  readonly kills: number;
  readonly findings: number;
}

export interface Watched {
  readonly world: World;
  readonly server: SoakServer;
  readonly killer: Killer;
  readonly listeners: readonly Listener[];
  readonly onInterval: (interval: Interval) => void;
}

const SAMPLE_MS = 2_000;
const SAMPLES_AN_INTERVAL = 5;

export class Watch {
  readonly #watched: Watched;
  readonly #memory = new MemoryWatch();
  readonly #begun = performance.now();
  readonly #timer: NodeJS.Timeout;
  readonly timeline: Interval[] = [];
  #samples = 0;
  #lastWriteAt = performance.now();
  longestWithoutWriteMs = 0;

  constructor(watched: Watched) {
    this.#watched = watched;
    for (const model of watched.world.models) model.onAcknowledged(() => this.#written());
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS);
  }

  get seconds(): number {
    return Math.round((performance.now() - this.#begun) / 1_000);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  memory(): Lifetime[] {
    return this.#memory.lifetimes();
  }

  #written(): void {
    const now = performance.now();
    this.longestWithoutWriteMs = Math.max(this.longestWithoutWriteMs, Math.round(now - this.#lastWriteAt));
    this.#lastWriteAt = now;
  }

  #sample(): void {
    const { world, server, killer, listeners, onInterval } = this.#watched;
    const memoryMb = this.#memory.sample(server.pid);
    for (const listener of listeners) listener.settle();
    this.#samples += 1;
    if (this.#samples % SAMPLES_AN_INTERVAL !== 0) return;
    const interval = {
      atSeconds: this.seconds,
      requests: world.meter.lately(),
      operations: world.models.reduce((sum, { acknowledgedOperations }) => sum + acknowledgedOperations, 0),
      memoryMb,
      kills: killer.total,
      findings: world.findings.total,
    };
    this.timeline.push(interval);
    onInterval(interval);
  }
}
