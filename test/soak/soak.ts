// A server in use for any length of time: all kinds of traffic, random faults, and every answer compared with what was
// sent. At the end the whole store is checked.
import { setTimeout as pause } from 'node:timers/promises';
import { Random } from '../support/random.ts';
import { awaitDeliveries, reportSuccess } from './deliveries.ts';
import { checkStore, compareAll } from './final-check.ts';
import { Findings } from './finding.ts';
import type { Ground } from './ground.ts';
import { Killer } from './killer.ts';
import { Listener } from './listener.ts';
import { Receiver } from './receiver.ts';
import { setUp } from './set-up.ts';
import type { SoakSummary } from './summary.ts';
import { startTraffic, type Traffic } from './traffic.ts';
import { type Interval, Watch } from './watch.ts';
import type { World } from './world.ts';

export interface SoakOptions {
  readonly ground: Ground;
  readonly serverFile: string;
  readonly seconds: number;
  readonly killEverySeconds: number;
  readonly paceMs: number;
  readonly seed: number;
  /** Request kinds that must get an answer at least once before the run ends, even on a slow machine. */
  readonly answered?: readonly string[];
  readonly onInterval?: (interval: Interval) => void;
}

const REPOSITORIES = ['north', 'south'];
const LISTENERS_EACH = 2;
const LOOK_MS = 100;
/** Time for late deliveries and events to arrive after the last kill. */
const SETTLE_MS = 180_000;

export async function soak(options: SoakOptions): Promise<SoakSummary> {
  const { seed, seconds, killEverySeconds, paceMs, onInterval = () => {} } = options;
  const findings = new Findings();
  const told: { world?: World } = {};
  const receiver = await Receiver.start({
    findings,
    random: new Random(seed + 1),
    report: async (runId) => told.world && (await reportSuccess(told.world, runId)),
  });
  const { world, server, giveUp } = await setUp({ ...options, repositories: REPOSITORIES, findings }, receiver);
  told.world = world;
  const killer = new Killer({ world, server, everyMs: 1_000 * killEverySeconds });
  const listeners = await startListeners(world);
  const watch = new Watch({ world, server, killer, listeners, onInterval });
  try {
    const traffic = startTraffic(world, paceMs);
    await Promise.race([killer.run(1_000 * seconds), traffic.done]);
    await Promise.race([answeredAll(world, options.answered ?? []), traffic.done]);
    world.isGoing = false;
    await traffic.done;
    receiver.stopFailing();
    await settle(world, { traffic, listeners, receiver });
    const ended = await server.stop();
    if (ended !== 0) findings.add('answer', `the server was told to stop at the end, and ended with ${ended}`);
    const lasted = watch.seconds;
    await checkStore(options.ground, findings);
    return summaryOf(options, { world, killer, listeners, receiver, watch, lasted, output: server.output });
  } catch (error) {
    giveUp(error);
    throw error;
  } finally {
    watch.stop();
    receiver.stop();
    await server.stop();
  }
}

async function answeredAll({ meter, signal }: World, kinds: readonly string[]): Promise<void> {
  const isAnswered = (kind: string) => (meter.whole()[kind]?.answered ?? 0) > 0;
  while (!kinds.every(isAnswered)) {
    signal.throwIfAborted();
    await pause(LOOK_MS);
  }
}

async function startListeners(world: World): Promise<Listener[]> {
  const models = Array.from({ length: LISTENERS_EACH }, () => world.models).flat();
  const listeners = models.map((model) => new Listener({ world, model }));
  await Promise.all(listeners.map((listener) => listener.start(world)));
  return listeners;
}

interface Ending {
  readonly traffic: Traffic;
  readonly listeners: readonly Listener[];
  readonly receiver: Receiver;
}

async function settle(world: World, { traffic, listeners, receiver }: Ending): Promise<void> {
  await Promise.all(listeners.map((listener) => listener.hearAll(SETTLE_MS)));
  for (const follower of traffic.followers) {
    await follower.step();
    follower.expectAll();
  }
  for (const past of traffic.pastReaders) await past.askAllAgain();
  for (const model of world.models) {
    const place = { world, model };
    if (model.inFlightCount > 0)
      world.findings.add('answer', `${model.name}: ${model.inFlightCount} were not answered`);
    await awaitDeliveries(place, receiver, SETTLE_MS);
    await compareAll(place);
  }
}

interface Run {
  readonly world: World;
  readonly killer: Killer;
  readonly listeners: readonly Listener[];
  readonly receiver: Receiver;
  readonly watch: Watch;
  readonly lasted: number;
  readonly output: string;
}

function summaryOf({ ground, seed, killEverySeconds, paceMs }: SoakOptions, run: Run): SoakSummary {
  const { world, killer, listeners, receiver, watch, lasted, output } = run;
  const { findings, models, meter } = world;
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return {
    ...{ engine: ground.location.engine, seed, killEverySeconds, paceMs, seconds: lasted },
    kills: killer.counts,
    commits: sum(models.map(({ acknowledgedCommits }) => acknowledgedCommits)),
    operations: sum(models.map(({ acknowledgedOperations }) => acknowledgedOperations)),
    sequences: sum(models.map(({ head }) => head)),
    liveEvents: sum(listeners.map(({ events }) => events)),
    liveCuts: sum(listeners.map(({ cuts }) => cuts)),
    deliveries: { ...receiver.counts },
    longestWithoutWriteMs: watch.longestWithoutWriteMs,
    requests: meter.whole(),
    memory: watch.memory(),
    timeline: watch.timeline,
    findings: { counts: findings.counts, sentences: findings.sentences },
    ...(findings.total > 0 && { output }),
  };
}
