// Runs once before all tests. It provides the packages as published, a PostgreSQL server on which each test makes its
// own database, and template databases of each engine. Tests copy a template, because creating the tables each time
// would double the duration.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import type { WritableDatabase } from '../../packages/server/src/engine/database.ts';
import { migrate } from '../../packages/server/src/engine/migration.ts';
import { openPostgresWriter } from '../../packages/server/src/engine/postgres/postgres.ts';
import { openSqliteWriter } from '../../packages/server/src/engine/sqlite/sqlite.ts';
import { unpackChromium } from '../tools/chromium.ts';
import { distributeAt } from './citus/location.ts';
import { NO_CLUSTER } from './citus/notice.ts';
import { checkRecorded } from './citus/recorded.ts';
import { installStandIn } from './citus/stand-in.ts';
import { createDatabase, dropDatabase } from './database.ts';
import { writeTestPackages } from './packages.ts';
import { startPostgres, type TestPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
    postgresTemplate: string;
    sqliteTemplate: string;
    packages: string;
    /** The coordinator of a Citus cluster; empty if there is none. */
    citusUrl: string;
    /** True for a run of the store tests on distributed repositories (vitest.citus.config.ts). */
    isDistributed: boolean;
  }
}

export default async function setup(project: TestProject) {
  await unpackChromium();
  const packages = await writeTestPackages();
  const given = process.env.CAIRN_TEST_POSTGRES_URL;
  const server: TestPostgres | undefined = given === undefined ? await startPostgres() : undefined;
  const postgresUrl = given ?? server?.url ?? '';
  const folder = mkdtempSync(join(tmpdir(), 'cairn-test-'));
  const sqliteTemplate = join(folder, 'cairn.db');
  await prepare(openSqliteWriter(sqliteTemplate));
  const template = await createDatabase(postgresUrl);
  await prepare(openPostgresWriter(template.url));
  const citusUrl = process.env.CAIRN_TEST_CITUS_URL ?? '';
  const statements = process.env.CAIRN_TEST_STATEMENTS;
  const isDistributed = statements !== undefined;
  if (isDistributed) {
    if (citusUrl === '') process.stdout.write(NO_CLUSTER);
    // Also needed to check statements that were recorded on a cluster.
    await layOutStandIn(template.url);
  }
  project.provide('citusUrl', citusUrl);
  project.provide('isDistributed', isDistributed);
  project.provide('postgresUrl', postgresUrl);
  project.provide('postgresTemplate', template.name);
  project.provide('sqliteTemplate', sqliteTemplate);
  project.provide('packages', packages.folder);
  return async () => {
    if (statements !== undefined) await checkRecorded(template.url, statements);
    rmSync(folder, { recursive: true, force: true });
    packages.remove();
    if (server === undefined) await dropDatabase(postgresUrl, template.name);
    await server?.stop();
  };
}

async function layOutStandIn(url: string): Promise<void> {
  await installStandIn(url);
  await distributeAt(url);
}

async function prepare(database: WritableDatabase): Promise<void> {
  await migrate(database);
  await database.close();
}
