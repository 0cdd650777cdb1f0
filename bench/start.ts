// How long it takes from the start of a server to its first answered read, and how much memory it has while nothing is asked of
// it, all its processes together.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Engine } from '../packages/server/src/store/database.ts';
import { RESTS_AFTER_MS } from '../packages/server/src/store/thread.ts';
import { createDatabase } from '../test/support/database.ts';
import { onBothEngines } from './engines.ts';
import type { Figure } from './figure.ts';
import { type ServerProcess, startCairn } from './process.ts';
import { residentMb } from './process-usage.ts';
import { loadRepository } from './read-data.ts';
import { counted, sized, sizedBy } from './size.ts';

const RUNS = sized({ full: 5, quick: 2 });
const RECORDS = {
  sqlite: sizedBy('BENCH_RECORDS', { full: 1_000_000, quick: 1_000 }),
  /** Fewer: they take longer to write than to start on. */
  postgres: sizedBy('BENCH_RECORDS', { full: 100_000, quick: 1_000 }),
} as const satisfies Record<Engine, number>;
const START_MS_MAX = 1_500;
const IDLE_MB_MAX = 200;
const MEMORY_RUNS = sized({ full: 2, quick: 1 });
/** After which nothing of the start is left to do, and threads that nobody needs have ended. */
const SETTLE_MS = sized({ full: RESTS_AFTER_MS + 10_000, quick: 300 });
const READ = '/api/repos/bench/world/head?match=Reading/r500';
const SECRET = 'the secret of the benchmarks, which are thrown away';

type Settings = Record<string, string>;

export async function startFigures(): Promise<Figure[]> {
  return await onBothEngines(figuresOn, { durable: false });
}

async function figuresOn(engine: Engine, server: string | undefined): Promise<Figure[]> {
  const empty = await repeated(() => onNewStore(server, firstAnswer));
  const again = await secondStarts(engine, server);
  const [one, two] = [await idleMemories(server, 1), await idleMemories(server, 2)];
  const records = counted(RECORDS[engine], 'records');
  return [
    { name: `start to the first answered read, empty store, ${engine}`, unit: 'ms', values: empty },
    {
      name: `start to the first answered read, ${records}, ${engine}`,
      unit: 'ms',
      values: again,
      atMost: START_MS_MAX,
    },
    { name: `memory of an idle server, 1 worker, ${engine}`, unit: 'MB', values: one, atMost: IDLE_MB_MAX },
    { name: `memory of an idle server, 2 workers, ${engine}`, unit: 'MB', values: two },
  ];
}

/** The first run fills the caches, and is left out. */
async function repeated(work: () => Promise<number>): Promise<number[]> {
  const values: number[] = [];
  for (let run = 0; run <= RUNS; run++) values.push(await work());
  return values.slice(1);
}

async function onNewStore(
  server: string | undefined,
  measure: (settings: Settings) => Promise<number>,
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-'));
  const url = server && (await createDatabase(server)).url;
  try {
    return await measure({
      CAIRN_DATA: folder,
      CAIRN_SECRET: SECRET,
      ...(url !== undefined && { CAIRN_DATABASE_URL: url }),
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function secondStarts(engine: Engine, server: string | undefined): Promise<number[]> {
  const loaded = await loadRepository({ records: RECORDS[engine], sent: [], server });
  try {
    return await repeated(() => firstAnswer(loaded.settings, loaded.token));
  } finally {
    loaded.remove();
  }
}

/** Milliseconds from the start of the process. Where there is nothing to read, the answer is that there is nothing. */
async function firstAnswer(settings: Settings, token?: string): Promise<number> {
  const start = performance.now();
  const cairn = await startCairn(settings);
  try {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const { status } = await readOnce(cairn, headers);
    const taken = performance.now() - start;
    if (status !== (token === undefined ? 404 : 200)) throw new Error(`The first read was answered ${status}`);
    return taken;
  } finally {
    await cairn.stop();
  }
}

async function readOnce({ port }: ServerProcess, headers: Record<string, string>): Promise<Response> {
  const answer = await fetch(`http://127.0.0.1:${port}${READ}`, { headers });
  await answer.text();
  return answer;
}

/** These take their time, and what was cached before changes little. */
async function idleMemories(server: string | undefined, workers: number): Promise<number[]> {
  const values: number[] = [];
  for (let run = 0; run < MEMORY_RUNS; run++) values.push(await onNewStore(server, idleMemory(workers)));
  return values;
}

function idleMemory(workers: number): (settings: Settings) => Promise<number> {
  return async (settings) => {
    const cairn = await startCairn({ ...settings, CAIRN_WORKERS: String(workers) });
    try {
      await readOnce(cairn, {});
      await pause(SETTLE_MS);
      return residentMb(cairn);
    } finally {
      await cairn.stop();
    }
  };
}
