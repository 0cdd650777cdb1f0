// The same measurement on both engines: first on SQLite, then on a PostgreSQL that is started for it.
import type { Engine } from '../packages/server/src/engine/database.ts';
import { startPostgres } from '../test/support/postgres.ts';

/** On a PostgreSQL server, or without one on SQLite. */
export type MeasureOn<Measured> = (engine: Engine, server: string | undefined) => Promise<Measured[]>;

interface EngineOptions {
  /** Whether PostgreSQL waits for the disk, as a server in use does; reads are filled faster without. */
  readonly durable: boolean;
}

export async function onBothEngines<Measured>(
  measureOn: MeasureOn<Measured>,
  { durable }: EngineOptions,
): Promise<Measured[]> {
  const onSqlite = await measureOn('sqlite', undefined);
  const postgres = await startPostgres(durable ? [] : undefined);
  try {
    return [...onSqlite, ...(await measureOn('postgres', postgres.url))];
  } finally {
    await postgres.stop();
  }
}
