// The primary PostgreSQL is lost under load, in several ways, and its standby is promoted. The server finds the new
// primary by itself. Every acknowledged write stays, none is duplicated, and every answer is correct or asks for a
// retry. The test prints the time from promotion to the next write.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CairnClient } from '@cairn/sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { StoreLocation } from '../../packages/server/src/engine/database.ts';
import { openStore } from '../../packages/server/src/store.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { LOSSES, type Loss, type PostgresPair, startPostgresPair } from '../support/postgres-pair.ts';
import { createOwnerToken, settingsOf, startServerProcess } from '../support/server.ts';
import { amount, IS_LONG } from '../support/suite.ts';
import { expectAllThere } from './acknowledged.ts';
import { Load, REPO } from './load.ts';

/** Each round loses the primary once in each way. */
const ROUNDS = amount('FAILOVER_ROUNDS', { short: 1, long: 5 });
/** The default suite covers the case in which the old primary keeps running. */
const WAYS: readonly Loss[] = IS_LONG ? LOSSES : ['unaware'];
/** The oldest supported version. The long suite also runs on it, if Debian's package is installed. */
const OLDEST = process.env.CAIRN_TEST_POSTGRES_15 ?? '/usr/lib/postgresql/15/bin';
const WRITERS = 4;
const READERS = 4;

const SERVERS = [
  { name: 'the PostgreSQL of the tests', folder: undefined },
  ...(IS_LONG && existsSync(join(OLDEST, 'postgres')) ? [{ name: 'PostgreSQL 15', folder: OLDEST }] : []),
];

describe.each(SERVERS)('failover of $name', ({ folder }) => {
  const timeout = PATIENCE_MS * (1 + ROUNDS * WAYS.length);
  it(`loses no acknowledged write and answers nothing wrongly, ${ROUNDS} times over`, { timeout }, async () => {
    const pair = await startPostgresPair(folder);
    onTestFinished(() => pair.stop());
    const location = { engine: 'postgres', url: pair.url } as const;
    const token = await prepare(location);
    const server = startServerProcess({
      PORT: '0',
      CAIRN_LOG_LEVEL: 'silent',
      ...settingsOf(location),
    });
    const [, url = ''] = await server.printed(/Cairn \S+ is at (\S+) /);
    const client = new CairnClient({ url, token });
    await client.shape.create(REPO.orgName, REPO.repoName, 'Step', { fields: { n: 'number' } });
    const heard = listen(client);
    const load = new Load(url, token);
    const clients = [
      ...Array.from({ length: WRITERS }, (_, writer) => load.write(writer)),
      ...Array.from({ length: READERS }, () => load.read()),
    ];
    for (let round = 0; round < ROUNDS; round++) for (const how of WAYS) await failOver(pair, load, how);
    load.going = false;
    await Promise.all(clients);
    expect(load.wrong).toEqual([]);
    // Live streams also report writes after the last promotion.
    await expect.poll(heard, { timeout: PATIENCE_MS }).toBe(Math.max(...load.acknowledged.values()));
    server.child.kill('SIGTERM');
    expect(await server.ended()).toEqual({ code: 0, signal: null });
    await expectAllThere(location, load.acknowledged);
  });
});

async function prepare(location: StoreLocation): Promise<string> {
  const store = await openStore(location);
  const token = await createOwnerToken(store);
  const rest = { displayName: 'world', description: '', visibility: 'private' } as const;
  await store.write.createRepository({ orgName: REPO.orgName, name: REPO.repoName, ...rest });
  await store.close();
  return token;
}

function listen(client: CairnClient): () => number {
  let last = 0;
  const live = client.repo.live(REPO.orgName, REPO.repoName, ({ repoSeq }) => {
    last = repoSeq;
  });
  onTestFinished(() => live.close());
  return () => last;
}

async function failOver(pair: PostgresPair, load: Load, how: Loss): Promise<void> {
  await writesGoOn(load);
  load.longestMs.write = 0;
  load.longestMs.read = 0;
  load.mayBeBehind = how === 'unaware';
  await pair.lose(how);
  await pair.promote();
  const promotedAt = performance.now();
  const before = load.acknowledged.size;
  await expect.poll(() => load.acknowledged.size, { timeout: PATIENCE_MS, interval: 10 }).toBeGreaterThan(before);
  const againMs = performance.now() - promotedAt;
  await writesGoOn(load);
  await pair.rejoin();
  load.mayBeBehind = false;
  const { write, read } = load.longestMs;
  console.log(
    `PostgreSQL ${pair.version}, ${how}: writes ${seconds(againMs)} s after the promotion; longest without an answered write ${seconds(write)} s, read ${seconds(read)} s`,
  );
}

async function writesGoOn({ acknowledged }: Load): Promise<void> {
  const enough = acknowledged.size + 10 * WRITERS;
  await expect.poll(() => acknowledged.size, { timeout: PATIENCE_MS }).toBeGreaterThan(enough);
}

const seconds = (ms: number) => (ms / 1_000).toFixed(2);
