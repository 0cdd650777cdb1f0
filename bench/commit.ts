// Commits on SQLite beside bare `node:sqlite`, which inserts the very rows that Cairn wrote, into the same tables and
// indexes, with the same durability and the same transactions; and on PostgreSQL, which is told to be as durable.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { StoreLocation } from '../packages/server/src/engine/database.ts';
import { openStore, type Store } from '../packages/server/src/store.ts';
import { createDatabase } from '../test/support/database.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { addTestRepository, type TestRepository } from '../test/support/repository.ts';
import { replayBare } from './bare-replay.ts';
import { type Figure, median, ratios } from './figure.ts';
import { counted, sized } from './size.ts';

const RUNS = sized({ full: 5, quick: 2 });
const RUNS_ON_POSTGRES = sized({ full: 3, quick: 2 });
const SINGLE_COMMITS = sized({ full: 400, quick: 40 });
const LARGE_COMMITS = sized({ full: 10, quick: 2 });
const LARGE_OPERATIONS = 1_000;
const SHALLOW = 100;
const DEEP = sized({ full: 100_000, quick: 5_000 });
const DEPTH_COMMITS = sized({ full: 400, quick: 20 });

const shape = {
  kind: 'shape',
  name: 'Reading',
  data: { fields: { label: 'string', value: 'number', note: 'string', 'before?': 'wref' } },
};

/** About 245 bytes. */
function dataOf(n: number): object {
  const note = `the reading number ${n} of a long series that is taken every minute, by a sensor in the cellar`;
  return { label: `reading ${n}`, value: n / 7, note: note.padEnd(150, '.') };
}

function thing(n: number, prefix = 'r'): object {
  return { name: `Reading/${prefix}${n}`, data: dataOf(n) };
}

/** The same, and a reference to one of the thousand before it. */
function referring(n: number): object {
  const reference = n === 0 ? {} : { before: `Reading/r${Math.max(0, n - 1 - (n % 1_000))}` };
  return { name: `Reading/r${n}`, data: { ...dataOf(n), ...reference } };
}

interface Bench {
  /** Of SQLite alone. */
  readonly file: string;
  readonly store: Store;
  readonly repository: TestRepository;
}

