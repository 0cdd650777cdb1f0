// Latency of single commits while a commit of 10,000 operations holds the writer.
import { setTimeout as pause } from 'node:timers/promises';
import type { Figure } from './figure.ts';
import { call, startCairn } from './process.ts';
import { loadRepository, reading } from './read-data.ts';
import { counted, sized } from './size.ts';

const RUNS = sized({ full: 7, quick: 1 });
const OPERATIONS = sized({ full: 10_000, quick: 1_000 });
const RECORDS = 1_000;
const BEFORE_MS = sized({ full: 500, quick: 50 });
const AFTER_MS = 100;

export async function largeCommitFigures(): Promise<Figure[]> {
  const loaded = await loadRepository({ records: RECORDS, server: undefined });
  const cairn = await startCairn(loaded.settings);
  const bench = { cairn, token: loaded.token };
  const commit = (operations: object[]) =>
    call(bench, 'commit.submit', { orgName: 'bench', repoName: 'world', operations });
  const named = (name: string, n: number) => ({ ...reading(n), name: `Reading/${name}-${n}` });
  let singles = 0;
  const measure = async (run: number) => {
    let isOver = false;
    let longestMs = 0;
    const commitSingly = async () => {
      while (!isOver) {
        const start = performance.now();
        await commit([named('single', singles++)]);
        longestMs = Math.max(longestMs, performance.now() - start);
      }
    };
    const single = commitSingly();
    await pause(BEFORE_MS);
    await commit(Array.from({ length: OPERATIONS }, (_, n) => named(`large${run}`, n)));
    await pause(AFTER_MS);
    isOver = true;
    await single;
    return longestMs;
  };
  try {
    // Warms up: Node compiles hot code at first.
    for (const run of [-2, -1]) await measure(run);
    const values: number[] = [];
    for (let run = 0; run < RUNS; run++) values.push(await measure(run));
    const what = `a commit of ${counted(OPERATIONS, 'operations')}, sqlite`;
    return [{ name: `longest wait of a single commit beside ${what}`, unit: 'ms', values, atMost: 250 }];
  } finally {
    await cairn.stop();
    loaded.remove();
  }
}
