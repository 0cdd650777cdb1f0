// Round trips to PostgreSQL per request, counted on the wire, for one record, few and many. Unrelated statements are
// counted now and then, so the minimum of several requests is used.
import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres } from '../test/support/postgres.ts';
import type { Figure } from './figure.ts';
import { call, type ServerProcess, startCairn } from './process.ts';
import { loadRepository, reading } from './read-data.ts';
import { counted, sized } from './size.ts';
import { type CountedWire, countWire } from './wire-count.ts';

const RUNS = sized({ full: 10, quick: 3 });
/** After this long without traffic, background work of the previous request is done. */
const QUIET_MS = 100;
const QUIET_TRIES = 30;
const FEW = 10;
const MANY = 1_000;
const PAGE = 500;
const WORLD = { orgName: 'bench', repoName: 'world' };
const REPOSITORY = '/api/repos/bench/world';

interface Bench {
  readonly cairn: ServerProcess;
  readonly token: string;
  readonly wire: CountedWire;
  readonly commits: ReadonlyMap<number, number>;
}

interface Route {
  readonly name: string;
  readonly many: number;
  readonly send: (bench: Bench, count: number, run: number) => Promise<unknown>;
}

const ROUTES: readonly Route[] = [
  { name: 'commit of operations', many: MANY, send: submitCommit },
  { name: 'stream of lines', many: MANY, send: submitStream },
  { name: 'page of the head', many: PAGE, send: (bench, count) => get(bench, `/head?shape=Reading&limit=${count}`) },
  {
    name: 'page of an indexed filter',
    many: PAGE,
    send: (bench, count) => get(bench, `/query?shape=Reading&where=score:gte:0&limit=${count}`),
  },
  { name: 'page of a search', many: PAGE, send: (bench, count) => get(bench, `/query?q=cellar&limit=${count}`) },
  {
    name: 'page of what is about',
    many: PAGE,
    send: (bench, count) => get(bench, `/about/Reading%2Fr2?limit=${count}`),
  },
  {
    name: 'page of references',
    many: PAGE,
    send: (bench, limit) => ask(bench, 'thing.refs', { wref: 'Reading/r2', limit }),
  },
  {
    name: 'page of a history',
    many: PAGE,
    send: (bench, limit) => ask(bench, 'thing.history', { wref: 'Reading/r3', limit }),
  },
  { name: 'records by name', many: PAGE, send: (bench, count) => ask(bench, 'thing.getMany', { wrefs: names(count) }) },
  {
    name: 'page of changes',
    many: PAGE,
    send: (bench, limit) => ask(bench, 'thing.changes', { sinceRepoSeq: 0, limit }),
  },
  { name: 'export of records', many: MANY, send: exportCommit },
];

export async function roundTripFigures(): Promise<Figure[]> {
  const postgres = await startPostgres();
  const loaded = await loadRepository({ records: MANY, server: postgres.url });
  const wire = await countWire(loaded.settings.CAIRN_DATABASE_URL ?? '');
  const cairn = await startCairn({ ...loaded.settings, CAIRN_DATABASE_URL: wire.url });
  try {
    const bench = { cairn, token: loaded.token, wire, commits: new Map<number, number>() };
    await prepare(bench);
    const figures = [
      await figureOfOne(bench, { name: 'point read', atMost: 2, send: () => get(bench, '/head?match=Reading%2Fr2') }),
      await figureOfOne(bench, {
        name: 'point read by a procedure',
        atMost: 2,
        send: () => ask(bench, 'thing.get', { wref: 'Reading/r2' }),
      }),
      await figureOfOne(bench, {
        name: 'commit of one operation',
        atMost: 4,
        send: (run) => submitCommit(bench, 1, run),
      }),
    ];
    for (const route of ROUTES) figures.push(...(await figuresOf(bench, route)));
    return figures;
  } finally {
    await cairn.stop();
    wire.close();
    loaded.remove();
    await postgres.stop();
  }
}

