// Databases on the PostgreSQL server of the tests.
import { randomBytes } from 'node:crypto';
import postgres from 'postgres';

export interface TestDatabase {
  readonly name: string;
  readonly url: string;
}

/**
 * An empty one, or a copy of another, which nobody may be connected to. Copied file by file: to write each page of it to
 * the log, as is the custom, takes twice as long, and what the server remembers of the tables is left behind.
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

/** Connections to servers, each kept for the next statement that comes soon. */
const connections = new Map<string, postgres.Sql>();

async function onServer(url: string, statement: string): Promise<void> {
  const sql = connections.get(url) ?? postgres(url, { max: 1, idle_timeout: 2, onnotice: () => {} });
  connections.set(url, sql);
  await sql.unsafe(statement);
}
