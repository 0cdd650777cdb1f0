// How long it takes from the start of a server to its first answered read.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '../packages/server/src/engine/database.ts';
import { createDatabase } from '../test/support/database.ts';
import { onBothEngines } from './engines.ts';
import type { Figure } from './figure.ts';
import { type ServerProcess, startCairn } from './process.ts';
import { loadRepository } from './read-data.ts';
import { counted, sized, sizedBy } from './size.ts';

const RUNS = sized({ full: 5, quick: 2 });
const RECORDS = {
  sqlite: sizedBy('BENCH_RECORDS', { full: 1_000_000, quick: 1_000 }),
  /** Fewer: they take longer to write than to start on. */
  postgres: sizedBy('BENCH_RECORDS', { full: 100_000, quick: 1_000 }),
} as const satisfies Record<Engine, number>;
const START_MS_MAX = 1_500;
const READ = '/api/repos/bench/world/head?match=Reading/r500';
const SECRET = 'the secret of the benchmarks, which are thrown away';

export type Settings = Record<string, string>;

export async function startFigures(): Promise<Figure[]> {
  return await onBothEngines(figuresOn, { durable: false });
}

async function figuresOn(engine: Engine, server: string | undefined): Promise<Figure[]> {
  const empty = await repeated(() => onNewStore(server, firstAnswer));
  const again = await secondStarts(engine, server);
  const records = counted(RECORDS[engine], 'records');
  return [
    { name: `start to the first answered read, empty store, ${engine}`, unit: 'ms', values: empty },
    {
      name: `start to the first answered read, ${records}, ${engine}`,
      unit: 'ms',
      values: again,
      atMost: START_MS_MAX,
    },
  ];
}

/** The first run fills the caches, and is left out. */
async function repeated(work: () => Promise<number>): Promise<number[]> {
  const values: number[] = [];
  for (let run = 0; run <= RUNS; run++) values.push(await work());
  return values.slice(1);
}

/** A data folder, and on PostgreSQL a database, that go when it was measured. */
export async function onNewStore<Result>(
  server: string | undefined,
  measure: (settings: Settings) => Promise<Result>,
): Promise<Result> {
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
  const loaded = await loadRepository({ records: RECORDS[engine], server });
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

export async function readOnce({ port }: ServerProcess, headers: Record<string, string>): Promise<Response> {
  const answer = await fetch(`http://127.0.0.1:${port}${READ}`, { headers });
  await answer.text();
  return answer;
}
