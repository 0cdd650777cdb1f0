// Point reads over HTTP while commits of 10,000 operations are applied: how long the slowest hundredth takes, beside the
// same reads on an idle server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CairnClient } from '@cairn/sdk';
import { pino } from 'pino';
import { createAccount, createToken, EVERYTHING } from '../packages/server/src/account/account.ts';
import { readConfig } from '../packages/server/src/config.ts';
import { startServer } from '../packages/server/src/server.ts';
import type { Figure } from './figure.ts';
import { counted, sized } from './size.ts';

const RUNS = sized({ full: 3, quick: 2 });
const READS = sized({ full: 1_500, quick: 50 });
const COMMITS = sized({ full: 4, quick: 1 });
const OPERATIONS = sized({ full: 10_000, quick: 1_000 });

export async function readBesideCommitFigures(): Promise<Figure[]> {
  const data = mkdtempSync(join(tmpdir(), 'cairn-bench-'));
  const server = await startServer(readConfig([], { PORT: '0', CAIRN_DATA: data }), pino({ level: 'silent' }));
  try {
    const email = 'bench@example.com';
    await createAccount(server.store, { email, name: 'bench', password: 'a password of some length', operator: true });
    const { token } = await createToken(server.store, { email, name: 'bench', scopes: EVERYTHING });
    const client = new CairnClient({ url: server.url, token });
    await client.repo.create('bench', 'world');
    await client.shape.create('bench', 'world', 'Reading', { fields: { n: 'number' } });
    await client.commit.submit('bench', 'world', { operations: [{ name: 'Reading/one', data: { n: 1 } }] });
    const read = () => client.thing.get('bench', 'world', 'Reading/one');
    await percentile(read, () => false);
    const idle: number[] = [];
    const beside: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      idle.push(await percentile(read, () => false));
      beside.push(await besideCommits(client, read, run));
    }
    return [
      { name: 'point read over HTTP, idle, 99th percentile', unit: 'ms', values: idle },
      {
        name: `point read over HTTP beside ${counted(OPERATIONS, 'operations a commit')}, 99th percentile`,
        unit: 'ms',
        values: beside,
      },
    ];
  } finally {
    await server.stop();
    rmSync(data, { recursive: true });
  }
}

async function besideCommits(client: CairnClient, read: () => Promise<unknown>, run: number): Promise<number> {
  let writing = true;
  const writes = (async () => {
    for (let commit = 0; commit < COMMITS; commit++) {
      const operations = Array.from({ length: OPERATIONS }, (_, n) => ({
        name: `Reading/${run}-${commit}-${n}`,
        data: { n },
      }));
      await client.commit.submit('bench', 'world', { operations });
    }
    writing = false;
  })();
  const slowest = await percentile(read, () => writing);
  await writes;
  return slowest;
}

/** Reads one after the other, at least a number of them and for as long as told; the 99th percentile in milliseconds. */
async function percentile(read: () => Promise<unknown>, goOn: () => boolean): Promise<number> {
  const times: number[] = [];
  while (times.length < READS || goOn()) {
    const start = performance.now();
    await read();
    times.push(performance.now() - start);
  }
  const sorted = times.sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.99)] ?? 0;
}
