// Commits without HTTP: one writer and sixteen, short and long record histories, small and large repositories.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine, StoreLocation } from '../packages/server/src/engine/database.ts';
import { openStore, type Store } from '../packages/server/src/store.ts';
import { createDatabase } from '../test/support/database.ts';
import { addTestRepository, type TestRepository } from '../test/support/repository.ts';
import { onBothEngines } from './engines.ts';
import { type Figure, median, ratios } from './figure.ts';
import { largeCommitFigures } from './large-commit.ts';
import { counted, sized, sizedBy } from './size.ts';

const RUNS = sized({ full: 3, quick: 2 });
const SINGLE_COMMITS = sized({ full: 400, quick: 40 });
const SHALLOW = 100;
const DEEP = sized({ full: 100_000, quick: 5_000 });
const FEW_RECORDS = sized({ full: 10_000, quick: 500 });
const MANY_RECORDS = sizedBy('BENCH_RECORDS', { full: 1_000_000, quick: 5_000 });
const FILLED_AT_ONCE = 5_000;
const DEPTH_COMMITS = sized({ full: 400, quick: 20 });

const shape = {
  kind: 'shape',
  name: 'Reading',
  data: {
    fields: { label: 'string', value: { type: 'number', indexed: true }, note: 'string', 'before?': 'wref' },
  },
};

function dataOf(n: number): object {
  const note = `the reading number ${n} of a long series that is taken every minute, by a sensor in the cellar`;
  return { label: `reading ${n}`, value: n / 7, note: note.padEnd(150, '.') };
}

function thing(n: number, prefix = 'r'): object {
  return { name: `Reading/${prefix}${n}`, data: dataOf(n) };
}

interface Bench {
  readonly store: Store;
  readonly repository: TestRepository;
}

