// Live streams: the cost of an idle stream, and the time until all streams have heard of a commit, also while some of
// them do not read.
import { setTimeout as pause } from 'node:timers/promises';
import type { Engine } from '../packages/server/src/engine/database.ts';
import { onBothEngines } from './engines.ts';
import type { Figure } from './figure.ts';
import type { Heard } from './live-client.ts';
import { call, type LiveProcess, residentBytes, type ServerProcess, startCairn, startLive } from './process.ts';
import { type LoadedRepository, loadRepository } from './read-data.ts';
import { counted, sized, sizedBy } from './size.ts';

const MANY = sizedBy('BENCH_STREAMS', { full: 10_000, quick: 300 });
const STALLED = MANY / 10;
const FEW = sized({ full: 500, quick: 100 });
const COMMITS = sized({ full: 15, quick: 3 });
/** Number of steps in which the memory of streams is measured. */
const STEPS = 4;
const RECORDS = 1_000;
/** Each token has its own streams, so that the server looks up many permissions. */
const TOKENS = 100;
const METRICS_TOKEN = 'the metrics of the benchmarks, which nobody else reads';
const SETTLE_MS = sized({ full: 3_000, quick: 300 });
const KIB = 1_024;
const WORLD = { orgName: 'bench', repoName: 'world' };

interface Bench {
  readonly engine: Engine;
  readonly cairn: ServerProcess;
  readonly clients: LiveProcess;
  readonly token: string;
}

export async function liveFigures(): Promise<Figure[]> {
  return await onBothEngines(figuresOn, { durable: true });
}

async function figuresOn(engine: Engine, server: string | undefined): Promise<Figure[]> {
  const loaded: LoadedRepository = await loadRepository({ records: RECORDS, server });
  const cairn = await startCairn({
    ...loaded.settings,
    CAIRN_METRICS_TOKEN: METRICS_TOKEN,
    CAIRN_LIMIT_LIVE_STREAMS: String(MANY),
    CAIRN_LIMIT_ADDRESS_CONNECTIONS: '0',
    CAIRN_LIMIT_ANONYMOUS_REQUESTS_PER_HOUR: '0',
  });
  const clients = startLive();
  try {
    const bench = { engine, cairn, clients, token: loaded.token };
    const alone = await commits(bench, { listening: false });
    const tickets = await issueTickets(bench);
    const memory = await openMany(bench, tickets);
    const figures = [...(await manyFigures(bench, alone)), memory];
    await clients.order('close');
    await pause(SETTLE_MS);
    return [...(await fewFigures(bench)), ...figures];
  } finally {
    await clients.stop();
    await cairn.stop();
    loaded.remove();
  }
}

async function fewFigures({ engine, ...bench }: Bench): Promise<Figure[]> {
  const tickets = await issueTickets({ engine, ...bench }, FEW);
  await bench.clients.order({ open: { port: bench.cairn.port, tickets } });
  const told = await commits({ engine, ...bench }, { listening: true });
  const named = (what: string) => `commit to ${what} of ${FEW} live clients, ${engine}`;
  return [
    { name: named('the 95th percentile'), unit: 'ms', values: told.map(({ p95Ms }) => p95Ms), atMost: 30 },
    { name: named('the last'), unit: 'ms', values: told.map(({ lastMs }) => lastMs), atMost: 100 },
  ];
}

async function manyFigures(bench: Bench, alone: readonly Told[]): Promise<Figure[]> {
  const { engine, clients } = bench;
  const all = await commits(bench, { listening: true });
  await clients.order({ stall: STALLED });
  const stalled = await commits(bench, { listening: true });
  const many = counted(MANY, 'live clients');
  const last = (told: readonly Told[]) => told.map(({ lastMs }) => lastMs);
  const commit = (told: readonly Told[]) => told.map(({ commitMs }) => commitMs);
  return [
    { name: `commit to the last of ${many}, ${engine}`, unit: 'ms', values: last(all), atMost: 1_000 },
    {
      name: `commit to the last of ${many} while ${STALLED.toLocaleString('en-US')} do not read, ${engine}`,
      unit: 'ms',
      values: last(stalled),
      atMost: 1_000,
    },
    { name: `commit, nobody listens, ${engine}`, unit: 'ms', values: commit(alone) },
    { name: `commit, ${many}, ${engine}`, unit: 'ms', values: commit(all) },
    { name: `commit, ${many}, ${STALLED} do not read, ${engine}`, unit: 'ms', values: commit(stalled) },
  ];
}

async function openMany({ engine, cairn, clients }: Bench, tickets: readonly string[]): Promise<Figure> {
  const values: number[] = [];
  const opened = tickets.length / STEPS;
  await pause(SETTLE_MS);
  for (let step = 0; step < STEPS; step++) {
    const before = await residentBytes(cairn, METRICS_TOKEN);
    const some = tickets.slice(step * opened, (step + 1) * opened);
    await clients.order({ open: { port: cairn.port, tickets: some } });
    await pause(SETTLE_MS);
    values.push(((await residentBytes(cairn, METRICS_TOKEN)) - before) / some.length / KIB);
  }
  const name = `memory of an idle live stream, of ${MANY.toLocaleString('en-US')}, ${engine}`;
  return { name, unit: 'KiB', values, atMost: 32 };
}

interface Told {
  readonly commitMs: number;
  /** Counted from sending the commit. */
  readonly p95Ms: number;
  readonly lastMs: number;
}

async function commits(bench: Bench, { listening }: { listening: boolean }): Promise<Told[]> {
  const told: Told[] = [];
  for (let run = 0; run < COMMITS; run++) {
    const start = performance.timeOrigin + performance.now();
    const repoSeq = await commitOne(bench);
    const commitMs = performance.timeOrigin + performance.now() - start;
    const heard = listening ? await bench.clients.order({ hear: repoSeq }) : [];
    told.push({ commitMs, ...timesOf(heard, start) });
    await pause(200);
  }
  return told;
}

function timesOf(heard: Heard, start: number): Pick<Told, 'p95Ms' | 'lastMs'> {
  const times = heard.map((at) => at - start).sort((a, b) => a - b);
  return { p95Ms: times[Math.floor(times.length * 0.95)] ?? 0, lastMs: times.at(-1) ?? 0 };
}

let committed = 0;

async function commitOne(bench: Bench): Promise<number> {
  const operations = [
    { operation: 'add', name: `Claim/live-${committed++}`, about: 'Reading/r0', data: { text: 'x' } },
  ];
  return (await call<{ repoSeq: number }>(bench, 'commit.submit', { ...WORLD, operations })).repoSeq;
}

async function issueTickets(bench: Bench, count = MANY): Promise<string[]> {
  const tokens: string[] = [];
  for (let n = 0; n < TOKENS; n++) {
    const scopes = [{ permissions: ['repo:read'] }];
    tokens.push((await call<{ token: string }>(bench, 'token.create', { name: `t${count}-${n}`, scopes })).token);
  }
  const tickets: string[] = [];
  while (tickets.length < count) {
    const some = tokens.slice(0, count - tickets.length).map((token) => issueTicket({ ...bench, token }));
    tickets.push(...(await Promise.all(some)));
  }
  return tickets;
}

async function issueTicket(bench: Bench): Promise<string> {
  return (await call<{ ticket: string }>(bench, 'live.issueTicket', WORLD)).ticket;
}
