// A repository with content for the explorer's operator pages, and a receiver for its webhooks.
import type { CairnClient } from '@cairn/sdk';
import { expect } from 'vitest';
import type { Locator, Page } from '../tools/chromium.ts';
import { type ExplorerWorld, openExplorer } from './explorer.ts';
import { type Answering, type Receiver, startReceiver } from './receiver.ts';

export interface OperatedWorld extends ExplorerWorld {
  readonly receiver: Receiver;
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

/** Deliveries have two attempts, one second apart. */
export async function openOperated(first?: Answering): Promise<OperatedWorld> {
  const receiver = await startReceiver(first);
  const environment = { CAIRN_OUTBOUND_ALLOW: receiver.address, CAIRN_WEBHOOK_RETRY_SECONDS: '1' };
  const world = await openExplorer(fill, { environment });
  const add = (name: string) =>
    world.client.commit.submit(...REPO, { operations: [{ operation: 'add', name: `Signal/${name}`, data: {} }] });
  return { ...world, receiver, add };
}

/** Presses Tab until the target has the focus, like a user without a mouse. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let presses = 0; presses < 100; presses += 1) {
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  expect.fail(`${target} is not reached by the keyboard`);
}
