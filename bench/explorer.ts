// Explorer in a browser, with a large table of records and a large graph: the time for which scripts block the page.
import { CairnClient } from '@cairn/sdk';
import { buildWeb } from '../scripts/build-web.ts';
import { measureScroll } from '../test/support/explorer-million.ts';
import { fillStars, measureStars, STARS } from '../test/support/explorer-stars.ts';
import type { Measured } from '../test/support/explorer-trace.ts';
import { type Browser, launchChromium, type Page } from '../test/tools/chromium.ts';
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
  const loaded = await loadRepository({ records: RECORDS, server: undefined });
  const cairn = await startCairn({ ...loaded.settings, CAIRN_LIMIT_ANONYMOUS_REQUESTS_PER_HOUR: '0' });
  const browser = await launchChromium();
  try {
    await call({ cairn, token: loaded.token }, 'repo.setVisibility', { ...WORLD, visibility: 'public' });
    const client = new CairnClient({ url: `http://localhost:${cairn.port}`, token: loaded.token });
    await fillStars(client, WORLD.orgName);
    const runs: Record<Step, Measured>[] = [];
    for (let run = 0; run < RUNS; run++) {
      const table = await freshly(browser, (page) => measureTable(page, cairn));
      const graph = await freshly(browser, (page) => measureGraph(page, cairn));
      runs.push({ ...table, ...graph });
    }
    return figuresOf(runs);
  } finally {
    await browser.close();
    await cairn.stop();
    loaded.remove();
  }
}

async function freshly<Result>(browser: Browser, measure: (page: Page) => Promise<Result>): Promise<Result> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
  try {
    return await measure(await context.newPage());
  } finally {
    await context.close();
  }
}

async function measureTable(page: Page, { port }: ServerProcess) {
  const address = `http://localhost:${port}/bench/world/records?shape=Reading`;
  return await measureScroll(page, { address, records: RECORDS });
}

async function measureGraph(page: Page, { port }: ServerProcess) {
  await page.goto(`http://localhost:${port}/bench/stars/graph?from=Star%2Fcentre`);
  await page.locator('.walk-bar').getByText('300 records').waitFor();
  return await measureStars(page);
}

const IN_TABLE = counted(RECORDS, 'records');
const IN_GRAPH = counted(STARS, 'records');

const STEPS = {
  opening: `opening the table, ${IN_TABLE}`,
  wheel: `scrolling with the wheel, ${IN_TABLE}`,
  end: `scrolling to the end, ${IN_TABLE}`,
  middle: `going to the middle, ${IN_TABLE}`,
  expanding: `expanding the graph, ${IN_GRAPH}`,
  choosing: `choosing in the graph, ${IN_GRAPH}`,
} as const;

type Step = keyof typeof STEPS;

function figuresOf(runs: readonly Readonly<Record<Step, Measured>>[]): Figure[] {
  const steps = Object.entries(STEPS) as [Step, string][];
  return [
    ...steps.map(
      ([step, what]): Figure => ({
        name: `explorer, longest script task ${what}`,
        unit: 'ms',
        values: runs.map((run) => run[step].scriptMs),
        atMost: SCRIPT_MS_MAX,
      }),
    ),
    ...steps.map(
      ([step, what]): Figure => ({
        name: `explorer, time ${what}`,
        unit: 'ms',
        values: runs.map((run) => run[step].wholeMs),
      }),
    ),
  ];
}
