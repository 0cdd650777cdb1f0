// Runs the same measurement on both engines: first SQLite, then a PostgreSQL that is started for it.
import type { Engine } from '../packages/server/src/engine/database.ts';
import { startPostgres } from '../test/support/postgres.ts';

export type MeasureOn<Measured> = (engine: Engine, server: string | undefined) => Promise<Measured[]>;

interface EngineOptions {
  /** True if PostgreSQL waits for the disk, as in production. Without it, filling for reads is faster. */
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
