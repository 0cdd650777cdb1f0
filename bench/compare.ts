// Cairn as `npm start` runs it, next to PocketBase, the lean server and the bare one. All use the same records,
// durability and client, in alternating runs. Each load gives two figures: requests a second, and processor time per
// request.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { buildServer } from '../scripts/build-server.ts';
import {
  CONTENTS,
  commitRequest,
  loadRequest,
  PAGE,
  RECORDS,
  recordData,
  recordRequests,
  toolRequest,
  type Work,
  type WorkRequests,
} from './compare-requests.ts';
import { type Figure, median, ratios } from './figure.ts';
import type { Load } from './load.ts';
import type { Sent } from './load-text.ts';
import { buildPocketBase, fillPocketBase, pocketBaseRequests, startPocketBase } from './pocketbase.ts';
import { type LoadProcess, type StartedServer, startLoad, startServer } from './process.ts';
import { processorSecondsOf, residentMb } from './process-usage.ts';
import { loadRepository } from './read-data.ts';
import { sized } from './size.ts';

const RUNS = sized({ full: 5, quick: 1 });
/** Runs of reads are limited by time, runs of commits by their number. */
const RUN = { ms: sized({ full: 2_000, quick: 200 }), commits: sized({ full: 5_000, quick: 200 }) };
const RUN_OF_ONE = { ...RUN, commits: sized({ full: 2_000, quick: 50 }) };
const WARM_UP = { ms: sized({ full: 300, quick: 50 }), commits: sized({ full: 300, quick: 40 }) };
/** Longer, because Node compiles hot code at first. */
const FIRST_WARM_UP = { ms: sized({ full: 4_000, quick: 200 }), commits: sized({ full: 4_000, quick: 100 }) };
const CONNECTIONS = 32;
const IDLE_AFTER_MS = sized({ full: 5_000, quick: 300 });
const FILL_OPERATIONS = 1_000;
const QUIET_MS = 200;
const QUIET_WITHIN_MS = 10_000;
/** Linux counts processor time in hundredths of a second. */
const QUIET_SECONDS = 0.015;
const EDGE_MICROSECONDS = 60;
const TOKEN = 'the token of the lean and the bare server';

interface Row {
  readonly name: string;
  readonly work: Work;
  readonly connections?: number;
  /** Limit of Cairn's processor time in microseconds. */
  readonly atMost?: number;
  /** Lower limit of Cairn's rate, as a multiple of another server's. */
  readonly atLeastOf?: Partial<Record<ServerName, number>>;
}

const ROWS: readonly Row[] = [
  { name: 'health', work: 'health' },
  { name: 'point read, REST', work: 'read', atMost: 160, atLeastOf: { PocketBase: 1 } },
  { name: 'point read, tRPC', work: 'trpc', atMost: 180 },
  { name: `page of ${PAGE}`, work: 'page', atMost: 550, atLeastOf: { PocketBase: 1 } },
  { name: `indexed range in its order, page of ${PAGE}`, work: 'range', atMost: 600, atLeastOf: { PocketBase: 1 } },
  { name: 'MCP tool call', work: 'tool', atMost: 700 },
  { name: 'single commit, 32 writers', work: 'commit', atMost: 350, atLeastOf: { PocketBase: 1 } },
  { name: 'single commit, 1 writer', work: 'commit', connections: 1, atLeastOf: { lean: 0.6 } },
];
const IDLE_MB_MAX = 130;
const START_MS_MAX = 600;

type ServerName = 'cairn' | 'PocketBase' | 'lean' | 'bare';

interface Compared {
  readonly name: ServerName;
  readonly requests: WorkRequests;
  readonly start: () => Promise<StartedServer>;
}

interface Running extends Compared, StartedServer {}

type Values = Map<ServerName, number[]>;

