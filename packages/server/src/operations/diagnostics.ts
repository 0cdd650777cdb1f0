// What the server says about itself.
import type { Capabilities } from '@cairn/protocol/procedures';
import { EXPORT_FORMAT_VERSION, VERSION } from '@cairn/protocol/version';
import { schemaVersion } from '../store/migration.ts';
import type { Store } from '../store/store.ts';
import type { Context } from './context.ts';

export interface Readiness {
  readonly status: 'ready';
  readonly engine: Capabilities['engine'];
  readonly schemaVersion: number;
  readonly exportFormatVersion: number;
}

/** Asks the database, so that a server that has lost it is not called ready. */
export async function readiness(store: Store): Promise<Readiness> {
  return {
    status: 'ready',
    engine: store.database.engine,
    schemaVersion: await schemaVersion(store.database),
    exportFormatVersion: EXPORT_FORMAT_VERSION,
  };
}

export async function capabilities({ store, limits }: Context): Promise<Capabilities> {
  const { engine } = store.database;
  const { schemaVersion } = store;
  return { version: VERSION, engine, schemaVersion, exportFormatVersion: EXPORT_FORMAT_VERSION, limits: { ...limits } };
}
