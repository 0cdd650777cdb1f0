// Kills the server at random moments and restarts it.
import { setTimeout as pause } from 'node:timers/promises';
import type { SoakServer } from './server.ts';
import type { World } from './world.ts';

/** `crash`: SIGKILL. `stop`: a regular stop by an operator. */
const KILLS = ['crash', 'stop'] as const;
export type Kill = (typeof KILLS)[number];

const OFTEN: readonly Kill[] = ['crash', 'crash', 'crash', 'stop'];

export interface KillerOptions {
  readonly world: World;
  readonly server: SoakServer;
  /** Average time between two kills; 0 for no kills. */
  readonly everyMs: number;
}

export class Killer {
  readonly #options: KillerOptions;
  readonly counts = Object.fromEntries(KILLS.map((kill) => [kill, 0])) as Record<Kill, number>;

  constructor(options: KillerOptions) {
    this.#options = options;
  }

  get total(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }

  async run(durationMs: number): Promise<void> {
    const { everyMs, world } = this.#options;
    const until = performance.now() + durationMs;
    for (;;) {
      const left = until - performance.now();
      const next = everyMs === 0 ? left : everyMs / 2 + world.random.below(everyMs);
      await pause(Math.max(0, Math.min(left, next)));
      // A timer may fire slightly early.
      if (next >= left) return;
      await this.kill(world.random.pick(OFTEN));
    }
  }

  async kill(kill: Kill): Promise<void> {
    const { world, server } = this.#options;
    this.counts[kill] += 1;
    if (kill === 'crash') await server.crash();
    else {
      const ended = await server.stop();
      if (ended !== 0) world.findings.add('answer', `the server was told to stop, and ended with ${ended}`);
    }
    await server.start();
  }
}
