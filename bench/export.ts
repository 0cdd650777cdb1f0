// Exports of a large repository over HTTP, on both engines: memory, latency of other requests meanwhile, and the speed
// of a job that builds its file.
import { setTimeout as pause } from 'node:timers/promises';
import type { ExportMinted } from '@cairn/protocol/export';
import { startPostgres } from '../test/support/postgres.ts';
import { exportedRows } from './export-rows.ts';
import type { Figure } from './figure.ts';
import { requestText } from './load-text.ts';
import {
  type DownloadProcess,
  type LoadProcess,
  peakWhile,
  residentBytes,
  type ServerProcess,
  startCairn,
  startDownload,
  startLoad,
} from './process.ts';
import { type LoadedRepository, loadRepository } from './read-data.ts';
import { counted, sized, sizedBy } from './size.ts';

const RUNS = sized({ full: 3, quick: 2 });
const RECORDS = sizedBy('BENCH_RECORDS', { full: 2_000_000, quick: 5_000 });
const RECORDS_ON_POSTGRES = RECORDS / 10;
const EXPORT = '/api/repos/bench/world/export';
const POINT_READ = '/api/repos/bench/world/head?match=Reading/r500';
const METRICS_TOKEN = 'the metrics of the benchmarks, which nobody else reads';
const SLOW_BYTES_PER_SECOND = 1_000_000;
const SLOW_SECONDS = sized({ full: 10, quick: 0.2 });
const SAMPLE_MS = 200;
const MIB = 1_048_576;
const IDLE_MS = sized({ full: 5_000, quick: 200 });
const DURING_MS = sized({ full: 3_000, quick: 100 });

interface Bench extends LoadedRepository {
  readonly records: number;
  /** Repository and engine, as they appear in the names of figures. */
  readonly what: string;
  readonly cairn: ServerProcess;
  readonly fast: DownloadProcess;
  readonly slow: DownloadProcess;
  readonly load: LoadProcess;
}

export async function exportFigures(): Promise<Figure[]> {
  const onSqlite = await figuresOn(undefined, RECORDS);
  const postgres = await startPostgres();
  try {
    return [...onSqlite, ...(await figuresOn(postgres.url, RECORDS_ON_POSTGRES))];
  } finally {
    await postgres.stop();
  }
}

async function figuresOn(server: string | undefined, records: number): Promise<Figure[]> {
  const loaded = await loadRepository({ records, server });
  const closing: (() => unknown)[] = [loaded.remove];
  const opened = <Process extends { stop(): Promise<void> }>(process: Process): Process => {
    closing.push(process.stop);
    return process;
  };
  try {
    const cairn = opened(await startCairn({ ...loaded.settings, CAIRN_METRICS_TOKEN: METRICS_TOKEN }));
    const [fast, slow, load] = [opened(startDownload()), opened(startDownload()), opened(startLoad())];
    const what = `${counted(records, 'records')}, ${loaded.location.engine}`;
    const bench = { ...loaded, records, what, cairn, fast, slow, load };
    return [await memoryFigure(bench), ...(await readFigures(bench)), await buildFigure(bench)];
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

async function buildFigure({ cairn, token, records, what }: Bench): Promise<Figure> {
  const values: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    // Another range each time, because equal jobs share one file. The first commits hold the shapes.
    const seconds = await built(cairn, { token, sinceRepoSeq: run });
    values.push(records / seconds);
  }
  return { name: `export job from mint to file, ${what}`, unit: 'rows a second', values };
}

async function built({ port }: ServerProcess, { token, sinceRepoSeq }: { token: string; sinceRepoSeq: number }) {
  const headers = { authorization: `Bearer ${token}` };
  const ask = (query: string) => fetch(`http://127.0.0.1:${port}${EXPORT}?${query}`, { headers });
  const start = performance.now();
  const { exportToken } = (await (await ask(`prefer=async&sinceRepoSeq=${sinceRepoSeq}`)).json()) as ExportMinted;
  for (;;) {
    const { status } = await ask(`token=${encodeURIComponent(exportToken)}`);
    if (status === 200) return (performance.now() - start) / 1_000;
    if (status !== 202) throw new Error(`The job answered ${status}`);
    await pause(SAMPLE_MS / 4);
  }
}

async function memoryFigure(bench: Bench): Promise<Figure> {
  const { cairn, fast, token, what } = bench;
  // Starts all threads: the first export starts one for exports.
  exportedRows(await fast.measure({ port: cairn.port, path: `${EXPORT}?atRepoSeq=1`, token }));
  const values: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    // Measured each time, because the memory of an idle server falls for a while.
    await pause(IDLE_MS);
    const idle = await residentBytes(cairn, METRICS_TOKEN);
    await twoExports(bench, async (whole) => {
      values.push(((await peakWhile(cairn, { metricsToken: METRICS_TOKEN, work: whole })) - idle) / MIB);
    });
  }
  return { name: `memory above idle of two exports, ${what}`, unit: 'MiB', values, atMost: 64 };
}

async function readFigures(bench: Bench): Promise<Figure[]> {
  const { cairn, load, token, what } = bench;
  const requests = [{ text: requestText({ path: POINT_READ, token }), expected: '' }];
  const read = { port: cairn.port, connections: 1, requests };
  const [before, during]: [number[], number[]] = [[], []];
  for (let run = 0; run < RUNS; run++) {
    before.push((await load.measure({ ...read, ms: IDLE_MS })).slowestMs);
    await twoExports(bench, async () => {
      during.push((await load.measure({ ...read, ms: DURING_MS })).slowestMs);
    });
  }
  const named = (when: string) => `point read, ${when}, 99th percentile, ${what}`;
  return [
    { name: named('before two exports'), unit: 'ms', values: before },
    { name: named('during two exports'), unit: 'ms', values: during },
  ];
}

async function twoExports(
  { cairn, fast, slow, token }: Bench,
  meanwhile: (whole: Promise<unknown>) => Promise<void>,
): Promise<void> {
  const request = { port: cairn.port, path: EXPORT, token };
  const slowly = slow.measure({
    ...request,
    bytesPerSecond: SLOW_BYTES_PER_SECOND,
    bytes: SLOW_BYTES_PER_SECOND * SLOW_SECONDS,
  });
  const whole = fast.measure(request);
  await meanwhile(whole);
  exportedRows(await whole);
  await slowly;
}
