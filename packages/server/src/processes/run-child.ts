// A process started by the supervisor: takes its role and runs until told to stop or orphaned.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { issueSetupCode } from '../account/account.ts';
import { createOutbound } from '../action/delivery/client.ts';
import { DeliveryMeter } from '../action/delivery/delivery-verdict.ts';
import { type Stop, startBackground } from '../background.ts';
import { blobLocation, type Config, readConfig, startExitCode, startProblem, storeLocation } from '../config.ts';
import { serveWriter } from '../engine/writer-socket.ts';
import { openBlobStore } from '../export/blob-store.ts';
import { limitHeap } from '../heap.ts';
import { createMetrics, type Metrics } from '../http/metrics.ts';
import { openSecret } from '../keys/secret.ts';
import { createLog } from '../log.ts';
import { createConfiguredOwner, deriveKeys, downloadKey, serveMetrics, startServer } from '../server.ts';
import { openStore, prepareStore, type Store, serveWriterOf } from '../store.ts';
import { type FromChild, type Role, type ToChild, workerCount } from './supervised.ts';

export interface Colleagues {
  tell(message: FromChild): void;
  /** Calls back with each message. Metric requests are answered internally. */
  listen(listener: (message: ToChild, socket: Socket | undefined) => void): void;
  /** Registers this process's metrics. The result renders those of all processes. */
  shareMetrics(own: Metrics): () => Promise<string>;
}

export interface ChildParts extends Omit<Role, 'role'> {
  readonly config: Config;
  readonly log: Logger;
  readonly colleagues: Colleagues;
}

/** Ignores signals from a terminal or service manager, because the supervisor decides when to stop. */
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

/** A spare gets its role later. Until then it preloads, and exits if the supervisor goes away. */
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

/** An orphan must stop by force: what it waits for, such as the writer, may never come. */
const ORPHAN_WITHIN_MS = 2_000;

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

export async function startWorker({ config, log, colleagues, writerAt, publicUrl }: ChildParts): Promise<Stop> {
  const isShared = storeLocation(config).engine === 'sqlite';
  const { stop } = await startServer(config, log, {
    others: {
      publicUrl,
      processes: workerCount(config),
      writerAt: isShared ? writerAt : undefined,
      shareMetrics: colleagues.shareMetrics,
      takeConnections: (server) => takeConnections(server, colleagues),
    },
  });
  return stop;
}

function takeConnections(server: Server, { listen, tell }: Colleagues): void {
  listen((message, socket) => {
    if (!('connection' in message)) return;
    tell({ took: message.connection });
    if (socket !== undefined) answer(server, socket);
  });
  tell({ ready: true });
}

function answer(server: Server, socket: Socket): void {
  socket.setNoDelay(true);
  server.emit('connection', socket);
  socket.resume();
}

/** Owns the writer on SQLite and runs background jobs. One transaction holds writes of all workers. */
export async function startWriter(parts: ChildParts): Promise<Stop> {
  const { config, colleagues, writerAt } = parts;
  const closing: Stop[] = [];
  const stop = async () => {
    for (const close of closing.splice(0).reverse()) await close();
  };
  try {
    const store = await openStore(storeLocation(config, workerCount(config)));
    closing.push(() => store.close());
    const secret = await openSecret(store, { given: config.secret, folder: config.data });
    await createConfiguredOwner(store, config);
    const meter = new DeliveryMeter();
    const render = colleagues.shareMetrics(createMetrics({ writes: store, deliveries: { store, meter } }));
    if (config.metricsPort !== undefined) closing.push(await serveMetrics({ render }, config.metricsPort));
    const { close } = await serveWriter(writerAt, (request: Parameters<typeof serveWriterOf>[1]) =>
      serveWriterOf(store, request),
    );
    closing.push(close);
    colleagues.tell({ opened: true, setupCode: await issueSetupCode(store) });
    closing.push(await startWork(parts, { store, secret, meter }));
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Ground {
  readonly store: Store;
  readonly secret: string;
  readonly meter: DeliveryMeter;
}

async function startWork({ config, log, publicUrl }: ChildParts, { store, secret, meter }: Ground): Promise<Stop> {
  return await startBackground({
    blobs: openBlobStore(blobLocation(config), { key: downloadKey(secret), publicUrl }),
    outbound: createOutbound({ allow: config.outboundAllow }),
    keys: deriveKeys(secret),
    settings: { ...config, publicUrl },
    ...{ store, meter, log },
  });
}
