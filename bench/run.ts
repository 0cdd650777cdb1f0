// `npm run bench`: measures, prints a table with the bare limit beside each figure, and writes bench/results.json.
// `npm run bench -- read-sqlite` measures one part and keeps the figures of the others. `BENCH_RECORDS=100000` makes the large
// repository of the reads smaller, and the run shorter.
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { actionFigures } from './actions.ts';
import { cliFigures } from './cli.ts';
import { commitFigures } from './commit.ts';
import { exportFigures } from './export.ts';
import { type Figure, summary, table } from './figure.ts';
import { importFigures } from './import.ts';
import { liveFigures } from './live.ts';
import { mcpFigures } from './mcp.ts';
import { postgresReadFigures, sqliteReadFigures } from './read.ts';
import { readBesideCommitFigures } from './read-beside-commit.ts';
import { renameFigures } from './rename.ts';
import { streamFigures } from './stream.ts';

const PARTS: Readonly<Record<string, () => Promise<Figure[]>>> = {
  commit: commitFigures,
  rename: renameFigures,
  export: exportFigures,
  import: importFigures,
  stream: streamFigures,
  live: liveFigures,
  actions: actionFigures,
  mcp: mcpFigures,
  cli: cliFigures,
  'read-beside-commit': readBesideCommitFigures,
  'read-sqlite': sqliteReadFigures,
  'read-postgres': postgresReadFigures,
};
const FILE = join(import.meta.dirname, 'results.json');

type Result = { readonly part: string } & ReturnType<typeof summary>;

const wanted = process.argv.slice(2);
const unknown = wanted.find((part) => !(part in PARTS));
if (unknown !== undefined) throw new Error(`There is no part ${unknown}, only ${Object.keys(PARTS).join(', ')}.`);
const before = (JSON.parse(readFileSync(FILE, 'utf8')) as { figures: Result[] }).figures;
const figures: Result[] = [];
for (const [part, measure] of Object.entries(PARTS)) {
  if (wanted.length > 0 && !wanted.includes(part)) {
    figures.push(...before.filter((figure) => figure.part === part));
    continue;
  }
  const measured = await measure();
  console.log(`${table(measured)}\n`);
  figures.push(...measured.map((figure) => ({ part, ...summary(figure) })));
}
const results = { node: process.version, cores: availableParallelism(), figures };
writeFileSync(FILE, `${JSON.stringify(results, null, 2)}\n`);
