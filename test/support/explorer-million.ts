// Measures how long scripts block the browser while a user scrolls through a long table of records.
import type { Locator, Page } from '../tools/chromium.ts';
import { type Measured, traced } from './explorer-trace.ts';

export interface ScrollMeasured {
  readonly opening: Measured;
  readonly wheel: Measured;
  readonly end: Measured;
  readonly middle: Measured;
}

interface Table {
  readonly address: string;
  readonly records: number;
}

const TURNS = 40;
/** The way to the middle of a million rows reads a thousand pages. */
const FAR_MS = 300_000;

export async function measureScroll(page: Page, { address, records }: Table): Promise<ScrollMeasured> {
  const opening = await traced(page, async () => {
    await page.goto(address);
    await rowAt(page, 0).waitFor();
    await page
      .getByRole('status')
      .getByText(`${records.toLocaleString('en')} records`)
      .waitFor();
  });
  const region = page.getByRole('region', { name: 'Records' });
  const wheel = await traced(page, async () => {
    await region.hover();
    for (let turn = 0; turn < TURNS; turn++) {
      await page.mouse.wheel(0, 700);
      await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    }
    await shown(region);
  });
  const end = await traced(page, async () => {
    await region.focus();
    await page.keyboard.press('End');
    await rowAt(page, records - 1).waitFor();
  });
  const half = Math.floor(records / 2);
  const middle = await traced(page, async () => {
    await page.getByLabel('Row', { exact: true }).fill(String(half + 1));
    await page.keyboard.press('Enter');
    await rowAt(page, half).waitFor({ timeout: FAR_MS });
  });
  return { opening, wheel, end, middle };
}

/** A loaded row. The first row of the table is the heading. */
const rowAt = (page: Page, index: number): Locator => page.locator(`tr[aria-rowindex="${index + 2}"]:has(a)`);

/** Waits until no visible row is loading. */
async function shown(region: Locator): Promise<void> {
  await region.locator('tbody tr:has(a)').first().waitFor();
  await region.locator('tr.waiting').first().waitFor({ state: 'detached' });
}