async function prepare(bench: Bench & { commits: Map<number, number> }): Promise<void> {
  await call(bench, 'repo.configure', { ...WORLD, features: { streamSubmissions: true } });
  const commit = (operations: object[]) => call<{ repoSeq: number }>(bench, 'commit.submit', { ...WORLD, operations });
  await commit(
    Array.from({ length: PAGE }, (_, n) => ({ name: `Claim/r2-${n}`, about: 'Reading/r2', data: { text: `${n}` } })),
  );
  const { name, data } = reading(3);
  await commit(
    Array.from({ length: PAGE }, (_, n) => ({ operation: 'revise', name, data: { ...data, label: `${n}` } })),
  );
  for (const count of [FEW, MANY]) bench.commits.set(count, (await commit(newReadings(count, 'exported'))).repoSeq);
}

async function figuresOf(bench: Bench, { name, many, send }: Route): Promise<Figure[]> {
  const few = await least(bench, (run) => send(bench, FEW, run));
  const atMany = await least(bench, (run) => send(bench, many, run));
  const named = (count: number) => `round trips, ${name}, ${counted(count, 'of them')}, postgres`;
  return [
    { name: named(FEW), unit: '', values: [few] },
    { name: named(many), unit: '', values: [atMany], atMost: few },
  ];
}

interface One {
  readonly name: string;
  readonly atMost: number;
  readonly send: (run: number) => Promise<unknown>;
}

async function figureOfOne(bench: Bench, { name, atMost, send }: One): Promise<Figure> {
  return { name: `round trips, ${name}, postgres`, unit: '', values: [await least(bench, send)], atMost };
}

async function least({ wire }: Bench, send: (run: number) => Promise<unknown>): Promise<number> {
  const counts: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    await quiet(wire);
    const before = wire.count();
    await send(run);
    counts.push(wire.count() - before);
  }
  return Math.min(...counts);
}

/** Gives up after some tries: a server does background work once a second. */
async function quiet(wire: CountedWire): Promise<void> {
  for (let tries = 0; tries < QUIET_TRIES; tries++) {
    const before = wire.count();
    await pause(QUIET_MS);
    if (wire.count() === before) return;
  }
}

const names = (count: number) => Array.from({ length: count }, (_, n) => `Reading/r${n}`);

function newReadings(count: number, prefix: string): object[] {
  return Array.from({ length: count }, (_, n) => ({ ...reading(n), name: `Reading/${prefix}-${count}-${n}` }));
}

async function submitCommit(bench: Bench, count: number, run: number): Promise<void> {
  await ask(bench, 'commit.submit', { operations: newReadings(count, `committed-${run}`) });
}

async function submitStream({ cairn, token }: Bench, count: number, run: number): Promise<void> {
  const lines = newReadings(count, `streamed-${run}`).map((operation) => `${JSON.stringify(operation)}\n`);
  const path = `${REPOSITORY}/streams/s${count}-${run}/submissions?offset=0`;
  const text = await answered(
    await fetch(`http://127.0.0.1:${cairn.port}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
      body: lines.join(''),
    }),
  );
  if (!text.includes(`"applied":${count},`)) throw new Error(`A stream of ${count} lines was answered ${text}`);
}

async function exportCommit(bench: Bench, count: number): Promise<void> {
  const seq = bench.commits.get(count) ?? 0;
  const text = await get(bench, `/export?sinceRepoSeq=${seq - 1}&atRepoSeq=${seq}`);
  if (!text.includes(`"recordCount":${count}`)) throw new Error(`The export does not have ${count} records`);
}

const ask = (bench: Bench, procedure: string, input: object) => call(bench, procedure, { ...WORLD, ...input });

async function get({ cairn, token }: Bench, path: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  return await answered(await fetch(`http://127.0.0.1:${cairn.port}${REPOSITORY}${path}`, { headers }));
}

async function answered(answer: Response): Promise<string> {
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${answer.url} answered ${answer.status}: ${text}`);
  return text;
}
