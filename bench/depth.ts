// Cost of tree depth. With pages of 512 bytes, the trees of a million short records are as deep as those of a thousand
// million on usual pages. The same requests run on both, in alternating runs.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CairnClient } from '@cairn/sdk';
import { depthAt, depthOf, grownTrees, treesOf } from './btree.ts';
import { type Figure, ratios } from './figure.ts';
import { REFERRING, SHORT } from './growth-data.ts';
import { startCairn, startLoad } from './process.ts';
import { fileOf, type LoadedRepository, loadRepository } from './read-data.ts';
import { answered, fill, followed, readsAt, revisions, type Served } from './single-load.ts';
import { counted, sized, sizedBy } from './size.ts';

const RUNS = sized({ full: 5, quick: 2 });
const RUN_MS = sized({ full: 1_000, quick: 100 });
const WARM_UP_MS = sized({ full: 2_000, quick: 100 });
const STREAM_RUNS = sized({ full: 3, quick: 2 });
const STREAM_LINES = sized({ full: 20_000, quick: 1_000 });
const RECORDS = sizedBy('BENCH_RECORDS', { full: 1_000_000, quick: 10_000 });
/** Enough records to measure the fan-out of pages. */
const FEWER = RECORDS / 10;
const MANY = 1_000_000_000;
const SMALL_PAGE_BYTES = 512;
const DATABASE = 'cairn.db';

interface Paged extends Served {
  readonly file: string;
  readonly pages: string;
  end(): Promise<void>;
}

export async function depthFigures(): Promise<Figure[]> {
  const wanted = await wantedDepths();
  const loaded = await loadRepository({ records: RECORDS, server: undefined, contents: SHORT });
  const copy = mkdtempSync(join(tmpdir(), 'cairn-bench-'));
  try {
    copyOnSmallPages(dirname(fileOf(loaded)), copy);
    const usual = await serve('the usual pages', loaded);
    const settings = { ...loaded.settings, CAIRN_DATA: copy };
    const small = await serve(`pages of ${SMALL_PAGE_BYTES} bytes`, { ...loaded, settings });
    try {
      requirePages(small.file);
      return [...depthsOf(small, wanted), ...(await costs(usual, small))];
    } finally {
      await Promise.all([usual.end(), small.end()]);
    }
  } finally {
    rmSync(copy, { recursive: true });
    loaded.remove();
  }
}

interface Depth {
  readonly name: string;
  readonly depth: number;
}

/** Depth of each growing tree with `MANY` records of the usual length on usual pages. */
async function wantedDepths(): Promise<Depth[]> {
  const loaded = await loadRepository({ records: FEWER, server: undefined, contents: REFERRING });
  const trees = grownTrees(treesOf(fileOf(loaded)), FEWER);
  loaded.remove();
  return trees.map((tree) => ({ name: tree.name, depth: depthAt(tree, MANY / FEWER) }));
}

/** SQLite rewrites the whole file with the same rows. */
function copyOnSmallPages(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
  const database = new DatabaseSync(join(to, DATABASE));
  // The page size cannot change in WAL mode.
  database.exec(`pragma journal_mode = delete; pragma page_size = ${SMALL_PAGE_BYTES}; vacuum`);
  database.close();
}

async function serve(pages: string, { settings, token }: Pick<LoadedRepository, 'settings' | 'token'>): Promise<Paged> {
  const [cairn, load] = [await startCairn(settings), startLoad()];
  const client = new CairnClient({ url: `http://127.0.0.1:${cairn.port}`, token });
  const end = async () => {
    await Promise.all([cairn.stop(), load.stop()]);
  };
  return { cairn, load, token, client, file: join(settings.CAIRN_DATA ?? '', DATABASE), pages, end };
}

function requirePages(file: string): void {
  const database = new DatabaseSync(file, { readOnly: true });
  const found = database.prepare('pragma page_size').get()?.page_size;
  database.close();
  if (found !== SMALL_PAGE_BYTES) throw new Error(`The file has pages of ${found} bytes, not of ${SMALL_PAGE_BYTES}.`);
}

/** The costs hold only if every tree is as deep as with a thousand million records. */
function depthsOf(small: Paged, wanted: readonly Depth[]): Figure[] {
  const asDeep = new Map(treesOf(small.file).map((tree) => [tree.name, depthOf(tree)]));
  const shallow = wanted.filter(({ name, depth }) => (asDeep.get(name) ?? 0) < depth);
  const what = `${counted(RECORDS, 'short records')} on ${small.pages}, sqlite`;
  return [
    {
      name: `depth of the deepest tree, ${counted(MANY, 'records')}, computed, sqlite`,
      unit: 'levels',
      values: [Math.max(...wanted.map(({ depth }) => depth))],
    },
    { name: `depth of the deepest tree, ${what}`, unit: 'levels', values: [Math.max(...asDeep.values())] },
    {
      name: `trees less deep than those of ${counted(MANY, 'records')}, ${what}`,
      unit: 'trees',
      values: [shallow.length],
      atMost: 0,
    },
  ];
}

async function costs(usual: Paged, small: Paged): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [work, read] of Object.entries(readsAt(RECORDS))) {
    for (const one of [usual, small]) await answered(one, read, WARM_UP_MS);
    const measure = (one: Paged) => answered(one, read, RUN_MS);
    figures.push(...(await compared({ work, unit: 'a second', runs: RUNS }, [usual, small], measure)));
  }
  const commit = (one: Paged, run: number) =>
    answered(one, revisions({ repoName: 'world', records: RECORDS, data: () => ({ score: run / RUNS }) }));
  figures.push(...(await compared({ work: 'single commit', unit: 'a second', runs: RUNS }, [usual, small], commit)));
  const compare = { work: 'stream submit', unit: 'lines a second', runs: STREAM_RUNS };
  figures.push(...(await compared(compare, [usual, small], streamRate)));
  return figures;
}

interface Comparison {
  readonly work: string;
  readonly unit: string;
  readonly runs: number;
}

async function compared(
  { work, unit, runs }: Comparison,
  [usual, small]: readonly [Paged, Paged],
  measure: (one: Paged, run: number) => Promise<number>,
): Promise<Figure[]> {
  const [shallow, deep]: [number[], number[]] = [[], []];
  for (let run = 0; run < runs; run++) {
    shallow.push(await measure(usual, run));
    deep.push(await measure(small, run));
  }
  const named = (pages: string) => `${work}, ${counted(RECORDS, 'short records')} on ${pages}, sqlite`;
  return [
    { name: named(usual.pages), unit, values: shallow },
    { name: named(small.pages), unit, values: deep },
    {
      name: `${work}, time in trees as deep as those of ${counted(MANY, 'records')} to that on the usual pages, sqlite`,
      unit: 'times',
      values: ratios(shallow, deep),
    },
  ];
}

async function streamRate(one: Paged, run: number): Promise<number> {
  await followed(one);
  const from = RECORDS + run * STREAM_LINES;
  const start = performance.now();
  await fill(one, { repoName: 'world', contents: SHORT, from, to: from + STREAM_LINES });
  return STREAM_LINES / ((performance.now() - start) / 1_000);
}
