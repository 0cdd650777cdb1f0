// Kills a server at random moments, also while it starts, while eight writers commit to it. Each writer repeats a
// commit until it is acknowledged. At the end the store has exactly what was sent: nothing lost, duplicated or added.
import { setTimeout as pause } from 'node:timers/promises';
import { CommitWriter } from './commit-writer.ts';
import { checkStore, compareAll } from './final-check.ts';
import { Findings } from './finding.ts';
import type { Ground } from './ground.ts';
import type { KillPiece } from './kill-report.ts';
import { LogFollower } from './log-follower.ts';
import type { SoakServer } from './server.ts';
import { type SetUp, setUp } from './set-up.ts';
import { repeat } from './world.ts';

export interface KillsOptions {
  readonly ground: Ground;
  readonly serverFile: string;
  readonly kills: number;
  /** Average number of operations acknowledged between two kills. A count makes slow and fast machines comparable. */
  readonly operationsEach: number;
  readonly seed: number;
  readonly onKill?: (kills: number, operations: number) => void;
}

export const WRITERS = 8;
const WAYS = ['http', 'sdk'] as const;
/** Time from an acknowledgment to the kill. The range covers every stage of the requests in progress. */
const DELAY_MS_MAX = 50;
/** One in STARTING_ONCE_IN kills happens while the server starts, within STARTING_MS. */
const STARTING_ONCE_IN = 8;
const STARTING_MS = 1_000;
const LOOK_MS = 5;

export async function killOften(options: KillsOptions): Promise<KillPiece> {
  const { ground, kills, operationsEach, seed, onKill = () => {} } = options;
  const begun = performance.now();
  const findings = new Findings();
  const ready = await setUp({ ...options, repositories: ['world'], findings });
  const { world, server } = ready;
  const [model] = world.models;
  if (model === undefined) throw new Error('there is no repository to write to');
  const place = { world, model };
  const follower = new LogFollower(place);
  const writers = Array.from({ length: WRITERS }, (_, index) => {
    const writer = new CommitWriter({ place, way: WAYS[index % WAYS.length] ?? 'http', index });
    return repeat(world, { name: `writer ${index}`, paceMs: 0, step: () => writer.step() });
  });
  const writing = Promise.all(writers);
  // The end awaits it. A failed run does not, so its rejection must not go unhandled.
  writing.catch(() => {});
  try {
    const counts = { done: 0, whileStarting: 0 };
    while (counts.done < kills) {
      await killOnce(ready, { operationsEach, counts });
      onKill(counts.done, model.acknowledgedOperations);
      await follower.step();
    }
    await acknowledged(ready, 1);
    world.isGoing = false;
    await writing;
    await follower.step();
    follower.expectAll();
    await compareAll(place);
    await server.stop();
    await checkStore(ground, findings);
    return {
      ...{ engine: ground.location.engine, writers: WRITERS, seed },
      ...{ kills: counts.done, killsWhileStarting: counts.whileStarting },
      commits: model.acknowledgedCommits,
      operations: model.acknowledgedOperations,
      seconds: Math.round((performance.now() - begun) / 1_000),
      findings: { counts: findings.counts, sentences: findings.sentences },
    };
  } catch (error) {
    ready.giveUp(error);
    throw error;
  } finally {
    await server.stop();
  }
}

interface KillState extends Pick<KillsOptions, 'operationsEach'> {
  readonly counts: { done: number; whileStarting: number };
}

/** Kills a server that has acknowledged something since its start. Returns when a new one answers. */
async function killOnce(ready: SetUp, { operationsEach, counts }: KillState): Promise<void> {
  const { server, world } = ready;
  const { random } = world;
  await acknowledged(ready, 1 + random.below(2 * operationsEach));
  await pause(random.below(DELAY_MS_MAX));
  counts.done += 1;
  await server.crash();
  while (random.once(STARTING_ONCE_IN)) {
    await killStarting(server, random.below(STARTING_MS));
    counts.done += 1;
    counts.whileStarting += 1;
  }
  await server.start();
}

async function killStarting(server: SoakServer, afterMs: number): Promise<void> {
  server.launch();
  await pause(afterMs);
  await server.crash();
}

async function acknowledged({ world }: SetUp, operations: number): Promise<void> {
  const count = () => world.models.reduce((sum, model) => sum + model.acknowledgedOperations, 0);
  const wanted = count() + operations;
  while (count() < wanted) await pause(LOOK_MS);
}
