// Reads over HTTP, in a small repository and in a large one, on both engines. The servers of an engine run at once and are
// asked in turns, so that both meet the same noise.
import type { Engine } from '../packages/server/src/engine/database.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { type Figure, ratios } from './figure.ts';
import { type LoadProcess, type ServerProcess, startCairn, startLoad } from './process.ts';
import { type LoadedRepository, loadRepository } from './read-data.ts';
import { counted, sized, sizedBy } from './size.ts';

const RUNS = sized({ full: 3, quick: 2 });
const RUN_MS = sized({ full: 700, quick: 100 });
// Code is compiled while it runs: a point read takes twice as long in the first 20,000 requests as later.
const WARM_UP = { ms: sized({ full: 3_500, quick: 100 }), requests: 30_000, connections: 8 };
const CONNECTIONS = [1, 32];
const SMALL = sized({ full: 10_000, quick: 1_000 });
const LARGE = sizedBy('BENCH_RECORDS', { full: 1_000_000, quick: 5_000 });
const FILTERS = 10;
const BESIDE_FILTERS_MS = sized({ full: 3_000, quick: 200 });

interface Read {
  readonly name: string;
  readonly path: string;
  /** Whether its time must not depend on the size of the repository. */
  readonly independent?: true;
}

const REPOSITORY = '/api/repos/bench/world';
const wref = 'Reading/r500';
const procedure = (name: string, of: string) =>
  `/trpc/${name}?input=${encodeURIComponent(JSON.stringify({ orgName: 'bench', repoName: 'world', wref: of }))}`;

const READS: readonly Read[] = [
  { name: 'thing.get', path: procedure('thing.get', wref) },
  { name: 'head of one name', path: `${REPOSITORY}/head?match=${wref}` },
  { name: 'list of 50', path: `${REPOSITORY}/head?shape=Reading` },
  {
    name: 'where on an indexed field',
    path: `${REPOSITORY}/query?shape=Reading&where=score:gte:0.9`,
    independent: true,
  },
  { name: 'about', path: `${REPOSITORY}/about/Reading%2Fr0`, independent: true },
  { name: 'refs', path: procedure('thing.refs', 'Reading/r0'), independent: true },
  { name: 'history', path: procedure('thing.history', 'Reading/r1'), independent: true },
  { name: 'page by -updated', path: `${REPOSITORY}/head?order=-updated`, independent: true },
  { name: 'search for a rare word', path: `${REPOSITORY}/query?q=4242` },
  { name: 'search for a common word', path: `${REPOSITORY}/query?q=cellar` },
];
const POINT_READ = `${REPOSITORY}/head?match=${wref}`;
/** Nothing has that value, so that all records are looked at. */
const FILTER = `${REPOSITORY}/query?shape=Reading&where=value:eq:-1`;

interface Sized extends LoadedRepository {
  readonly cairn: ServerProcess;
}

interface Bench {
  readonly engine: Engine;
  readonly small: Sized;
  readonly large: Sized;
  readonly load: LoadProcess;
}

export async function sqliteReadFigures(): Promise<Figure[]> {
  return await withServers('sqlite', undefined, figuresOf);
}

export async function postgresReadFigures(): Promise<Figure[]> {
  const postgres = await startPostgres();
  try {
    return await withServers('postgres', postgres.url, figuresOf);
  } finally {
    await postgres.stop();
  }
}

async function withServers<Result>(
  engine: Engine,
  server: string | undefined,
  work: (bench: Bench) => Promise<Result>,
): Promise<Result> {
  const closing: (() => unknown)[] = [];
  const open = async (records: number): Promise<Sized> => {
    const loaded = await loadRepository({ records, server });
    closing.push(loaded.remove);
    const cairn = await startCairn(loaded.settings);
    closing.push(cairn.stop);
    return { ...loaded, cairn };
  };
  try {
    const [small, large] = [await open(SMALL), await open(LARGE)];
    const load = startLoad();
    closing.push(load.stop);
    return await work({ engine, small, large, load });
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

async function figuresOf(bench: Bench): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const read of READS) await warmUp(bench, read);
  for (const connections of CONNECTIONS) {
    for (const read of READS) figures.push(...(await compare(bench, read, connections)));
  }
  return [...figures, ...(await besideFilters(bench)), searchIndexing(bench)];
}

async function warmUp(bench: Bench, { path }: Read): Promise<void> {
  for (const { token, cairn } of [bench.small, bench.large]) {
    await answered(bench, { ...WARM_UP, path, token, port: cairn.port });
  }
}

async function compare(bench: Bench, read: Read, connections: number): Promise<Figure[]> {
  const { engine, small, large } = bench;
  const both = [
    { sized: small, records: SMALL, values: [] as number[] },
    { sized: large, records: LARGE, values: [] as number[] },
  ];
  // What size costs is told by one connection; many tell what a server does at most.
  const sizes = connections === 1 ? both : both.slice(1);
  for (let run = 0; run < RUNS; run++) {
    for (const { sized, values } of sizes) {
      const request = { path: read.path, connections, token: sized.token, port: sized.cairn.port };
      values.push(await answered(bench, { ...request, ms: RUN_MS }));
    }
  }
  const figures = sizes.map(
    ({ records, values }): Figure => ({
      name: `${read.name}, ${connectionsText(connections)}, ${recordsText(records)}, ${engine}`,
      unit: 'a second',
      values,
    }),
  );
  return connections === 1 && read.independent ? [...figures, growth(bench, read, sizes)] : figures;
}

type Request = Parameters<LoadProcess['measure']>[0];

async function answered({ load }: Bench, request: Request): Promise<number> {
  const { perSecond, refused } = await load.measure(request);
  if (refused > 0) throw new Error(`${request.path} was refused ${refused} times`);
  return perSecond;
}

function growth({ engine }: Bench, { name }: Read, sizes: readonly { values: number[] }[]): Figure {
  const [small, large] = sizes.map(({ values }) => values);
  return {
    name: `${name}, time at ${recordsText(LARGE)} to that at ${recordsText(SMALL)}, ${engine}`,
    unit: 'times',
    values: ratios(small ?? [], large ?? []),
    atMost: 2,
  };
}

/** How long point reads wait while filters that no index bounds run in the same server. */
async function besideFilters({ engine, large, load }: Bench): Promise<Figure[]> {
  const { token, cairn } = large;
  const { port } = cairn;
  const filters = startLoad();
  const read = { port, token, path: POINT_READ, connections: 1 };
  const idle: number[] = [];
  const beside: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    idle.push((await load.measure({ ...read, ms: RUN_MS })).slowestMs);
    const filtering = filters.measure({ port, token, path: FILTER, connections: FILTERS, ms: BESIDE_FILTERS_MS });
    beside.push((await load.measure({ ...read, ms: BESIDE_FILTERS_MS })).slowestMs);
    await filtering;
  }
  await filters.stop();
  const named = (when: string) => `point read, ${when}, 99th percentile, ${recordsText(LARGE)}, ${engine}`;
  return [
    { name: named('idle'), unit: 'ms', values: idle },
    { name: named(`beside ${FILTERS} unindexed filters`), unit: 'ms', values: beside },
  ];
}

function searchIndexing({ engine, large }: Bench): Figure {
  const { records, seconds } = large.searchable;
  return {
    name: `records made searchable, ${recordsText(records)}, ${engine}`,
    unit: 'a second',
    values: [records / seconds],
  };
}

const recordsText = (records: number) => counted(records, 'records');
const connectionsText = (connections: number) => `${connections} connection${connections === 1 ? '' : 's'}`;
