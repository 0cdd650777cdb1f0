// The server is killed in the middle of a stream of commits, again and again. After each restart, every acknowledged
// commit is complete, no commit is partial, and sequences have no gaps. Each commit adds records that refer to each
// other and to another repository, and renames one of them. At the end, indexes and names agree with the data.
import { isDeepStrictEqual } from 'node:util';
import { CairnClient } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import type { StoreLocation } from '../../packages/server/src/engine/database.ts';
import { openStore } from '../../packages/server/src/store.ts';
import { expectedDocuments, followSearch, indexedDocuments } from '../support/search.ts';
import { createOwnerToken, settingsOf, startServerProcess, type TestProcess } from '../support/server.ts';
import { ENGINES, testLocation } from '../support/store.ts';
import { amount } from '../support/suite.ts';
import { verifyRepository } from '../support/verify.ts';

// `process.execPath` is new enough. An older Node would start the server as its child, and the kill would hit only the
// parent.
const ROUNDS = amount('FAULT_ROUNDS', { short: 2, long: 50 });
const WRITERS = 8;
const OPERATIONS = 4;
const FAR = { orgName: 'ada', name: 'far', displayName: 'far', description: '', visibility: 'private' } as const;

describe.each(ENGINES)('kill -9 of a server that commits to %s', (engine) => {
  it(`keeps every acknowledged commit whole, and none in part, ${ROUNDS} times over`, async () => {
    const location = await testLocation(engine);
    const settings = settingsOf(location);
    const store = await openStore(location);
    const token = await createOwnerToken(store);
    for (const name of ['world', 'far']) await store.write.createRepository({ ...FAR, name, displayName: name });
    await store.close();
    let acknowledged = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const server = startServerProcess({
        PORT: '0',
        CAIRN_LOG_LEVEL: 'silent',
        ...settings,
      });
      const client = await connect(server, token);
      if (round === 0) await prepare(client);
      acknowledged = Math.max(acknowledged, await check(client));
      const sequences = await writeUntilKilled({ server, client, round });
      acknowledged = Math.max(acknowledged, ...sequences);
    }
    const server = startServerProcess({
      PORT: '0',
      CAIRN_LOG_LEVEL: 'silent',
      ...settings,
    });
    expect(await check(await connect(server, token))).toBeGreaterThanOrEqual(acknowledged);
    server.child.kill('SIGTERM');
    await server.ended();
    expect(await differences(location)).toEqual([]);
  });
});

async function prepare(client: CairnClient): Promise<void> {
  await client.shape.create('ada', 'far', 'Star', { fields: {} });
  await client.commit.submit('ada', 'far', { operations: [{ name: 'Star/sol', data: {} }] });
  await client.shape.create('ada', 'world', 'Thing', { fields: { n: 'number', 'far?': 'wref' } });
}

async function differences(location: StoreLocation): Promise<string[]> {
  const store = await openStore(location);
  const repositories = await store.database.query<{ id: number }>('select id from repository');
  const found = [];
  await followSearch(store);
  for (const { id: repoId } of repositories) {
    found.push(...(await verifyRepository(store, repoId)));
    const [indexed, expected] = await Promise.all([
      indexedDocuments({ location, store, repoId }),
      expectedDocuments({ store, repoId }),
    ]);
    if (!isDeepStrictEqual(indexed, expected))
      found.push(`the search index of repository ${repoId} is not that of its records`);
  }
  await store.close();
  return found;
}

async function connect(server: TestProcess, token: string): Promise<CairnClient> {
  const [, url = ''] = await server.printed(/is at (\S+) /);
  return new CairnClient({ url, token });
}

interface Round {
  readonly server: TestProcess;
  readonly client: CairnClient;
  readonly round: number;
}

async function writeUntilKilled({ server, client, round }: Round): Promise<number[]> {
  const sequences: number[] = [];
  const enough = 5 + ((round * 37) % 60);
  let last = 0;
  const write = async () => {
    for (;;) {
      const n = ++last;
      const message = `${round}-${n}`;
      const { repoSeq } = await client.commit.submit('ada', 'world', { operations: related(message, n), message });
      sequences.push(repoSeq);
      if (sequences.length === enough) server.child.kill('SIGKILL');
    }
  };
  await Promise.allSettled(Array.from({ length: WRITERS }, write));
  await server.ended();
  return sequences;
}

function related(name: string, n: number): object[] {
  return [
    { name: `Thing/${name}-$1`, data: { n, far: 'wh:ada/far/Star/sol' } },
    { name: `Thing/${name}-claim`, about: '#1', data: { n } },
    { type: 'arc', name: `Arc/${name}`, members: ['#1', `Thing/${name}-claim`] },
    { operation: 'rename', name: '#1', newName: `Thing/${name}` },
  ];
}

/** Checks the whole history and returns the current sequence of the repository. */
async function check(client: CairnClient): Promise<number> {
  const { repoSeq } = await client.repo.get('ada', 'world');
  let cursor: string | undefined;
  let next = repoSeq;
  do {
    const page = await client.commit.log('ada', 'world', { limit: 500, ...(cursor !== undefined && { cursor }) });
    for (const commit of page.items) {
      expect(commit.repoSeq).toBe(next--);
      expect(commit.operationCount).toBe(commit.repoSeq === 1 ? 1 : OPERATIONS);
    }
    const recent = page.items.slice(0, 20).filter(({ repoSeq }) => repoSeq > 1);
    const wrefs = recent.flatMap(({ message }) => [`Thing/${message}`, `Thing/${message}-claim`, `Arc/${message}`]);
    if (cursor === undefined && wrefs.length > 0) {
      const { items } = await client.thing.getMany('ada', 'world', wrefs);
      expect(items.filter((item) => item === null)).toEqual([]);
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  expect(next).toBe(0);
  return repoSeq;
}
