// Stores for tests: `describe.each(ENGINES)` runs a suite on both engines, each test in a database of its own.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject, onTestFailed, onTestFinished } from 'vitest';
import type { Engine, StoreLocation } from '../../packages/server/src/store/database.ts';
import { openStore, type Store } from '../../packages/server/src/store/store.ts';
import { createDatabase, dropDatabase } from './database.ts';

export const ENGINES = ['sqlite', 'postgres'] as const satisfies Engine[];

/** An empty database that goes with the test; one that failed leaves it behind and says where. */
export async function testLocation(engine: Engine): Promise<StoreLocation> {
  return engine === 'sqlite' ? sqliteLocation() : await postgresLocation();
}

/** The same with all tables in it. */
export async function preparedLocation(engine: Engine): Promise<StoreLocation> {
  if (engine === 'postgres') return await postgresLocation(inject('postgresTemplate'));
  const location = sqliteLocation();
  copyFileSync(inject('sqliteTemplate'), location.file);
  return location;
}

function sqliteLocation(): Extract<StoreLocation, { engine: 'sqlite' }> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-test-'));
  removeUnlessFailed(folder, () => rmSync(folder, { recursive: true, force: true }));
  return { engine: 'sqlite', file: join(folder, 'cairn.db') };
}

async function postgresLocation(template?: string): Promise<StoreLocation> {
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

/** Several can be opened on one database, as several nodes do. */
export async function openStoreAt(location: StoreLocation): Promise<Store> {
  const store = await openStore(location);
  onTestFinished(() => store.close());
  return store;
}
