// Webhook deliveries to one receiver that answers at once: their rate, and their age on arrival. The age is measured
// alone and next to a receiver that does not answer.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Engine } from '../packages/server/src/engine/database.ts';
import { onBothEngines } from './engines.ts';
import type { Figure } from './figure.ts';
import { call, type ServerProcess, startCairn } from './process.ts';
import { loadRepository } from './read-data.ts';
import { sized, sizedBy } from './size.ts';

const RUNS = 3;
/** Fewer on PostgreSQL, where a delivery takes several round trips. */
const BACKLOG = {
  sqlite: sizedBy('BENCH_DELIVERIES', { full: 5_000, quick: 100 }),
  postgres: sizedBy('BENCH_DELIVERIES', { full: 1_000, quick: 50 }),
} as const satisfies Record<Engine, number>;
const COMMITTED_AT_ONCE = 50;
const SINGLE = sized({ full: 40, quick: 3 });
const RECORDS = 100;
const LOOK_MS = 10;
const WORLD = { orgName: 'bench', repoName: 'world' };

export async function actionFigures(): Promise<Figure[]> {
  return await onBothEngines(figuresOn, { durable: true });
}

interface Bench {
  readonly cairn: ServerProcess;
  readonly token: string;
  readonly quick: Target;
  readonly slow: Target;
}

async function figuresOn(engine: Engine, server: string | undefined): Promise<Figure[]> {
  const loaded = await loadRepository({ records: RECORDS, server });
  const [quick, slow] = [await startTarget({ answers: true }), await startTarget({ answers: false })];
  const allow = [quick, slow].map(({ address }) => address).join(',');
  const cairn = await startCairn({ ...loaded.settings, CAIRN_OUTBOUND_ALLOW: allow });
  const bench = { cairn, token: loaded.token, quick, slow };
  try {
    await subscribe(bench, { name: 'quick', target: quick });
    const rates = await repeated(() => drain(bench, BACKLOG[engine]));
    const alone = await repeated(() => ages(bench));
    await subscribe(bench, { name: 'slow', target: slow });
    const beside = await repeated(() => ages(bench));
    const oldest = beside.map((run) => Math.max(...run));
    return [
      {
        name: `deliveries of a backlog of ${BACKLOG[engine].toLocaleString('en-US')}, ${engine}`,
        unit: 'a second',
        values: rates,
      },
      { name: `age of a delivery, ${engine}`, unit: 'ms', values: alone.flat() },
      { name: `age of a delivery beside a target that does not answer, ${engine}`, unit: 'ms', values: beside.flat() },
      { name: `the oldest of them, ${engine}`, unit: 'ms', values: oldest },
    ];
  } finally {
    await cairn.stop();
    quick.close();
    slow.close();
    loaded.remove();
  }
}

interface Target {
  readonly address: string;
  /** Arrival time of each delivery, by the sequence of its commit. */
  readonly arrivals: Map<number, number>;
  close(): void;
}

async function startTarget({ answers }: { answers: boolean }): Promise<Target> {
  const arrivals = new Map<number, number>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { repoSeq } = JSON.parse(Buffer.concat(chunks).toString()) as { repoSeq: number };
    arrivals.set(repoSeq, performance.now());
    if (answers) response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, arrivals, close };
}

async function subscribe(bench: Bench, { name, target }: { name: string; target: Target }): Promise<void> {
  const webhookUrl = `http://${target.address}/`;
  await call(bench, 'subscription.create', { ...WORLD, name, filter: { shape: 'Claim' }, webhookUrl });
}

async function repeated<Result>(work: () => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let run = 0; run < RUNS; run++) results.push(await work());
  return results;
}

/** Starts with the last commit: the deliveries still pending then run without other load. */
async function drain(bench: Bench, backlog: number): Promise<number> {
  const { arrivals } = bench.quick;
  const all = arrivals.size + backlog;
  await commitMany(bench, backlog);
  const begun = performance.now();
  const behind = all - arrivals.size;
  if (behind <= 0) throw new Error(`Nothing is left of a backlog of ${backlog}: it is too short to measure.`);
  while (arrivals.size < all) await pause(LOOK_MS);
  return behind / ((performance.now() - begun) / 1_000);
}

async function commitMany(bench: Bench, count: number): Promise<void> {
  for (let n = 0; n < count; n += COMMITTED_AT_ONCE) {
    await Promise.all(Array.from({ length: COMMITTED_AT_ONCE }, () => commit(bench)));
  }
}

async function ages(bench: Bench): Promise<number[]> {
  const found: number[] = [];
  for (let n = 0; n < SINGLE; n++) {
    const sent = performance.now();
    const repoSeq = await commit(bench);
    while (!bench.quick.arrivals.has(repoSeq)) await pause(1);
    found.push((bench.quick.arrivals.get(repoSeq) ?? 0) - sent);
  }
  return found;
}

let committed = 0;

async function commit(bench: Bench): Promise<number> {
  const operations = [
    { operation: 'add', name: `Claim/told-${committed++}`, about: 'Reading/r0', data: { text: 'x' } },
  ];
  return (await call<{ repoSeq: number }>(bench, 'commit.submit', { ...WORLD, operations })).repoSeq;
}
