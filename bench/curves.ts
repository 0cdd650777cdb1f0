// Cost of reads, writes and exports as a repository grows. Streams fill one repository per engine; each tenfold size is
// measured.

import { CairnClient } from '@cairn/sdk';
import type { Engine } from '../packages/server/src/engine/database.ts';
import { onBothEngines } from './engines.ts';
import { exportedRows } from './export-rows.ts';
import type { Curve } from './figure.ts';
import type { Sent } from './load-text.ts';
import { type DownloadProcess, startCairn, startDownload, startLoad } from './process.ts';
import { type LoadedRepository, loadRepository, READING_FIELDS, READINGS, reading } from './read-data.ts';
import { answered, fill, followed, readsAt, revisions, type Served } from './single-load.ts';
import { sized, sizedBy } from './size.ts';

const RUNS = 3;
const RUN_MS = sized({ full: 1_000, quick: 100 });
const WARM_UP_MS = sized({ full: 2_000, quick: 100 });
/** Node compiles hot code at first: without this, the first measurements would be slower than later ones. */
const FIRST_WARM_UP_MS = sized({ full: 5_000, quick: 100 });
const FIRST_WARM_UP_LINES = sized({ full: 30_000, quick: 2_000 });
const LEAST = 1_000;
/** Filling PostgreSQL takes several times as long. */
const MOST = {
  sqlite: sizedBy('BENCH_CURVE_MOST', { full: 10_000_000, quick: 10_000 }),
  postgres: Math.min(1_000_000, sizedBy('BENCH_CURVE_MOST', { full: 1_000_000, quick: 10_000 })),
} as const satisfies Record<Engine, number>;
/** From this size on, one export is enough: it takes minutes. */
const EXPORT_ONCE_FROM = 10_000_000;
const STREAM_LINES = sized({ full: 50_000, quick: 2_000 });
const WARM = 'warm';

type Work = 'point read' | 'page of 50' | 'indexed filter' | 'about' | 'single commit' | 'stream submit' | 'export';

const UNITS: Readonly<Record<Work, string>> = {
  'point read': 'a second',
  'page of 50': 'a second',
  'indexed filter': 'a second',
  about: 'a second',
  'single commit': 'a second',
  'stream submit': 'lines a second',
  export: 'rows a second',
};

interface Bench extends Served {
  readonly download: DownloadProcess;
}

export async function curves(): Promise<Curve[]> {
  return await onBothEngines(curvesOn, { durable: true });
}

async function curvesOn(engine: Engine, server: string | undefined): Promise<Curve[]> {
  const loaded: LoadedRepository = await loadRepository({ records: LEAST, server });
  const cairn = await startCairn(loaded.settings);
  const [load, download] = [startLoad(), startDownload()];
  try {
    const client = new CairnClient({ url: `http://127.0.0.1:${cairn.port}`, token: loaded.token });
    const bench = { token: loaded.token, cairn, client, load, download };
    await warmUp(bench);
    return await grow(bench, engine);
  } finally {
    await Promise.all([load.stop(), download.stop(), cairn.stop()]);
    loaded.remove();
  }
}

async function warmUp(bench: Bench): Promise<void> {
  const { client } = bench;
  await client.repo.create('bench', WARM);
  await client.shape.create('bench', WARM, 'Reading', { fields: READING_FIELDS });
  await fill(bench, { repoName: WARM, contents: READINGS, from: 0, to: FIRST_WARM_UP_LINES });
  await exportRates(bench, { repoName: WARM, runs: RUNS });
  for (const read of Object.values(readsAt(LEAST))) await answered(bench, read, FIRST_WARM_UP_MS);
  await commitRates(bench, { repoName: WARM, records: LEAST });
}

type Points = Map<Work, { records: number; values: number[] }[]>;

async function grow(bench: Bench, engine: Engine): Promise<Curve[]> {
  const points: Points = new Map((Object.keys(UNITS) as Work[]).map((work) => [work, []]));
  const most = MOST[engine];
  for (let [records, there] = [LEAST, LEAST]; records <= most; records *= 10) {
    await fill(bench, { repoName: 'world', contents: READINGS, from: there, to: records });
    await followed(bench);
    for (const [work, values] of await measure(bench, records)) points.get(work)?.push({ records, values });
    // The measured streams are the first part of the growth to the next size.
    const lines = Math.min(STREAM_LINES, records);
    const streamed = await streamRates(bench, { from: records, lines });
    points.get('stream submit')?.push({ records, values: streamed });
    there = records + RUNS * lines;
  }
  return [...points].map(([name, measured]) => ({ name, unit: UNITS[name], engine, points: measured }));
}

async function measure(bench: Bench, records: number): Promise<[Work, number[]][]> {
  const measured: [Work, number[]][] = [];
  for (const [work, read] of Object.entries(readsAt(records)) as [Work, readonly Sent[]][]) {
    measured.push([work, await readRates(bench, read)]);
  }
  measured.push([
    'export',
    await exportRates(bench, { repoName: 'world', runs: records < EXPORT_ONCE_FROM ? RUNS : 1 }),
  ]);
  measured.push(['single commit', await commitRates(bench, { repoName: 'world', records })]);
  return measured;
}

async function readRates(bench: Bench, read: readonly Sent[]): Promise<number[]> {
  await answered(bench, read, WARM_UP_MS);
  const rates: number[] = [];
  for (let run = 0; run < RUNS; run++) rates.push(await answered(bench, read, RUN_MS));
  return rates;
}

/** Sequential commits, each a new version of a random record: the number of records stays the same. */
async function commitRates(
  bench: Bench,
  { repoName, records }: { repoName: string; records: number },
): Promise<number[]> {
  const rates: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const data = (n: number) => ({ ...reading(run).data, label: `${n} in run ${run}` });
    rates.push(await answered(bench, revisions({ repoName, records, data })));
  }
  return rates;
}

async function exportRates(
  { download, cairn, token }: Bench,
  { repoName, runs }: { repoName: string; runs: number },
): Promise<number[]> {
  const rates: number[] = [];
  for (let run = 0; run < runs; run++) {
    const answer = await download.measure({ port: cairn.port, path: `/api/repos/bench/${repoName}/export`, token });
    rates.push(exportedRows(answer) / answer.seconds);
  }
  return rates;
}

async function streamRates(bench: Bench, { from, lines }: { from: number; lines: number }): Promise<number[]> {
  const rates: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const start = performance.now();
    const stretch = { from: from + run * lines, to: from + (run + 1) * lines };
    await fill(bench, { repoName: 'world', contents: READINGS, ...stretch });
    rates.push(lines / ((performance.now() - start) / 1_000));
  }
  return rates;
}
