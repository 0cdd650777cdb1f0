// Kills the server at random moments, and starts it again.
import { setTimeout as pause } from 'node:timers/promises';
import type { SoakServer } from './server.ts';
import type { World } from './world.ts';

/** `crash`: without warning. `stop`: as an operator stops it. */
const KILLS = ['crash', 'stop'] as const;
export type Kill = (typeof KILLS)[number];

/** As often as they stand here. */
const OFTEN: readonly Kill[] = ['crash', 'crash', 'crash', 'stop'];

export interface KillerOptions {
  readonly world: World;
  readonly server: SoakServer;
  /** Between two kills, on average; 0 for none. */
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

  /** For so long. */
  async run(durationMs: number): Promise<void> {
    const { everyMs, world } = this.#options;
    const until = performance.now() + durationMs;
    for (;;) {
      const left = until - performance.now();
      const next = everyMs === 0 ? left : everyMs / 2 + world.random.below(everyMs);
      await pause(Math.max(0, Math.min(left, next)));
      // A timer may be a little early.
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
