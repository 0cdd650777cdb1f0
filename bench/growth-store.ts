// Resources of a growing store: disk, tree depth, start, memory, and a backup on SQLite.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import postgres from 'postgres';
import { backUp } from '../packages/server/src/admin/backup.ts';
import type { StoreLocation } from '../packages/server/src/engine/database.ts';
import { searchFile } from '../packages/server/src/engine/sqlite/side-file.ts';
import { type LoadProcess, startCairn, startLoad } from './process.ts';
import { residentMb } from './process-usage.ts';
import type { LoadedRepository } from './read-data.ts';
import { answered, readsAt } from './single-load.ts';
import { sized } from './size.ts';

const RUNS = sized({ full: 3, quick: 1 });
const READ = '/api/repos/bench/world/head?match=Reading/r500';
const READ_MS = sized({ full: 2_000, quick: 100 });

export interface Disk {
  readonly bytes: number;
  /** Size of the search index, which is not part of `bytes`. */
  readonly searchBytes: number;
}

export async function diskOf(location: StoreLocation): Promise<Disk> {
  return location.engine === 'sqlite' ? sqliteDisk(location.file) : await postgresDisk(location.url);
}

function sqliteDisk(file: string): Disk {
  return { bytes: wholeSize(file), searchBytes: wholeSize(searchFile(file)) };
}

/** Includes the contents of the log. */
function wholeSize(file: string): number {
  const database = new DatabaseSync(file);
  database.exec('pragma wal_checkpoint(truncate)');
  database.close();
  return statSync(file).size;
}

async function postgresDisk(url: string): Promise<Disk> {
  const sql = postgres(url, { max: 1 });
  try {
    const [sizes] = await sql<{ whole: string; search: string }[]>`
      select pg_database_size(current_database()) as whole, pg_total_relation_size('search_document') as search`;
    const [whole, search] = [Number(sizes?.whole), Number(sizes?.search)];
    return { bytes: whole - search, searchBytes: search };
  } finally {
    await sql.end();
  }
}

export interface Started {
  /** From the start of the process to its first answered read. */
  readonly ms: number;
  readonly residentMb: number;
}

/** The first start fills the caches and is dropped. */
export async function startsOn(loaded: LoadedRepository, records: number): Promise<Started[]> {
  const load = startLoad();
  try {
    const starts: Started[] = [];
    for (let run = 0; run <= RUNS; run++) starts.push(await startOn(loaded, { records, load }));
    return starts.slice(1);
  } finally {
    await load.stop();
  }
}

async function startOn(
  { settings, token }: LoadedRepository,
  { records, load }: { records: number; load: LoadProcess },
): Promise<Started> {
  const start = performance.now();
  const cairn = await startCairn(settings);
  try {
    const headers = { authorization: `Bearer ${token}` };
    await (await fetch(`http://127.0.0.1:${cairn.port}${READ}`, { headers })).text();
    const ms = performance.now() - start;
    await answered({ load, cairn, token }, readsAt(records)['point read'], READ_MS);
    return { ms, residentMb: residentMb(cairn) };
  } finally {
    await cairn.stop();
  }
}

export async function exportBytes({ settings, token }: LoadedRepository): Promise<number> {
  const cairn = await startCairn(settings);
  try {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`http://127.0.0.1:${cairn.port}/api/repos/bench/world/export`, { headers });
    let bytes = 0;
    for await (const piece of answer.body ?? []) bytes += piece.length;
    return bytes;
  } finally {
    await cairn.stop();
  }
}

/** Includes the check that reads each backup back. */
export async function backupSeconds(settings: Record<string, string>): Promise<number[]> {
  const { CAIRN_DATA: data = '', CAIRN_SECRET: secret } = settings;
  const seconds: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const parent = mkdtempSync(join(tmpdir(), 'cairn-bench-backup-'));
    const start = performance.now();
    await backUp({
      data,
      secret,
      blobs: join(data, 'blobs'),
      folder: join(parent, 'backup'),
      onProgress: () => {},
    });
    seconds.push((performance.now() - start) / 1_000);
    rmSync(parent, { recursive: true });
  }
  return seconds;
}
