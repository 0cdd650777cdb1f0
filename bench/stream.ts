// Submits a file of operations as a stream by the command line, and measures how long other requests wait meanwhile.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { CairnClient } from '@cairn/sdk';
import { createToken, EVERYTHING } from '../packages/server/src/account/account.ts';
import { readConfig, storeLocation } from '../packages/server/src/config.ts';
import { openStore } from '../packages/server/src/store.ts';
import { createDatabase } from '../test/support/database.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { addTestRepository } from '../test/support/repository.ts';
import { type Figure, ratios } from './figure.ts';
import { requestText } from './load-text.ts';
import { peakWhile, residentBytes, type ServerProcess, startCairn, startLoad } from './process.ts';
import { processorSecondsOf } from './process-usage.ts';
import { counted, sized, sizedBy } from './size.ts';

const RUNS = sized({ full: 3, quick: 2 });
const LINES = sizedBy('BENCH_LINES', { full: 1_000_000, quick: 10_000 });
const LINES_ON_POSTGRES = LINES / 10;
const READS_MS = sized({ full: 4_000, quick: 200 });
/** Enough lines to outlast the measured reads, on SQLite. */
const LINES_BESIDE_READS = LINES / 4;
const READS_BESIDE_MS = sized({ full: 2_500, quick: 100 });
const STARTED_MS = sized({ full: 1_000, quick: 100 });
const MIB = 1_048_576;
const POINT_READ = '/api/repos/bench/small/head?match=Reading/r500';
const SMALL = 1_000;
const METRICS_TOKEN = 'the metrics of the benchmarks, which nobody else reads';
const ROOT = join(import.meta.dirname, '..');

type Kind = 'plain' | 'referring';

const SHAPE = {
  kind: 'shape',
  name: 'Reading',
  data: {
    fields: { label: 'string', value: { type: 'number', indexed: true }, note: 'string', 'before?': 'wref' },
  },
};

/** About 245 bytes of data. The reference points to one of the thousand records before it. */
function operation(n: number, kind: Kind): object {
  const note = `the reading number ${n} of a long series that is taken every minute, by a sensor in the cellar`;
  const data = { label: `reading ${n}`, value: n / 7, note: note.padEnd(150, '.') };
  const before = kind === 'plain' || n === 0 ? {} : { before: `Reading/r${Math.max(0, n - 1 - (n % 1_000))}` };
  return { name: `Reading/r${n}`, data: { ...data, ...before } };
}

async function writeLines(file: string, kind: Kind, lines: number): Promise<void> {
  const stream = createWriteStream(file);
  for (let from = 0; from < lines; from += 1_000) {
    const count = Math.min(1_000, lines - from);
    const some = Array.from({ length: count }, (_, n) => JSON.stringify(operation(from + n, kind)));
    if (!stream.write(`${some.join('\n')}\n`)) await once(stream, 'drain');
  }
  stream.end();
  await finished(stream);
}

interface Target {
  readonly cairn: ServerProcess;
  readonly client: CairnClient;
  readonly token: string;
  stop(): Promise<void>;
}

async function startTarget(postgres: string | undefined): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-'));
  const settings = {
    CAIRN_DATA: folder,
    CAIRN_SECRET: 'the secret of the benchmarks, which are thrown away',
    CAIRN_METRICS_TOKEN: METRICS_TOKEN,
    ...(postgres !== undefined && { CAIRN_DATABASE_URL: (await createDatabase(postgres)).url }),
  };
  const location = storeLocation(readConfig([], settings));
  const store = await openStore(location);
  await addTestRepository(store, 'bench');
  const { token } = await createToken(store, { email: 'bench@example.com', name: 'bench', scopes: EVERYTHING });
  await store.close();
  const cairn = await startCairn(settings);
  const client = new CairnClient({ url: `http://127.0.0.1:${cairn.port}`, token });
  await client.repo.create('bench', 'small');
  const operations = [SHAPE, ...Array.from({ length: SMALL }, (_, n) => operation(n, 'plain'))];
  await client.commit.submit('bench', 'small', { operations });
  const stop = async () => {
    await cairn.stop();
    rmSync(folder, { recursive: true });
  };
  return { cairn, client, token, stop };
}

interface Streamed {
  readonly perSecond: number;
  /** Processor time per line, over all threads of the server. */
  readonly microseconds: number;
  readonly memoryMib: number;
}

interface Lines {
  readonly file: string;
  readonly lines: number;
}

interface StreamBench {
  readonly kind: Kind;
  readonly whole: Lines;
  readonly besideReads: Lines;
  readonly postgres: string | undefined;
}

async function onTarget<Result>(
  { postgres }: StreamBench,
  measure: (target: Target) => Promise<Result>,
): Promise<Result> {
  const target = await startTarget(postgres);
  try {
    await target.client.commit.submit('bench', 'world', { operations: [SHAPE] });
    return await measure(target);
  } finally {
    await target.stop();
  }
}

