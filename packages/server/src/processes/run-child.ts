// A process that the supervisor has started: it learns what it is, does that until it is told to stop or nobody is left who
// could, and asks for what only all processes together know.
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Stop } from '../background.ts';
import { type Config, readConfig } from '../config.ts';
import { limitHeap } from '../heap.ts';
import type { Metrics } from '../http/metrics.ts';
import { createLog } from '../log.ts';
import { startExitCode, startProblem } from '../start-problem.ts';
import { prepareStore } from '../store.ts';
import type { FromChild, Role, ToChild } from './message.ts';
import { startWorker } from './worker.ts';
import { startWriter } from './writer.ts';

export interface Colleagues {
  tell(message: FromChild): void;
  /** Calls back with each message; the supervisor's questions are answered here. */
  listen(listener: (message: ToChild, socket: Socket | undefined) => void): void;
  /** Has one's own figures counted in; the answer renders those of all. */
  shareMetrics(own: Metrics): () => Promise<string>;
}

export interface ChildParts extends Omit<Role, 'role'> {
  readonly config: Config;
  readonly log: Logger;
  readonly colleagues: Colleagues;
}

/** A terminal sends its signals to every process, and so do some that start services: the supervisor decides what they mean. */
export async function runChild(): Promise<void> {
  limitHeap();
  for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => {});
  const colleagues = createColleagues();
  const { role, ...rest } = await firstMessage();
  try {
    const config = readConfig(process.argv.slice(2));
    const log = createLog({ level: config.logLevel, base: { process: role, pid: process.pid } });
    const start = role === 'writer' ? startWriter : startWorker;
    stopWhenTold(role, colleagues, start({ config, log, colleagues, ...rest }));
  } catch (error) {
    giveUp(error);
  }
}

const PREPARE_AFTER_MS = 100;

/**
 * Comes at once, or when another has died, for whose place this one gets ready meanwhile; or never, when the supervisor is no
 * more.
 */
function firstMessage(): Promise<Role> {
  const leave = () => process.exit(0);
  process.once('disconnect', leave);
  const prepare = setTimeout(prepareStore, PREPARE_AFTER_MS);
  return new Promise((resolve) => {
    process.once('message', (message) => {
      process.off('disconnect', leave);
      clearTimeout(prepare);
      resolve(message as Role);
    });
  });
}

function giveUp(error: unknown): never {
  process.stderr.write(`${startProblem(error)}\n`);
  process.exit(startExitCode(error));
}

/** Of who started this one, nothing is left: what it waits for may never come, such as the writer. */
const ORPHAN_WITHIN_MS = 2_000;

/** A worker alone may be ended too, and another takes its place. */
function stopWhenTold(role: Role['role'], colleagues: Colleagues, started: Promise<Stop>): void {
  started.catch(giveUp);
  let stopping = false;
  const end = async () => {
    if (stopping) return;
    stopping = true;
    colleagues.tell({ leaving: true });
    const stop = await started;
    await stop().catch(() => process.exit(1));
    process.exit(0);
  };
  colleagues.listen((message) => 'stop' in message && void end());
  process.on('disconnect', () => {
    setTimeout(() => process.exit(1), ORPHAN_WITHIN_MS);
    void end();
  });
  process.on('SIGTERM', () => role === 'worker' && void end());
}

function createColleagues(): Colleagues {
  const waiting = new Map<number, (text: string) => void>();
  let own: Metrics | undefined;
  let lastId = 0;
  const tell = (message: FromChild) => {
    if (process.connected) process.send?.(message, undefined, {}, () => {});
  };
  process.on('message', async (message: ToChild) => {
    if ('rendered' in message) waiting.get(message.rendered)?.(message.text);
    if ('snapshotOf' in message) tell({ snapshot: (await own?.snapshot()) ?? [], for: message.snapshotOf });
  });
  return {
    tell,
    listen: (listener) =>
      void process.on('message', (message, handle) => listener(message as ToChild, handle as Socket | undefined)),
    shareMetrics: (metrics) => {
      own = metrics;
      return () => {
        const id = ++lastId;
        return new Promise<string>((resolve) => {
          waiting.set(id, resolve);
          tell({ render: id });
        }).finally(() => waiting.delete(id));
      };
    },
  };
}
