// Reads and single commits with one process that answers requests and with two, on both engines, beside as many bare processes.
// Who sends the requests needs a processor too: what a read takes of one, of the server and of the client, shows whether there
// was one left for a second worker.
import type { Engine } from '../packages/server/src/engine/database.ts';
import { onBothEngines } from './engines.ts';
import { type Figure, ratios } from './figure.ts';
import { NUMBER } from './load-text.ts';
import { type LoadProcess, type ServerProcess, startBare, startCairn, startLoad } from './process.ts';
import { processorSecondsOf } from './process-usage.ts';
import { type LoadedRepository, loadRepository } from './read-data.ts';
import type { Load } from './read-load.ts';
import { counted, sized } from './size.ts';

const RUNS = sized({ full: 4, quick: 2 });
const RUN_MS = sized({ full: 1_500, quick: 150 });
const WARM_UP = { ms: sized({ full: 5_000, quick: 150 }), requests: 30_000 };
const RECORDS = sized({ full: 10_000, quick: 1_000 });
const CONNECTIONS = 32;
const WRITERS = 16;
const WORKERS = [1, 2] as const;
const MS = 1_000;

const REPOSITORY = '/api/repos/bench/world';
const READS = [
  { name: 'head of one name', path: `${REPOSITORY}/head?match=Reading/r500` },
  { name: 'list of 50', path: `${REPOSITORY}/head?shape=Reading` },
] as const;

interface Bench extends LoadedRepository {
  readonly engine: Engine;
  readonly load: LoadProcess;
}

export async function workerFigures(): Promise<Figure[]> {
  return await onBothEngines(figuresOn, { durable: true });
}

async function figuresOn(engine: Engine, server: string | undefined): Promise<Figure[]> {
  const loaded = await loadRepository({ records: RECORDS, sent: READS, server });
  const load = startLoad();
  try {
    const bench = { ...loaded, engine, load };
    const measured: Measured[] = [];
    for (const workers of WORKERS) measured.push(await measureWorkers(bench, workers));
    return [...measured.flatMap((one) => figuresOf(one, engine)), ...gains(measured, engine)];
  } finally {
    await load.stop();
    loaded.remove();
  }
}

interface ReadRuns {
  readonly name: string;
  readonly cairn: Run[];
  readonly bare: Run[];
}

interface Measured {
  readonly workers: number;
  readonly reads: readonly ReadRuns[];
  readonly commits: readonly Run[];
}

async function measureWorkers(bench: Bench, workers: number): Promise<Measured> {
  const cairn = await startCairn({ ...bench.settings, CAIRN_WORKERS: String(workers) });
  const bare: ServerProcess[] = [];
  try {
    while (bare.length < workers) bare.push(await startBare({ location: bench.location, requests: bench.requests }));
    const reads: ReadRuns[] = [];
    for (const { name, path } of READS) {
      reads.push({ name, ...(await measureReads(bench, { path, servers: { cairn: [cairn], bare } })) });
    }
    return { workers, reads, commits: await measureCommits(bench, { cairn, workers }) };
  } finally {
    await Promise.all([cairn, ...bare].map(({ stop }) => stop()));
  }
}

interface Compared {
  readonly path: string;
  readonly servers: Readonly<Record<'cairn' | 'bare', readonly ServerProcess[]>>;
}

async function measureReads(bench: Bench, { path, servers }: Compared): Promise<Omit<ReadRuns, 'name'>> {
  const runs = { cairn: [] as Run[], bare: [] as Run[] };
  const request = { path, connections: CONNECTIONS };
  for (const one of ['cairn', 'bare'] as const) await send(bench, servers[one], { ...request, ...WARM_UP });
  // In turns, so that both meet the same noise.
  for (let run = 0; run < RUNS; run++) {
    for (const one of ['cairn', 'bare'] as const) {
      runs[one].push(await send(bench, servers[one], { ...request, ms: RUN_MS }));
    }
  }
  return runs;
}

/** Each of one record that was not there before. */
async function measureCommits(
  bench: Bench,
  { cairn, workers }: { cairn: ServerProcess; workers: number },
): Promise<Run[]> {
  const runs: Run[] = [];
  for (let run = -1; run < RUNS; run++) {
    const operations = [
      { operation: 'add', name: `Claim/w${workers}-${run}-${NUMBER}`, about: 'Reading/r0', data: { text: 'x' } },
    ];
    const json = JSON.stringify({ orgName: 'bench', repoName: 'world', operations });
    const headers = { 'content-type': 'application/json' };
    const request = { path: '/trpc/commit.submit', json, headers, connections: WRITERS, numbers: { from: 0 } };
    const measured = await send(bench, [cairn], { ...request, ms: RUN_MS });
    // The first one warms up.
    if (run >= 0) runs.push(measured);
  }
  return runs;
}

interface Run {
  readonly perSecond: number;
  /** Of a request. */
  readonly serverMs: number;
  readonly clientMs: number;
}

async function send(
  { load, token }: Bench,
  servers: readonly ServerProcess[],
  request: Omit<Load, 'port' | 'token'>,
): Promise<Run> {
  const [port = 0, ...morePorts] = servers.map((server) => server.port);
  const before = processorSecondsOf(servers);
  const { perSecond, answers, refused, clientSeconds } = await load.measure({ ...request, port, morePorts, token });
  if (refused > 0) throw new Error(`${request.path} was refused ${refused} times`);
  const serverMs = (MS * (processorSecondsOf(servers) - before)) / answers;
  return { perSecond, serverMs, clientMs: (MS * clientSeconds) / answers };
}

const rates = (runs: readonly Run[]) => runs.map(({ perSecond }) => perSecond);

function figuresOf({ workers, reads, commits }: Measured, engine: Engine): Figure[] {
  const on = `${counted(workers, workers === 1 ? 'worker' : 'workers')}, ${engine}`;
  const readFigures = reads.flatMap(({ name, cairn, bare }): Figure[] => [
    { name: `${name}, ${CONNECTIONS} connections, ${on}`, unit: 'a second', values: rates(cairn), bare: rates(bare) },
    {
      name: `${name}, processor time of the server, ${on}`,
      unit: 'ms',
      values: cairn.map(({ serverMs }) => serverMs),
      bare: bare.map(({ serverMs }) => serverMs),
    },
    { name: `${name}, processor time of the client, ${on}`, unit: 'ms', values: cairn.map(({ clientMs }) => clientMs) },
  ]);
  return [
    ...readFigures,
    { name: `single commits over HTTP, ${WRITERS} connections, ${on}`, unit: 'a second', values: rates(commits) },
    {
      name: `single commit over HTTP, processor time of the server, ${on}`,
      unit: 'ms',
      values: commits.map(({ serverMs }) => serverMs),
    },
  ];
}

function gains([one, two]: readonly Measured[], engine: Engine): Figure[] {
  if (one === undefined || two === undefined) return [];
  const named = (what: string) => `${what}, rate of 2 workers to that of 1, ${engine}`;
  const reads = one.reads.map(({ name, ...alone }, at): Figure => {
    const together = two.reads[at];
    return {
      name: named(name),
      unit: 'times',
      values: ratios(rates(together?.cairn ?? []), rates(alone.cairn)),
      bare: ratios(rates(together?.bare ?? []), rates(alone.bare)),
    };
  });
  const commits = ratios(rates(two.commits), rates(one.commits));
  return [...reads, { name: named('single commits over HTTP'), unit: 'times', values: commits }];
}
