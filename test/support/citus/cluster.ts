// A Citus cluster that is discarded after the test: a coordinator and two workers. It needs Citus for PostgreSQL 15.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { startPostgres, type TestPostgres } from '../postgres.ts';

const PROGRAMS = process.env.CAIRN_TEST_POSTGRES_15 ?? '/usr/lib/postgresql/15/bin';
const SETTINGS = [
  ...['shared_preload_libraries=citus', 'max_prepared_transactions=400', 'fsync=off'],
  // A server started by root would look for certificates in a folder that it cannot read.
  'citus.node_conninfo=sslmode=disable',
];

export function isCitusInstalled(): boolean {
  const config = join(PROGRAMS, 'pg_config');
  if (!existsSync(config)) return false;
  const shared = execFileSync(config, ['--sharedir'], { encoding: 'utf8' }).trim();
  return existsSync(join(shared, 'extension/citus.control'));
}

export interface TestCluster {
  readonly url: string;
  readonly workers: readonly TestPostgres[];
  stop(): Promise<void>;
}

export async function startCluster(): Promise<TestCluster> {
  const coordinator = await startPostgres(SETTINGS, undefined, PROGRAMS);
  const workers = [
    await startPostgres(SETTINGS, undefined, PROGRAMS),
    await startPostgres(SETTINGS, undefined, PROGRAMS),
  ];
  for (const { url } of [coordinator, ...workers]) await run(url, 'create extension citus');
  const portOf = ({ url }: TestPostgres) => new URL(url).port;
  await run(coordinator.url, `select citus_set_coordinator_host('127.0.0.1', ${portOf(coordinator)})`);
  for (const worker of workers) await run(coordinator.url, `select citus_add_node('127.0.0.1', ${portOf(worker)})`);
  return {
    url: coordinator.url,
    workers,
    stop: async () => {
      await Promise.all([coordinator, ...workers].map((server) => server.stop()));
    },
  };
}

async function run(url: string, statement: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await sql.unsafe(statement);
  await sql.end();
}
