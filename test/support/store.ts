// Stores for tests. Each test has its own database.

import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject, onTestFailed, onTestFinished } from 'vitest';
import type { Engine, StoreLocation, Transaction } from '../../packages/server/src/engine/database.ts';
import { moveEpoch } from '../../packages/server/src/engine/group.ts';
import { openPostgresWriter } from '../../packages/server/src/engine/postgres/postgres.ts';
import { openSqliteWriter } from '../../packages/server/src/engine/sqlite/sqlite.ts';
import { openStore, type Store } from '../../packages/server/src/store.ts';
import { createOnCluster, createStandIn, distributeAt } from './citus/location.ts';
import { createDatabase, dropDatabase } from './database.ts';
import { IS_LONG } from './suite.ts';

/** For `describe.each`: both engines, for code with engine-specific SQL. */
export const ENGINES = ['sqlite', 'postgres'] as const satisfies Engine[];
/** For layers above the SQL: one engine, and both in the long suite. */
export const UPPER_ENGINES: readonly Engine[] = IS_LONG ? ENGINES : ['sqlite'];

/** An empty database, removed after the test. A failed test keeps it and prints its location. */
export async function testLocation(engine: Engine): Promise<StoreLocation> {
  return engine === 'sqlite' ? sqliteLocation() : await postgresLocation();
}

export async function preparedLocation(engine: Engine): Promise<StoreLocation> {
  if (engine === 'postgres') return await postgresLocation(inject('postgresTemplate'));
  const location = sqliteLocation();
  copyFileSync(inject('sqliteTemplate'), location.file);
  return location;
}

/** PostgreSQL with distributed tables: on the cluster in CAIRN_TEST_CITUS_URL, or else on the stand-in. */
export async function distributedLocation(): Promise<Extract<StoreLocation, { engine: 'postgres' }>> {
  const cluster = inject('citusUrl');
  const { location, remove } =
    cluster === ''
      ? await createStandIn(inject('postgresUrl'), inject('postgresTemplate'))
      : await createOnCluster(cluster, true);
  removeUnlessFailed(location.url, remove);
  if (cluster === '') await distributeAt(location.url);
  return location;
}

function sqliteLocation(): Extract<StoreLocation, { engine: 'sqlite' }> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-test-'));
  removeUnlessFailed(folder, () => rmSync(folder, { recursive: true, force: true }));
  return { engine: 'sqlite', file: join(folder, 'cairn.db') };
}

async function postgresLocation(template?: string): Promise<StoreLocation> {
  const cluster = inject('citusUrl');
  // In a run for Citus, every database is on the cluster.
  if (cluster !== '' && inject('isDistributed')) {
    const { location, remove } = await createOnCluster(cluster, template !== undefined);
    removeUnlessFailed(location.url, remove);
    return location;
  }
  const server = inject('postgresUrl');
  const { name, url } = await createDatabase(server, template);
  removeUnlessFailed(url, () => dropDatabase(server, name));
  return { engine: 'postgres', url };
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
  return await openStoreAt(await preparedLocation(engine));
}

/** Several stores can share one database, as several nodes do. */
export async function openStoreAt(location: StoreLocation): Promise<Store> {
  const store = await openStore(location);
  onTestFinished(() => store.close());
  return store;
}

/** Changes rows without the store, to simulate an earlier version or a fault. */
export async function inTransaction(
  location: StoreLocation,
  work: (tx: Transaction) => Promise<unknown>,
): Promise<void> {
  const writer = location.engine === 'sqlite' ? openSqliteWriter(location.file) : openPostgresWriter(location.url);
  await writer.transaction(async (tx) => {
    await work(tx);
    if (tx.changedAccess) await moveEpoch(tx);
  });
  await writer.close();
}