export async function compareFigures(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-'));
  const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true })];
  try {
    const cairn = await prepareCairn();
    closing.push(cairn.remove);
    const own = [await prepareOwn('lean', folder), await prepareOwn('bare', folder)];
    const servers = [cairn, ...(await preparePocketBase(folder)), ...own];
    const figures = await measureStarts(servers);
    const load = startLoad();
    closing.push(load.stop);
    const running: Running[] = [];
    for (const server of servers) {
      const started = await server.start();
      closing.push(started.stop);
      running.push({ ...server, ...started });
    }
    const rows: Figure[] = [];
    for (const row of ROWS) rows.push(...(await measureRow(row, running, load)));
    return [...rows, ...figures];
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

async function prepareCairn(): Promise<Compared & { readonly remove: () => void }> {
  await buildServer();
  const loaded = await loadRepository({ records: RECORDS, server: undefined, contents: CONTENTS });
  const env = { ...loaded.settings, CAIRN_LIMIT_ANONYMOUS_REQUESTS_PER_HOUR: '0' };
  const args = (port: number) => ['run.mjs', 'scripts/start.ts', `--port=${port}`];
  const start = () => startServer({ args, env, live: '/health/live' });
  // The first start compiles code that later starts find in a cache.
  await (await start()).stop();
  const { token, remove } = loaded;
  const requests = { ...recordRequests(token), tool: (n: number) => toolRequest(token, n) };
  return { name: 'cairn', requests, start, remove };
}

const PROGRAMS = { lean: 'bench/lean-server.ts', bare: 'bench/bare-records.ts' };

async function prepareOwn(name: keyof typeof PROGRAMS, folder: string): Promise<Compared> {
  const file = join(folder, `${name}.db`);
  const args = (port: number) => ['run.mjs', PROGRAMS[name], String(port), file, TOKEN];
  const start = () => startServer({ args, live: '/health/live' });
  const server = await start();
  for (let from = 0; from < RECORDS; from += FILL_OPERATIONS) {
    const commit = commitRequest(numbers(from, Math.min(FILL_OPERATIONS, RECORDS - from)));
    const answer = await ask(server, { ...commit, token: TOKEN });
    if (!answer.ok) throw new Error(`${name} could not be filled: ${await answer.text()}`);
  }
  await server.stop();
  const requests = recordRequests(TOKEN);
  // Measures the SDK alone.
  if (name === 'bare') requests.tool = (n) => toolRequest(TOKEN, n);
  return { name, requests, start };
}

async function preparePocketBase(folder: string): Promise<Compared[]> {
  const program = buildPocketBase();
  if (program === undefined) return [];
  const data = join(folder, 'pocketbase');
  const token = await fillPocketBase(program, data);
  return [{ name: 'PocketBase', requests: pocketBaseRequests(token), start: () => startPocketBase(program, data) }];
}

const numbers = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at);
const DIFFERENT_READS = numbers(0, Math.min(RECORDS, 4_000)).map((n) => recordData(n).x);

async function measureStarts(servers: readonly Compared[]): Promise<Figure[]> {
  const [startMs, idleMb]: [Values, Values] = [new Map(), new Map()];
  for (let run = 0; run < RUNS; run++) {
    for (const { name, start } of servers) {
      const server = await start();
      await pause(IDLE_AFTER_MS);
      add(startMs, name, server.startMs);
      add(idleMb, name, residentMb(server));
      await server.stop();
    }
  }
  return [
    ...makeFigures(idleMb, { name: 'memory when idle', unit: 'MB', atMost: IDLE_MB_MAX }),
    ...makeFigures(startMs, { name: 'start until it answers', unit: 'ms', atMost: START_MS_MAX }),
  ];
}

function add(values: Values, name: ServerName, value: number): void {
  values.set(name, [...(values.get(name) ?? []), value]);
}

interface Measure {
  readonly name: string;
  readonly unit: string;
  readonly atMost?: number | undefined;
}

