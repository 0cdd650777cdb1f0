// Stores for tests: `describe.each(ENGINES)` runs a suite on both engines, each test in a database of its own.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { inject, onTestFailed, onTestFinished } from 'vitest';
import type { Engine, StoreLocation } from '../../packages/server/src/store/database.ts';
import { openStore, type Store } from '../../packages/server/src/store/store.ts';

export const ENGINES = ['sqlite', 'postgres'] as const satisfies Engine[];

/** An empty database that goes with the test; one that failed leaves it behind and says where. */
export async function testLocation(engine: Engine): Promise<StoreLocation> {
  return engine === 'sqlite' ? sqliteLocation() : await postgresLocation();
}

function sqliteLocation(): StoreLocation {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-test-'));
  removeUnlessFailed(folder, () => rmSync(folder, { recursive: true, force: true }));
  return { engine: 'sqlite', file: join(folder, 'cairn.db') };
}

async function postgresLocation(): Promise<StoreLocation> {
  const server = inject('postgresUrl');
  const name = `cairn_test_${randomBytes(8).toString('hex')}`;
  await onServer(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  removeUnlessFailed(url.href, () => onServer(server, `drop database ${name} with (force)`));
  return { engine: 'postgres', url: url.href };
}

async function onServer(url: string, statement: string): Promise<void> {
  const sql = postgres(url, { max: 1 });
  await sql.unsafe(statement);
  await sql.end();
}

function removeUnlessFailed(place: string, remove: () => void | Promise<void>): void {
  let failed = false;
  onTestFailed(() => {
    failed = true;
    console.error(`kept for a look: ${place}`);
  });
  onTestFinished(async () => {
    if (!failed) await remove();
  });
}

export async function openTestStore(engine: Engine): Promise<Store> {
  return await openStoreAt(await testLocation(engine));
}

/** Several can be opened on one database, as several nodes do. */
export async function openStoreAt(location: StoreLocation): Promise<Store> {
  const store = await openStore(location);
  onTestFinished(() => store.close());
  return store;
}
