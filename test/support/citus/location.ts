// Distributed databases for tests: on the cluster in CAIRN_TEST_CITUS_URL, or on the stand-in.
import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { distribute } from '../../../packages/server/src/admin/distribution.write.ts';
import type { StoreLocation } from '../../../packages/server/src/engine/database.ts';
import { openPostgresOperator } from '../../../packages/server/src/engine/postgres/postgres.ts';
import { createDatabase, dropDatabase } from '../database.ts';
import { installStandIn } from './stand-in.ts';

type PostgresLocation = Extract<StoreLocation, { engine: 'postgres' }>;

export interface TestDistribution {
  readonly location: PostgresLocation;
  remove(): Promise<void>;
}

export async function createStandIn(server: string, template: string): Promise<TestDistribution> {
  const { name, url } = await createDatabase(server, template);
  await installStandIn(url);
  return { location: { engine: 'postgres', url }, remove: () => dropDatabase(server, name) };
}

export async function distributeAt(url: string): Promise<void> {
  const database = openPostgresOperator(url);
  await distribute(database, { onTable: () => {} });
  await database.close();
}

/** Few shards, because test time grows with their number. */
const SHARDS = 4;

/**
 * A cluster cannot copy databases, so each test gets a schema instead. Creating its tables is slow. The process
 * therefore empties schemas and reuses them for later tests.
 */
const emptied: string[] = [];

export async function createOnCluster(cluster: string, layOut: boolean): Promise<TestDistribution> {
  const kept = layOut ? emptied.pop() : undefined;
  if (kept !== undefined) return onCluster(kept, () => emptyAt(kept));
  const schema = `cairn_${layOut ? 'test' : 'empty'}_${randomBytes(8).toString('hex')}`;
  await runAt(cluster, `create schema ${schema}`);
  const url = new URL(cluster);
  url.searchParams.set('search_path', schema);
  url.searchParams.set('citus.shard_count', String(SHARDS));
  if (!layOut) return onCluster(url.href, () => runAt(cluster, `drop schema ${schema} cascade`));
  await distributeAt(url.href);
  return onCluster(url.href, () => emptyAt(url.href));
}

function onCluster(url: string, remove: () => Promise<void>): TestDistribution {
  return { location: { engine: 'postgres', url }, remove };
}

async function emptyAt(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  const tables = await sql.unsafe(
    `select tablename from pg_tables where schemaname = current_schema() and tablename <> 'schema_migration'`,
  );
  const names = tables.map(({ tablename }) => `"${tablename}"`).join(', ');
  await sql.unsafe(`truncate ${names} restart identity cascade`);
  await sql.end();
  emptied.push(url);
}

async function runAt(url: string, statement: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await sql.unsafe(statement);
  await sql.end();
}