function makeFigures(values: Values, { name, unit, atMost }: Measure): Figure[] {
  const bare = values.get('bare');
  return [...values]
    .filter(([server]) => server !== 'bare')
    .map(([server, own]) => ({
      name: `${name}, ${server}`,
      unit,
      values: own,
      ...(bare !== undefined && { bare }),
      ...(server === 'cairn' && atMost !== undefined && { atMost }),
    }));
}

async function measureRow(row: Row, running: readonly Running[], load: LoadProcess): Promise<Figure[]> {
  const servers: Running[] = [];
  for (const server of running) if (await isServed(row, server)) servers.push(server);
  const [rates, times]: [Values, Values] = [new Map(), new Map()];
  for (let run = 0; run <= RUNS; run++) {
    const warm = run === 0 ? FIRST_WARM_UP : WARM_UP;
    const amount = row.connections === 1 ? RUN_OF_ONE : RUN;
    for (const server of servers) {
      await load.measure(makeLoad(row, server, warm, firstUnused));
      if (run === 0) continue;
      const before = await waitUntilQuiet(server);
      const { answers, seconds } = await load.measure(makeLoad(row, server, amount, firstUnused + warm.commits));
      const used = (await waitUntilQuiet(server)) - before;
      add(rates, server.name, answers / seconds);
      add(times, server.name, (1e6 * used) / answers);
    }
    if (row.work === 'commit') firstUnused += warm.commits + amount.commits;
  }
  return [
    ...makeFigures(rates, { name: row.name, unit: 'a second' }),
    ...makeFigures(times, { name: `${row.name}, processor time`, unit: 'µs', atMost: findTimeLimit(row, times) }),
    ...compareRates(row, rates),
  ];
}

function findTimeLimit({ work, atMost }: Row, times: Values): number | undefined {
  const bare = times.get('bare');
  return work === 'health' && bare !== undefined ? Math.round(median(bare)) + EDGE_MICROSECONDS : atMost;
}

let firstUnused = RECORDS;

function makeLoad(row: Row, { port, requests }: Running, { commits, ms }: typeof RUN, from: number): Load {
  const { work, connections = CONNECTIONS } = row;
  const wanted = work === 'commit' ? numbers(from, commits) : DIFFERENT_READS;
  const made = wanted.flatMap((n) => requests[work]?.(n) ?? []).map(loadRequest);
  return { port, connections, requests: made, ...(work !== 'commit' && { ms }) };
}

/** Sends one request. If the server refuses it, prints a line and leaves the server out. */
async function isServed({ name, work }: Row, server: Running): Promise<boolean> {
  const request = server.requests[work]?.(1);
  if (request === undefined || work === 'commit') return request !== undefined;
  const { status } = await ask(server, request);
  if (status === 400) console.log(`${name}: ${server.name} is left out, because it refuses the request.`);
  return status !== 400;
}

function ask({ port }: StartedServer, { path, json, headers, token }: Sent): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    ...(json !== undefined && { method: 'POST', body: json }),
  });
}

/**
 * Background work of a load counts for that load and must not disturb the next server. Returns the processor time so
 * far.
 */
async function waitUntilQuiet(server: Running): Promise<number> {
  const end = performance.now() + QUIET_WITHIN_MS;
  let used = processorSecondsOf([server]);
  for (;;) {
    await pause(QUIET_MS);
    const now = processorSecondsOf([server]);
    if (now - used < QUIET_SECONDS || performance.now() > end) return used;
    used = now;
  }
}

function compareRates({ name, atLeastOf = {} }: Row, rates: Values): Figure[] {
  const cairn = rates.get('cairn');
  return Object.entries(atLeastOf).flatMap(([other, atLeast]) => {
    const others = rates.get(other as ServerName);
    if (cairn === undefined || others === undefined) return [];
    return {
      name: `${name}, rate of cairn to that of ${other}`,
      unit: 'times',
      values: ratios(cairn, others),
      atLeast,
    };
  });
}
