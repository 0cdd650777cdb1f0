// Storage of a run that is started by hand: a folder, plus a new server for PostgreSQL.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig, storeLocation } from '../../packages/server/src/config.ts';
import type { Engine, StoreLocation } from '../../packages/server/src/engine/database.ts';
import { createDatabase } from '../support/database.ts';
import { startPostgres } from '../support/postgres.ts';

export interface Ground {
  readonly location: StoreLocation;
  readonly settings: Readonly<Record<string, string>>;
}

export interface OwnGround extends Ground {
  readonly folder: string;
  /** A failed run keeps its data for diagnosis. */
  close(options: { keep: boolean }): Promise<void>;
}

export async function openGround(engine: Engine): Promise<OwnGround> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-soak-'));
  // Default settings, so that PostgreSQL waits for the disk.
  const postgres = engine === 'postgres' ? await startPostgres([]) : undefined;
  const url = postgres && (await createDatabase(postgres.url)).url;
  const settings = { CAIRN_DATA: folder, ...(url !== undefined && { CAIRN_DATABASE_URL: url }) };
  return {
    folder,
    settings,
    location: storeLocation(readConfig([], settings)),
    close: async ({ keep }) => {
      if (keep && postgres === undefined) return;
      await postgres?.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
