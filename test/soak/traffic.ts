// All clients of the server in a run.
import { CommitWriter } from './commit-writer.ts';
import { compareExport, compareExportJob } from './export-reader.ts';
import { LogFollower } from './log-follower.ts';
import { PastReader } from './past-reader.ts';
import { READS } from './reader.ts';
import type { RepositoryModel } from './repository-model.ts';
import { StreamWriter } from './stream-writer.ts';
import { WAYS } from './submit.ts';
import { repeat, type World } from './world.ts';

/** Average pause between two steps of one client. The pace of writers is an option. */
const PACE_MS = { read: 15, past: 30, log: 1_000, export: 2_000, job: 8_000 };
const READERS = 2;
const LINES_A_COMMIT = 5;

export interface Traffic {
  /** Resolves when the run ends and everything is acknowledged. */
  readonly done: Promise<unknown>;
  readonly followers: readonly LogFollower[];
  readonly pastReaders: readonly PastReader[];
}

export function startTraffic(world: World, paceMs: number): Traffic {
  const followers: LogFollower[] = [];
  const pastReaders: PastReader[] = [];
  const clients = world.models.flatMap((model, at) => {
    const place = { world, model };
    const follower = new LogFollower(place);
    const past = new PastReader(place);
    followers.push(follower);
    pastReaders.push(past);
    const read = () => world.random.pick(READS)(place);
    return [
      ...startWriters(world, model, { at, paceMs }),
      ...Array.from({ length: READERS }, () => repeat(world, { name: 'read', paceMs: PACE_MS.read, step: read })),
      repeat(world, { name: 'past', paceMs: PACE_MS.past, step: () => past.step() }),
      repeat(world, { name: 'log', paceMs: PACE_MS.log, step: () => follower.step() }),
      repeat(world, { name: 'export', paceMs: PACE_MS.export, step: () => compareExport(place) }),
      repeat(world, { name: 'export job', paceMs: PACE_MS.job, step: () => compareExportJob(place) }),
    ];
  });
  const done = Promise.all(clients);
  // A caller that awaits it still gets the error. A failed run does not await it.
  done.catch(() => {});
  return { done, followers, pastReaders };
}

function startWriters(
  world: World,
  model: RepositoryModel,
  { at, paceMs }: { at: number; paceMs: number },
): Promise<void>[] {
  const place = { world, model };
  const first = at * (WAYS.length + 1);
  const writers = WAYS.map((way, n) => {
    const writer = new CommitWriter({ place, way, index: first + n });
    return repeat(world, { name: `commit ${way}`, paceMs, step: () => writer.step() });
  });
  const stream = new StreamWriter({ place, index: first + WAYS.length, linePaceMs: paceMs / LINES_A_COMMIT });
  return [...writers, repeat(world, { name: 'stream', paceMs, step: () => stream.step() })];
}
