// Generates docs/performance.md and its plots from bench/results.json. It measures nothing: the same results always
// give the same files.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { performancePage } from './report-page.ts';
import { plotOf, plotsOf } from './report-plot.ts';
import type { Results } from './results.ts';

const PAGE = 'performance.md';
const PLOTS = 'performance';

export function reportFiles(results: Results): ReadonlyMap<string, string> {
  const plots = plotsOf(results.curves);
  return new Map([
    [PAGE, performancePage(results, plots)],
    ...plots.map((plot) => [`${PLOTS}/${plot.file}`, plotOf(plot)] as const),
  ]);
}

export function writeReport(results: Results, docs: string): void {
  const files = reportFiles(results);
  mkdirSync(join(docs, PLOTS), { recursive: true });
  for (const name of readdirSync(join(docs, PLOTS))) {
    if (!files.has(`${PLOTS}/${name}`)) rmSync(join(docs, PLOTS, name));
  }
  for (const [path, text] of files) {
    mkdirSync(dirname(join(docs, path)), { recursive: true });
    writeFileSync(join(docs, path), text);
  }
}
