// Exports of a large repository over HTTP, beside a bare server that writes the same rows: how fast they are, how much
// memory they take, and how long other requests wait for them.
import { setTimeout as pause } from 'node:timers/promises';
import type { ExportMinted } from '@cairn/protocol/export';
import type { Downloaded } from './export-client.ts';
import type { Figure } from './figure.ts';
import {
  type DownloadProcess,
  type LoadProcess,
  peakWhile,
  residentBytes,
  type ServerProcess,
  startBareExport,
  startCairn,
  startDownload,
  startLoad,
} from './process.ts';
import { type LoadedRepository, loadRepository } from './read-data.ts';

const RUNS = 3;
const RECORDS = Number(process.env.BENCH_RECORDS ?? 2_000_000);
const EXPORT = '/api/repos/bench/world/export';
const POINT_READ = '/api/repos/bench/world/head?match=Reading/r500';
const METRICS_TOKEN = 'the metrics of the benchmarks, which nobody else reads';
const SLOW_BYTES_PER_SECOND = 1_000_000;
const SAMPLE_MS = 200;
const MIB = 1_048_576;
const IDLE_MS = 5_000;

interface Bench extends LoadedRepository {
  readonly cairn: ServerProcess;
  readonly bare: ServerProcess;
  readonly fast: DownloadProcess;
  readonly slow: DownloadProcess;
  readonly load: LoadProcess;
}

export async function exportFigures(): Promise<Figure[]> {
  const loaded = await loadRepository({ records: RECORDS, sent: [], server: undefined });
  const closing: (() => unknown)[] = [loaded.remove];
  const opened = <Process extends { stop(): Promise<void> }>(process: Process): Process => {
    closing.push(process.stop);
    return process;
  };
  try {
    const cairn = opened(await startCairn({ ...loaded.settings, CAIRN_METRICS_TOKEN: METRICS_TOKEN }));
    const file = loaded.location.engine === 'sqlite' ? loaded.location.file : '';
    const bare = opened(await startBareExport(file));
    const [fast, slow, load] = [opened(startDownload()), opened(startDownload()), opened(startLoad())];
    const bench = { ...loaded, cairn, bare, fast, slow, load };
    return [...(await memoryFigures(bench)), await streamFigure(bench), await buildFigure(bench)];
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

async function streamFigure({ cairn, bare, fast, token }: Bench): Promise<Figure> {
  const values: number[] = [];
  const bares: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const answer = await fast.measure({ port: cairn.port, path: EXPORT, token });
    values.push(rowsIn(answer) / answer.seconds);
    const { seconds } = await fast.measure({ port: bare.port, path: '/socket', token });
    bares.push(rowsIn(answer) / seconds);
  }
  return { name: `export, ${recordsText()}, sqlite`, unit: 'rows a second', values, bare: bares, atLeastOfBare: 0.5 };
}

/** From the mint to the complete file, beside a bare process that writes the same rows into one. */
async function buildFigure({ cairn, bare, token }: Bench): Promise<Figure> {
  const values: number[] = [];
  const bares: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    // Another range each time: equal jobs share one file. The first commits hold the shapes.
    const seconds = await built(cairn, { token, sinceRepoSeq: run });
    values.push(RECORDS / seconds);
    bares.push(RECORDS / Number(await (await fetch(`http://127.0.0.1:${bare.port}/file`)).text()));
  }
  const name = `export job from mint to file, ${recordsText()}, sqlite`;
  return { name, unit: 'rows a second', values, bare: bares, atLeastOfBare: 0.5 };
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

function rowsIn({ end }: Downloaded): number {
  const count = /"type":"end","recordCount":(\d+)/.exec(end)?.[1];
  if (count === undefined) throw new Error(`The export was cut: …${end}`);
  return Number(count);
}

/** While one client reads slowly and another as fast as it can, point reads go on. */
async function memoryFigures({ cairn, fast, slow, load, token }: Bench): Promise<Figure[]> {
  const read = { port: cairn.port, token, path: POINT_READ, connections: 1 };
  // Idle, with all threads started: one is there for exports from the first of them on.
  await load.measure({ ...read, ms: IDLE_MS });
  rowsIn(await fast.measure({ port: cairn.port, path: `${EXPORT}?atRepoSeq=1`, token }));
  await pause(IDLE_MS);
  const idle = await residentBytes(cairn, METRICS_TOKEN);
  const [memory, before, during]: number[][] = [[], [], []];
  for (let run = 0; run < RUNS; run++) {
    before?.push((await load.measure({ ...read, ms: IDLE_MS })).slowestMs);
    const slowly = slow.measure({
      ...{ port: cairn.port, path: EXPORT, token },
      bytesPerSecond: SLOW_BYTES_PER_SECOND,
      bytes: SLOW_BYTES_PER_SECOND * 15,
    });
    const whole = fast.measure({ port: cairn.port, path: EXPORT, token });
    const reads = load.measure({ ...read, ms: IDLE_MS });
    memory?.push(((await peakWhile(cairn, { metricsToken: METRICS_TOKEN, work: whole })) - idle) / MIB);
    during?.push((await reads).slowestMs);
    rowsIn(await whole);
    await slowly;
  }
  const named = (when: string) => `point read, ${when}, 99th percentile, ${recordsText()}, sqlite`;
  return [
    {
      name: `memory above idle of two exports, ${recordsText()}, sqlite`,
      unit: 'MiB',
      values: memory ?? [],
      atMost: 64,
    },
    { name: named('before two exports'), unit: 'ms', values: before ?? [] },
    { name: named('during two exports'), unit: 'ms', values: during ?? [] },
  ];
}

const recordsText = () => `${RECORDS.toLocaleString('en-US')} records`;
