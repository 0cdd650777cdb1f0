// How much memory a server takes while nothing is asked of it.
import { setTimeout as pause } from 'node:timers/promises';
import type { Engine } from '../packages/server/src/engine/database.ts';
import { RESTS_AFTER_MS } from '../packages/server/src/engine/thread.ts';
import { onBothEngines } from './engines.ts';
import type { Figure } from './figure.ts';
import { startCairn } from './process.ts';
import { residentMb } from './process-usage.ts';
import { sized } from './size.ts';
import { onNewStore, readOnce, type Settings } from './start.ts';

const IDLE_MB_MAX = 200;
/** Few: each takes its time, and they hardly differ. */
const RUNS = sized({ full: 3, quick: 1 });
/** After which nothing of the start is left to do, and threads that nobody needs have ended. */
const SETTLE_MS = sized({ full: RESTS_AFTER_MS + 10_000, quick: 300 });

export async function memoryFigures(): Promise<Figure[]> {
  return await onBothEngines(figuresOn, { durable: false });
}

async function figuresOn(engine: Engine, server: string | undefined): Promise<Figure[]> {
  // Left out: the first start compiles what the others read from a cache.
  await onNewStore(server, idleMemory(0));
  const values: number[] = [];
  for (let run = 0; run < RUNS; run++) values.push(await onNewStore(server, idleMemory(SETTLE_MS)));
  return [{ name: `memory of an idle server, ${engine}`, unit: 'MB', values, atMost: IDLE_MB_MAX }];
}

function idleMemory(afterMs: number): (settings: Settings) => Promise<number> {
  return async (settings) => {
    const cairn = await startCairn(settings);
    try {
      await readOnce(cairn, {});
      await pause(afterMs);
      return residentMb(cairn);
    } finally {
      await cairn.stop();
    }
  };
}
