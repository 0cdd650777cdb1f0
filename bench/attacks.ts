// Measures an attack from outside: latency of health checks and point reads during the attack, and the server's memory.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createToken, EVERYTHING } from '../packages/server/src/account/account.ts';
import { openStore } from '../packages/server/src/store.ts';
import { ATTACK_NAMES, type Attack } from './attack-client.ts';
import type { Figure } from './figure.ts';
import { call, type ServerProcess, startCairn } from './process.ts';
import { residentMb } from './process-usage.ts';
import { sized } from './size.ts';

const P99_MS_MAX = 50;
const GROWN_MB_MAX = 150;
const ATTACK_MS = sized({ full: 15_000, quick: 300 });
const NOTES = sized({ full: 20_000, quick: 100 });
const NOTES_A_COMMIT = 1_000;
const PROBE_EVERY_MS = 20;
const SAMPLE_EVERY_MS = 200;

interface World {
  readonly cairn: ServerProcess;
  readonly token: string;
}

/** Each round uses a new server: memory varies by a third between servers. */
const ROUNDS = sized({ full: 3, quick: 1 });

export async function attackFigures(): Promise<Figure[]> {
  const rounds: Figure[][] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await measureRound());
  return (rounds[0] ?? []).map((figure, at) => {
    return { ...figure, values: rounds.flatMap((round) => round[at]?.values ?? []) };
  });
}

async function onNewStore<Result>(measure: (settings: Record<string, string>) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-'));
  try {
    return await measure({ CAIRN_DATA: folder, CAIRN_SECRET: 'the secret of the benchmarks, which are thrown away' });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function measureRound(): Promise<Figure[]> {
  return await onNewStore(async (settings) => {
    const token = await prepareOwner(settings.CAIRN_DATA ?? '');
    const cairn = await startCairn(settings);
    try {
      await fill({ cairn, token });
      const figures: Figure[] = [];
      for (const name of ATTACK_NAMES) figures.push(...(await endure({ cairn, token }, name)));
      return figures;
    } finally {
      await cairn.stop();
    }
  });
}

async function prepareOwner(folder: string): Promise<string> {
  const store = await openStore({ engine: 'sqlite', file: join(folder, 'cairn.db') });
  const email = 'ada@example.com';
  await store.write.createAccount({ email, handle: 'ada', passwordHash: '-', operator: true });
  const { token } = await createToken(store, { email, name: 'all', scopes: EVERYTHING });
  await store.close();
  return token;
}

async function fill(world: World): Promise<void> {
  const notes = { orgName: 'ada', repoName: 'notes' };
  await call(world, 'repo.create', { orgName: 'ada', name: 'notes', visibility: 'public' });
  await call(world, 'repo.configure', { ...notes, features: { streamSubmissions: true } });
  await call(world, 'shape.create', { ...notes, name: 'Note', fields: { text: 'string' } });
  for (let from = 0; from < NOTES; from += NOTES_A_COMMIT) {
    const count = Math.min(NOTES_A_COMMIT, NOTES - from);
    const operations = Array.from({ length: count }, (_, n) => ({
      name: `Note/${from + n}`,
      data: { text: 'common' },
    }));
    await call(world, 'commit.submit', { ...notes, operations });
  }
  // The index catches up within seconds.
  await pause(sized({ full: 10_000, quick: 100 }));
}

async function endure({ cairn, token }: World, name: Attack['name']): Promise<Figure[]> {
  const idle = residentMb(cairn);
  const attacker = fork(join(import.meta.dirname, 'attack-client.ts'));
  const ended = new AbortController();
  const attack: Attack = { name, port: cairn.port, token, ms: ATTACK_MS };
  attacker.send(attack);
  once(attacker, 'message').then(() => ended.abort());
  const base = `http://127.0.0.1:${cairn.port}`;
  const input = encodeURIComponent(JSON.stringify({ orgName: 'ada', repoName: 'notes', wref: 'Note/7' }));
  const headers = { authorization: `Bearer ${token}` };
  const [live, read, peak] = await Promise.all([
    probe(`${base}/health/live`, {}, ended.signal),
    probe(`${base}/trpc/thing.get?input=${input}`, headers, ended.signal),
    watchMemory(cairn, ended.signal),
  ]);
  attacker.kill();
  return [
    { name: `health check, 99th percentile, under ${name}`, unit: 'ms', values: [live], atMost: P99_MS_MAX },
    { name: `point read, 99th percentile, under ${name}`, unit: 'ms', values: [read], atMost: P99_MS_MAX },
    { name: `memory grown under ${name}`, unit: 'MB', values: [Math.max(0, peak - idle)], atMost: GROWN_MB_MAX },
  ];
}

async function probe(url: string, headers: Record<string, string>, ended: AbortSignal): Promise<number> {
  const times: number[] = [];
  while (!ended.aborted) {
    const start = performance.now();
    const answer = await fetch(url, { headers });
    await answer.text();
    if (answer.status !== 200) throw new Error(`${url} was answered ${answer.status}.`);
    times.push(performance.now() - start);
    await pause(PROBE_EVERY_MS);
  }
  times.sort((a, b) => a - b);
  return times[Math.floor(times.length * 0.99)] ?? Number.NaN;
}

async function watchMemory(cairn: ServerProcess, ended: AbortSignal): Promise<number> {
  let peak = 0;
  while (!ended.aborted) {
    peak = Math.max(peak, residentMb(cairn));
    await pause(SAMPLE_EVERY_MS);
  }
  return peak;
}
