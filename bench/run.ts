// `npm run bench`: measures, prints a table with the bare limit next to each figure, writes bench/results.json, and
// generates docs/performance.md from it.
//   npm run bench -- compare        one part; the figures of the others are kept
//   npm run bench -- --report       measures nothing: only generates the page from existing figures
//   BENCH_QUICK=1                   all parts, small: proves that they run, and leaves figures and page alone
//   BENCH_RECORDS=100000            a smaller large repository for reads and exports, for a shorter run
//   BENCH_CURVE_MOST=1000000        largest size of the curves
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { actionFigures } from './actions.ts';
import { attackFigures } from './attacks.ts';
import { cliFigures } from './cli.ts';
import { commitFigures } from './commit.ts';
import { compareFigures } from './compare.ts';
import { curves } from './curves.ts';
import { depthFigures } from './depth.ts';
import { explorerFigures } from './explorer.ts';
import { exportFigures } from './export.ts';
import { curveTable, table } from './figure.ts';
import { growth } from './growth.ts';
import { importFigures } from './import.ts';
import { liveFigures } from './live.ts';
import { postgresFigures } from './postgres.ts';
import { writeReport } from './report.ts';
import { isCurve, isFigure, type Measured, readResults, withPart, writeResults } from './results.ts';
import { roundTripFigures } from './round-trips.ts';
import { IS_QUICK } from './size.ts';
import { streamFigures } from './stream.ts';

const PARTS: Readonly<Record<string, () => Promise<Measured>>> = {
  compare: compareFigures,
  commit: commitFigures,
  export: exportFigures,
  import: importFigures,
  stream: streamFigures,
  live: liveFigures,
  actions: actionFigures,
  cli: cliFigures,
  attacks: attackFigures,
  explorer: explorerFigures,
  postgres: postgresFigures,
  'round-trips': roundTripFigures,
  curves,
  growth,
  depth: depthFigures,
};
const REPORT = '--report';

const wanted = process.argv.slice(2);
const unknown = wanted.find((part) => part !== REPORT && !(part in PARTS));
if (unknown !== undefined) throw new Error(`There is no part ${unknown}, only ${Object.keys(PARTS).join(', ')}.`);

// Figures of a quick run mean nothing and must not replace real ones.
const quickFolder = IS_QUICK ? mkdtempSync(join(tmpdir(), 'cairn-bench-quick-')) : undefined;
const file = join(quickFolder ?? import.meta.dirname, 'results.json');
const docs = quickFolder ?? join(import.meta.dirname, '../docs');

for (const [part, measure] of Object.entries(PARTS)) {
  if (wanted.length > 0 && !wanted.includes(part)) continue;
  const start = performance.now();
  const gave = await measure();
  const [figures, measuredCurves] = [gave.filter(isFigure), gave.filter(isCurve)];
  if (figures.length > 0) console.log(table(figures));
  if (measuredCurves.length > 0) console.log(curveTable(measuredCurves));
  console.log(`${part} took ${Math.round((performance.now() - start) / 1_000)} s\n`);
  // Saved after each part, so that an interrupted run keeps its figures.
  writeResults(file, withPart(readResults(file), { part, order: Object.keys(PARTS), gave }));
}
writeReport(readResults(file), docs);
if (quickFolder !== undefined) console.log(`A quick run: its results are in ${quickFolder}, and say nothing.`);
