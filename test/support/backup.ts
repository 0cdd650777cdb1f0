// Shared parts of backup tests: a server process, continuous commits, and checks after a restore.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CairnClient, eachItem } from '@cairn/sdk';
import { expect, onTestFinished } from 'vitest';
import type { StoreLocation } from '../../packages/server/src/engine/database.ts';
import { openStore } from '../../packages/server/src/store.ts';
import { waitForSearch } from './search-wait.ts';
import { createOwnerToken, startServerProcess, type TestProcess } from './server.ts';
import { verifyRepository } from './verify.ts';

const WRITERS = 4;
const REPOSITORY = {
  orgName: 'ada',
  name: 'world',
  displayName: 'world',
  description: '',
  visibility: 'private',
} as const;

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export async function createRepository(location: StoreLocation): Promise<string> {
  const store = await openStore(location);
  const token = await createOwnerToken(store);
  await store.write.createRepository(REPOSITORY);
  await store.close();
  return token;
}

export function serve(environment: Record<string, string>): TestProcess {
  return startServerProcess({
    PORT: '0',
    CAIRN_LOG_LEVEL: 'silent',
    ...environment,
  });
}

export async function connect(server: TestProcess, token: string): Promise<CairnClient> {
  const [, url = ''] = await server.printed(/is at (\S+) /);
  return new CairnClient({ url, token });
}

export async function stop(...servers: readonly TestProcess[]): Promise<void> {
  for (const server of servers) {
    server.child.kill('SIGTERM');
    await server.ended();
  }
}

export async function startWriting(client: CairnClient) {
  await client.shape.create('ada', 'world', 'Note', { fields: { n: 'number', text: 'string' } });
  const acknowledged: number[] = [];
  let writing = true;
  let last = 0;
  const write = async () => {
    while (writing) {
      const n = ++last;
      const operations = [{ name: `Note/n${n}`, data: { n, text: 'granite '.repeat(500) } }];
      acknowledged.push((await client.commit.submit('ada', 'world', { operations })).repoSeq);
    }
  };
  const writers = Promise.all(Array.from({ length: WRITERS }, write));
  // A failing test stops the server, and these writers fail too. A passing test gets their errors when it stops them.
  writers.catch(() => {});
  const newest = () => Math.max(0, ...acknowledged);
  const reach = (repoSeq: number) => expect.poll(newest).toBeGreaterThan(repoSeq);
  const stop = async () => {
    writing = false;
    await writers;
  };
  return { newest, reach, stop };
}

async function commitIds(client: CairnClient): Promise<Map<number, string | null>> {
  const page = (cursor: string | undefined) => client.commit.log('ada', 'world', { limit: 500, cursor });
  const ids = new Map<number, string | null>();
  for await (const { repoSeq, commitId } of eachItem(page)) ids.set(repoSeq, commitId);
  return ids;
}

interface Restored {
  readonly original: CairnClient;
  readonly restored: CairnClient;
  /** A sequence acknowledged before the backup began. */
  readonly before: number;
}

/** Expects every commit up to a sequence of at least `before`, under the same IDs, and that a new commit succeeds. */
export async function expectRestored({ original, restored, before }: Restored): Promise<void> {
  const { repoSeq } = await restored.repo.get('ada', 'world');
  expect(repoSeq).toBeGreaterThanOrEqual(before);
  const [all, kept] = [await commitIds(original), await commitIds(restored)];
  expect(kept.size).toBe(repoSeq);
  for (const [seq, commitId] of kept) expect([seq, commitId]).toEqual([seq, all.get(seq)]);
  await waitForSearch(() => restored.thing.search('ada', 'world', 'granite', { limit: 1 }));
  const operations = [{ name: 'Note/new', data: { n: 0, text: '' } }];
  const next = await restored.commit.submit('ada', 'world', { operations });
  expect(next.repoSeq).toBe(repoSeq + 1);
}

export async function differences(location: StoreLocation): Promise<string[]> {
  const store = await openStore(location);
  const [row] = await store.database.query<{ id: number }>('select id from repository');
  const found = await verifyRepository(store, row?.id ?? 0);
  await store.close();
  return found;
}
