// Databases on the PostgreSQL server of the tests.
import { randomBytes } from 'node:crypto';
import postgres from 'postgres';

export interface TestDatabase {
  readonly name: string;
  readonly url: string;
}

/**
 * An empty database, or a copy of another one without connections. The copy is made file by file. The default strategy
 * writes each page to the log, takes twice as long, and loses the statistics of the tables.
 */
export async function createDatabase(server: string, template?: string): Promise<TestDatabase> {
  const name = `cairn_${template === undefined ? 'empty' : 'test'}_${randomBytes(8).toString('hex')}`;
  await onServer(
    server,
    `create database ${name}${template === undefined ? '' : ` template ${template} strategy file_copy`}`,
  );
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { name, url: url.href };
}

export async function dropDatabase(server: string, name: string): Promise<void> {
  await onServer(server, `drop database ${name} with (force)`);
}

/** Connections to servers, each kept for a short time for the next statement. */
const connections = new Map<string, postgres.Sql>();

async function onServer(url: string, statement: string): Promise<void> {
  const sql = connections.get(url) ?? postgres(url, { max: 1, idle_timeout: 2, onnotice: () => {} });
  connections.set(url, sql);
  await sql.unsafe(statement);
}