async function measureStream(bench: StreamBench): Promise<Streamed> {
  const { lines, file } = bench.whole;
  return await onTarget(bench, async (target) => {
    const { cairn, client } = target;
    const before = await residentBytes(cairn, METRICS_TOKEN);
    const used = processorSecondsOf([cairn]);
    const submitted = submit(target, file);
    const peak = peakWhile(cairn, { metricsToken: METRICS_TOKEN, work: submitted });
    const seconds = await submitted;
    const microseconds = (1e6 * (processorSecondsOf([cairn]) - used)) / lines;
    const { count } = await client.thing.count('bench', 'world', { shape: 'Reading' });
    if (count !== lines) throw new Error(`${count} of ${lines} lines are there`);
    const memoryMib = ((await peak) - before) / MIB;
    return { perSecond: lines / seconds, microseconds, memoryMib };
  });
}

interface Waited {
  readonly idleMs: number;
  readonly duringMs: number;
}

/** Sequential point reads, before a stream and while one runs at full speed. */
async function measureReads(bench: StreamBench): Promise<Waited> {
  const load = startLoad();
  try {
    return await onTarget(bench, async (target) => {
      const requests = [{ text: requestText({ path: POINT_READ, token: target.token }), expected: '' }];
      const read = { port: target.cairn.port, connections: 1, requests, ms: READS_MS };
      await load.measure(read);
      const idle = await load.measure(read);
      const submitted = submit(target, bench.besideReads.file);
      await pause(STARTED_MS);
      const during = await load.measure({ ...read, ms: READS_BESIDE_MS });
      await submitted;
      return { idleMs: idle.slowestMs, duringMs: during.slowestMs };
    });
  } finally {
    await load.stop();
  }
}

async function submit({ cairn, token }: Target, file: string): Promise<number> {
  const env = { ...process.env, CAIRN_URL: `http://127.0.0.1:${cairn.port}`, CAIRN_TOKEN: token };
  const start = performance.now();
  const arguments_ = ['packages/cli/src/main.ts', 'stream', 'submit', file, '--repo', 'bench/world', '--json'];
  const child = fork(join(ROOT, 'run.mjs'), arguments_, {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [code] = (await once(child, 'exit')) as [number];
  if (code !== 0) throw new Error(`cairn stream submit ended with ${code}`);
  return (performance.now() - start) / 1_000;
}

interface KindOfLines {
  readonly name: string;
  /** Lines a second on two cores, including the client's share. */
  readonly atLeast: number;
  /** Limit of the server's processor time per line in microseconds. */
  readonly atMost?: number;
}

const KINDS: Readonly<Record<Kind, KindOfLines>> = {
  plain: { name: 'records with an indexed number', atLeast: 45_000, atMost: 20 },
  referring: { name: 'records with a reference and an indexed number', atLeast: 15_000 },
};

export async function streamFigures(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-lines-'));
  const server = await startPostgres([]);
  try {
    const figures: Figure[] = [];
    for (const kind of ['plain', 'referring'] as const) {
      const fileOf = async (lines: number): Promise<Lines> => {
        const file = join(folder, `${kind}-${lines}.jsonl`);
        await writeLines(file, kind, lines);
        return { file, lines };
      };
      const [whole, besideReads] = [await fileOf(LINES), await fileOf(LINES_BESIDE_READS)];
      figures.push(...(await figuresOf({ kind, whole, besideReads, postgres: undefined })));
      const onPostgres = await fileOf(LINES_ON_POSTGRES);
      figures.push(...(await figuresOf({ kind, whole: onPostgres, besideReads: onPostgres, postgres: server.url })));
    }
    return figures;
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

async function figuresOf(bench: StreamBench): Promise<Figure[]> {
  const [streamed, waited]: [Streamed[], Waited[]] = [[], []];
  for (let run = 0; run < RUNS; run++) {
    streamed.push(await measureStream(bench));
    waited.push(await measureReads(bench));
  }
  const { name, ...targets } = KINDS[bench.kind];
  const engine = bench.postgres === undefined ? 'sqlite' : 'postgres';
  const what = ({ lines }: Lines) => `${counted(lines, 'lines')} of ${name}, ${engine}`;
  return [
    ...rateFigures(streamed, { what: what(bench.whole), ...(engine === 'sqlite' && targets) }),
    ...readFigures(waited, what(bench.besideReads)),
  ];
}

interface Rated {
  readonly what: string;
  readonly atLeast?: number;
  readonly atMost?: number;
}

function rateFigures(runs: readonly Streamed[], { what, atLeast, atMost }: Rated): Figure[] {
  const values = runs.map((run) => run.perSecond);
  const times = runs.map((run) => run.microseconds);
  return [
    { name: `stream submit, ${what}`, unit: 'lines a second', values, ...(atLeast !== undefined && { atLeast }) },
    {
      name: `processor time, stream submit, ${what}`,
      unit: 'µs a line',
      values: times,
      ...(atMost !== undefined && { atMost }),
    },
    { name: `memory above idle, stream submit, ${what}`, unit: 'MiB', values: runs.map((run) => run.memoryMib) },
  ];
}

function readFigures(runs: readonly Waited[], what: string): Figure[] {
  const idle = runs.map((run) => run.idleMs);
  return [
    { name: `point read, idle, 99th percentile, before ${what}`, unit: 'ms', values: idle },
    { name: `point read, 99th percentile, beside ${what}`, unit: 'ms', values: runs.map((run) => run.duringMs) },
    {
      name: `point read, 99th percentile, beside to before ${what}`,
      unit: 'times',
      values: ratios(
        runs.map((run) => run.duringMs),
        idle,
      ),
      atMost: 5,
    },
  ];
}
