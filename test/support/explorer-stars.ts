// A graph of thousands of records, and a measurement of how long scripts block the browser while a user explores it.
import type { CairnClient } from '@cairn/sdk';
import type { Page } from '../tools/chromium.ts';
import { type Measured, traced } from './explorer-trace.ts';

const HUBS = 70;
const PLANETS = 71;
export const STARS = 1 + HUBS + HUBS * PLANETS;

/** A star with stars around it, each with planets, in an existing organization. */
export async function fillStars(client: CairnClient, orgName: string): Promise<void> {
  await client.repo.create(orgName, 'stars', { visibility: 'public' });
  const hubs = Array.from({ length: HUBS }, (_, hub) => `Star/hub-${hub}`);
  await client.commit.submit(orgName, 'stars', {
    operations: [
      { kind: 'shape', name: 'Star', data: { fields: { 'around?': 'wref' } } },
      { kind: 'shape', name: 'Planet', data: { fields: { around: 'wref' } } },
      { name: 'Star/centre', data: {} },
      ...hubs.map((name) => ({ name, data: { around: 'Star/centre' } })),
      ...hubs.flatMap((around, hub) =>
        Array.from({ length: PLANETS }, (_, planet) => ({ name: `Planet/${hub}-${planet}`, data: { around } })),
      ),
    ],
  });
}

export interface GraphMeasured {
  readonly expanding: Measured;
  readonly choosing: Measured;
}

/** Starts on a page that shows the graph around the centre, as far as it expands by itself. */
export async function measureStars(page: Page): Promise<GraphMeasured> {
  const patient = { timeout: 120_000 };
  const expanding = await traced(page, async () => {
    await page.getByRole('button', { name: 'Expand all' }).click();
    await page.getByText(`${STARS.toLocaleString('en')} records`).waitFor(patient);
    await page.getByText('These are all connected records').waitFor(patient);
    await page.locator('.graph-canvas[data-settled="true"]').waitFor(patient);
  });
  const choosing = await traced(page, async () => {
    await page.getByLabel('Filter by name').fill('hub-69');
    await page.getByRole('option', { name: 'Star/hub-69', exact: true }).click();
    const panel = page.getByRole('region', { name: 'Star/hub-69' });
    await panel.getByRole('button', { name: 'Star/centre' }).waitFor(patient);
    await page.getByRole('checkbox', { name: 'Planet' }).uncheck();
    await page.locator('.walk-bar').getByText('71 of 5,041 records, 70 of 5,040 references').waitFor(patient);
  });
  return { expanding, choosing };
}
