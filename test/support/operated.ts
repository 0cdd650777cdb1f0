// A repository that is operated in the explorer: with something in it, and a receiver that its webhooks reach.
import type { CairnClient } from '@cairn/sdk';
import { expect } from 'vitest';
import type { Locator, Page } from '../tools/chromium.ts';
import { type ExplorerWorld, openExplorer } from './explorer.ts';
import { type Answering, type Receiver, startReceiver } from './receiver.ts';

export interface OperatedWorld extends ExplorerWorld {
  readonly receiver: Receiver;
  /** Commits one record of the shape Signal. */
  add(name: string): Promise<unknown>;
}

const REPO = ['ada', 'world'] as const;

async function fill(client: CairnClient): Promise<void> {
  await client.repo.create(...REPO, { visibility: 'public' });
  await client.shape.create(...REPO, 'Signal', { fields: { 'level?': 'number' } });
  await client.shape.create(...REPO, 'Room', { fields: {} });
  await client.commit.submit(...REPO, {
    operations: [
      { operation: 'add', name: 'Signal/a', data: { level: 1 } },
      { operation: 'add', name: 'Signal/alarm-1', data: { level: 9 } },
      { operation: 'add', name: 'Room/hall', data: {} },
    ],
  });
}

/** Deliveries are tried twice, with a second between. */
export async function openOperated(first?: Answering): Promise<OperatedWorld> {
  const receiver = await startReceiver(first);
  const environment = { CAIRN_OUTBOUND_ALLOW: receiver.address, CAIRN_WEBHOOK_RETRY_SECONDS: '1' };
  const world = await openExplorer(fill, { environment });
  const add = (name: string) =>
    world.client.commit.submit(...REPO, { operations: [{ operation: 'add', name: `Signal/${name}`, data: {} }] });
  return { ...world, receiver, add };
}

/** Presses Tab until the keyboard is there, as who has no mouse does. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let presses = 0; presses < 100; presses += 1) {
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  expect.fail(`${target} is not reached by the keyboard`);
}