async function withStore<Result>(server: string | undefined, work: (bench: Bench) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-'));
  const location: StoreLocation =
    server === undefined
      ? { engine: 'sqlite', file: join(folder, 'cairn.db') }
      : { engine: 'postgres', url: (await createDatabase(server)).url };
  const store = await openStore(location);
  try {
    const repository = await addTestRepository(store, 'bench');
    await repository.commit([shape]);
    return await work({ store, repository });
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
}

interface Measured {
  readonly perSecond: number;
  readonly transactionsPerCommit: number;
}

async function singleCommits(server: string | undefined, writers: number): Promise<Measured> {
  return await withStore(server, async ({ store, repository }) => {
    const before = await store.counts();
    const seconds = await commitSingly(repository, writers);
    const { transactions } = await store.counts();
    return {
      perSecond: SINGLE_COMMITS / seconds,
      transactionsPerCommit: (transactions - before.transactions) / SINGLE_COMMITS,
    };
  });
}

/** Seconds for this many writers, each of which commits sequentially. */
async function commitSingly(repository: TestRepository, writers: number): Promise<number> {
  let next = 0;
  const write = async () => {
    while (next < SINGLE_COMMITS) await repository.commit([thing(next++)]);
  };
  return await timed(() => Promise.all(Array.from({ length: writers }, write)));
}

/**
 * Cost of one commit on a record with many versions, next to one with few. The runs alternate, so that both meet the
 * same caches and noise.
 */
async function historyDepth(server: string | undefined): Promise<{ shallow: number; deep: number }> {
  return await withStore(server, async ({ repository }) => {
    const revise = (name: string, n: number) => ({ operation: 'revise', name: `Reading/${name}`, data: dataOf(n) });
    await repository.commit([thing(0, 'shallow'), thing(0, 'deep')]);
    await deepen(SHALLOW, (n) => repository.commit(Array.from({ length: n }, (_, at) => revise('shallow0', at))));
    await deepen(DEEP, (n) => repository.commit(Array.from({ length: n }, (_, at) => revise('deep0', at))));
    const shallow: number[] = [];
    const deep: number[] = [];
    for (let n = 0; n < DEPTH_COMMITS; n++) {
      shallow.push(await timed(() => repository.commit([revise('shallow0', n + 0.5)])));
      deep.push(await timed(() => repository.commit([revise('deep0', n + 0.5)])));
    }
    return { shallow: median(shallow), deep: median(deep) };
  });
}

async function deepen(versions: number, commit: (count: number) => Promise<unknown>): Promise<void> {
  for (let made = 0; made < versions; made += 5_000) await commit(Math.min(5_000, versions - made));
}

/** Cost of a commit with one new record in a large repository, next to a small one. The runs alternate. */
async function repositorySize(server: string | undefined): Promise<{ few: number; many: number }[]> {
  return await withStore(server, async (few) => {
    await fill(few.repository, FEW_RECORDS);
    return await withStore(server, async (many) => {
      await fill(many.repository, MANY_RECORDS);
      let next = MANY_RECORDS;
      return await repeated(async () => {
        const times = { few: [] as number[], many: [] as number[] };
        for (let n = 0; n < DEPTH_COMMITS; n++) {
          const operations = [spread(next++)];
          times.few.push(await timed(() => few.repository.commit(operations)));
          times.many.push(await timed(() => many.repository.commit(operations)));
        }
        return { few: median(times.few), many: median(times.many) };
      });
    });
  });
}

function spread(n: number): object {
  const place = ((n * 2_654_435_761) % 2 ** 32) / 2 ** 32;
  return {
    name: `Reading/r${Math.floor(place * MANY_RECORDS)}-${n}`,
    data: { ...dataOf(n), value: place * (MANY_RECORDS / 7) },
  };
}

async function fill(repository: TestRepository, records: number): Promise<void> {
  for (let made = 0; made < records; made += FILLED_AT_ONCE) {
    const count = Math.min(FILLED_AT_ONCE, records - made);
    await repository.commit(Array.from({ length: count }, (_, n) => thing(made + n)));
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1_000;
}

async function repeated<Result>(work: () => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let run = 0; run < RUNS; run++) results.push(await work());
  return results;
}

export async function commitFigures(): Promise<Figure[]> {
  return [...(await onBothEngines(figuresOn, { durable: true })), ...(await largeCommitFigures())];
}

async function figuresOn(engine: Engine, server: string | undefined): Promise<Figure[]> {
  const one = await repeated(() => singleCommits(server, 1));
  const sixteen = await repeated(() => singleCommits(server, 16));
  const depth = await repeated(() => historyDepth(server));
  const size = await repositorySize(server);
  const rateOf = (runs: readonly Measured[]) => runs.map(({ perSecond }) => perSecond);
  const depths = `${counted(DEEP, 'versions')} to that at ${SHALLOW}`;
  return [
    { name: `single durable commits, 1 writer, ${engine}`, unit: 'a second', values: rateOf(one) },
    { name: `single durable commits, 16 writers, ${engine}`, unit: 'a second', values: rateOf(sixteen) },
    {
      name: `single durable commits, rate of 16 writers to that of one, ${engine}`,
      unit: 'times',
      values: ratios(rateOf(sixteen), rateOf(one)),
      ...(engine === 'postgres' && { atLeast: 3 }),
    },
    {
      name: `transactions a commit, 16 writers, ${engine}`,
      unit: '',
      values: sixteen.map((run) => run.transactionsPerCommit),
      atMost: 0.25,
    },
    {
      name: `cost of a commit at a history of ${depths}, ${engine}`,
      unit: 'times',
      values: depth.map(({ shallow, deep }) => deep / shallow),
      atMost: 1.2,
    },
    {
      name: `cost of a commit at ${counted(MANY_RECORDS, 'records')} to that at ${counted(FEW_RECORDS, 'records')}, ${engine}`,
      unit: 'times',
      values: size.map(({ few, many }) => many / few),
      atMost: 1.2,
    },
  ];
}
