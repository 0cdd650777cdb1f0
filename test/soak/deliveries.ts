// The end of deliveries: every run is over, and each subscription has a delivery of every commit.
import { setTimeout as pause } from 'node:timers/promises';
import type { Receiver } from './receiver.ts';
import { FIRST_SEQ, SUBSCRIPTIONS } from './set-up.ts';
import { ask, described, type Place, type World } from './world.ts';

const OPEN = ['pending', 'running', 'processing', 'retry_wait'] as const;
const FAILED = ['failed_terminal', 'dead_letter'] as const;
const LOOK_MS = 500;
const SHOWN_MAX = 5;

export async function reportSuccess(world: World, runId: string): Promise<void> {
  try {
    await ask(world, 'callback', () => world.client.action.callback(runId, { status: 'success' }));
  } catch (error) {
    world.findings.add('delivery', `the report on ${runId} was refused: ${described(error)}`);
  }
}

export async function awaitDeliveries(place: Place, receiver: Receiver, withinMs: number): Promise<void> {
  const { world, model } = place;
  const until = performance.now() + withinMs;
  while (performance.now() < until && (await hasRuns(place, OPEN))) await pause(LOOK_MS);
  if (await hasRuns(place, OPEN)) world.findings.add('delivery', `${model.name}: there are runs that do not end`);
  if (await hasRuns(place, FAILED)) world.findings.add('delivery', `${model.name}: there are runs that have failed`);
  for (const subscription of SUBSCRIPTIONS) {
    const missing = receiver.missing(model, { subscription, since: FIRST_SEQ });
    if (missing.length === 0) continue;
    const said = `${missing.length} commits were not told, such as ${missing.slice(0, SHOWN_MAX).join(', ')}`;
    world.findings.add('delivery', `${model.name}: to ${subscription}, ${said}`);
  }
}

async function hasRuns(
  { world, model }: Place,
  statuses: readonly ((typeof OPEN)[number] | (typeof FAILED)[number])[],
) {
  for (const status of statuses) {
    const { items } = await ask(world, 'runs', () =>
      world.client.action.runs(model.orgName, model.repoName, { status, limit: 1 }).page(),
    );
    if (items.length > 0) return true;
  }
  return false;
}
