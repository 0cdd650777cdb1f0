// The table of records in a browser, over a large repository: how long scripts keep the page from anything else.
import { type Browser, chromium } from 'playwright-core';
import { buildWeb } from '../scripts/build-web.ts';
import { chromiumPath } from '../test/support/chromium-path.ts';
import { measureScroll, type ScrollMeasured } from '../test/support/explorer-million.ts';
import type { Figure } from './figure.ts';
import { call, type ServerProcess, startCairn } from './process.ts';
import { loadRepository } from './read-data.ts';
import { counted, sized, sizedBy } from './size.ts';

const RUNS = sized({ full: 3, quick: 1 });
const RECORDS = sizedBy('BENCH_RECORDS', { full: 1_000_000, quick: 2_000 });
const SCRIPT_MS_MAX = 100;
const WORLD = { orgName: 'bench', repoName: 'world' };

export async function explorerFigures(): Promise<Figure[]> {
  await buildWeb();
  const loaded = await loadRepository({ records: RECORDS, sent: [], server: undefined });
  const cairn = await startCairn({ ...loaded.settings, CAIRN_LIMIT_ANONYMOUS_REQUESTS_PER_HOUR: '0' });
  const browser = await chromium.launch({ executablePath: chromiumPath(), chromiumSandbox: process.getuid?.() !== 0 });
  try {
    await call({ cairn, token: loaded.token }, 'repo.setVisibility', { ...WORLD, visibility: 'public' });
    const runs: ScrollMeasured[] = [];
    for (let run = 0; run < RUNS; run++) runs.push(await measureIn(browser, cairn));
    return figuresOf(runs);
  } finally {
    await browser.close();
    await cairn.stop();
    loaded.remove();
  }
}

/** In a browser that knows nothing of the page yet. */
async function measureIn(browser: Browser, { port }: ServerProcess): Promise<ScrollMeasured> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
  try {
    const address = `http://localhost:${port}/bench/world/records?shape=Reading`;
    return await measureScroll(await context.newPage(), { address, records: RECORDS });
  } finally {
    await context.close();
  }
}

const STEPS: readonly { readonly step: keyof ScrollMeasured; readonly what: string }[] = [
  { step: 'opening', what: 'opening the table' },
  { step: 'wheel', what: 'scrolling with the wheel' },
  { step: 'end', what: 'scrolling to the end' },
  { step: 'middle', what: 'going to the middle' },
];

function figuresOf(runs: readonly ScrollMeasured[]): Figure[] {
  const records = counted(RECORDS, 'records');
  return [
    ...STEPS.map(
      ({ step, what }): Figure => ({
        name: `explorer, longest script task ${what}, ${records}`,
        unit: 'ms',
        values: runs.map((run) => run[step].scriptMs),
        atMost: SCRIPT_MS_MAX,
      }),
    ),
    ...STEPS.map(
      ({ step, what }): Figure => ({
        name: `explorer, time ${what}, ${records}`,
        unit: 'ms',
        values: runs.map((run) => run[step].wholeMs),
      }),
    ),
  ];
}