/** A new store on a PostgreSQL server, or without one on SQLite. */
async function withStore<Result>(server: string | undefined, work: (bench: Bench) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-'));
  const file = join(folder, 'cairn.db');
  const location: StoreLocation =
    server === undefined ? { engine: 'sqlite', file } : { engine: 'postgres', url: (await createDatabase(server)).url };
  const store = await openStore(location);
  try {
    const repository = await addTestRepository(store, 'bench');
    await repository.commit([shape]);
    return await work({ file, store, repository });
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
}

interface Measured {
  readonly perSecond: number;
  readonly bare: number;
  readonly transactionsPerCommit: number;
  readonly bytesPerCommit: number;
}

async function singleCommits(writers: number): Promise<Measured> {
  return await withStore(undefined, async ({ store, repository, file }) => {
    const before = await store.counts();
    const size = fileBytes(file);
    const seconds = await commitSingly(repository, writers);
    const after = await store.counts();
    return {
      perSecond: SINGLE_COMMITS / seconds,
      bare: SINGLE_COMMITS / (await replayBare(file)),
      transactionsPerCommit: (after.transactions - before.transactions) / SINGLE_COMMITS,
      bytesPerCommit: (fileBytes(file) - size) / SINGLE_COMMITS,
    };
  });
}

/** Seconds that so many writers take, each with one commit after the other. */
async function commitSingly(repository: TestRepository, writers: number): Promise<number> {
  let next = 0;
  const write = async () => {
    while (next < SINGLE_COMMITS) await repository.commit([thing(next++)]);
  };
  return await timed(() => Promise.all(Array.from({ length: writers }, write)));
}

async function singleCommitsOnPostgres(server: string, writers: number): Promise<number> {
  return await withStore(server, async ({ repository }) => SINGLE_COMMITS / (await commitSingly(repository, writers)));
}

type MakeOperation = (n: number) => object;

async function largeCommits(
  operation: MakeOperation,
): Promise<Omit<Measured, 'transactionsPerCommit' | 'bytesPerCommit'>> {
  return await withStore(undefined, async ({ repository, file }) => {
    const seconds = await timed(async () => {
      for (let commit = 0; commit < LARGE_COMMITS; commit++) {
        const operations = Array.from({ length: LARGE_OPERATIONS }, (_, n) => operation(commit * LARGE_OPERATIONS + n));
        await repository.commit(operations);
      }
    });
    const rows = LARGE_COMMITS * LARGE_OPERATIONS;
    return { perSecond: rows / seconds, bare: rows / (await replayBare(file)) };
  });
}

/**
 * What one commit costs on a record with many versions, beside one with few. The two are measured in turns, so that both
 * meet the same caches and the same noise.
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

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1_000;
}

function fileBytes(file: string): number {
  const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const database = new DatabaseSync(file, { timeout: 5_000 });
  // The log is brought into the file first: its size says when it was last emptied, not what was written.
  database.exec('pragma wal_checkpoint(truncate)');
  database.close();
  return sizeOf(file);
}

async function repeated<Result>(work: () => Promise<Result>, runs = RUNS): Promise<Result[]> {
  const results: Result[] = [];
  for (let run = 0; run < runs; run++) results.push(await work());
  return results;
}

export async function commitFigures(): Promise<Figure[]> {
  const onSqlite = await sqliteFigures();
  const postgres = await startPostgres([]);
  try {
    return [...onSqlite, ...(await postgresFigures(postgres.url))];
  } finally {
    await postgres.stop();
  }
}

async function postgresFigures(server: string): Promise<Figure[]> {
  const one = await repeated(() => singleCommitsOnPostgres(server, 1), RUNS_ON_POSTGRES);
  const sixteen = await repeated(() => singleCommitsOnPostgres(server, 16), RUNS_ON_POSTGRES);
  const depth = await repeated(() => historyDepth(server), RUNS_ON_POSTGRES);
  return [
    { name: 'single durable commits, 1 writer, postgres', unit: 'a second', values: one },
    { name: 'single durable commits, 16 writers, postgres', unit: 'a second', values: sixteen },
    { name: `${SIXTEEN_TO_ONE}, postgres`, unit: 'times', values: ratios(sixteen, one) },
    depthFigure(depth, 'postgres'),
  ];
}

const SIXTEEN_TO_ONE = 'single durable commits, rate of 16 writers to that of one';

function depthFigure(runs: readonly { shallow: number; deep: number }[], engine: 'sqlite' | 'postgres'): Figure {
  const depths = `${counted(DEEP, 'versions')} to that at ${SHALLOW}`;
  return {
    name: `cost of a commit at a history of ${depths}, ${engine}`,
    unit: 'times',
    values: runs.map(({ shallow, deep }) => deep / shallow),
    atMost: 1.2,
  };
}

async function sqliteFigures(): Promise<Figure[]> {
  const one = await repeated(() => singleCommits(1));
  const sixteen = await repeated(() => singleCommits(16));
  const large = await repeated(() => largeCommits((n) => thing(n)));
  const referred = await repeated(() => largeCommits(referring));
  const depth = await repeated(() => historyDepth(undefined));
  const rate = (name: string, runs: { perSecond: number; bare: number }[]): Figure => ({
    name,
    unit: 'a second',
    values: runs.map(({ perSecond }) => perSecond),
    bare: runs.map(({ bare }) => bare),
  });
  return [
    rate('single durable commits, 1 writer', one),
    rate('single durable commits, 16 writers', sixteen),
    {
      name: `${SIXTEEN_TO_ONE}, sqlite`,
      unit: 'times',
      values: ratios(
        sixteen.map(({ perSecond }) => perSecond),
        one.map(({ perSecond }) => perSecond),
      ),
    },
    {
      name: 'transactions a commit, 16 writers',
      unit: '',
      values: sixteen.map((run) => run.transactionsPerCommit),
      atMost: 0.25,
    },
    {
      name: 'bytes on disk a commit of one 245-byte record',
      unit: 'bytes',
      values: one.map((run) => run.bytesPerCommit),
    },
    rate('records in commits of 1,000', large),
    rate('records with one reference in commits of 1,000', referred),
    depthFigure(depth, 'sqlite'),
  ];
}
