// Databases on the PostgreSQL server of the tests.
import { randomBytes } from 'node:crypto';
import postgres from 'postgres';

export interface TestDatabase {
  readonly name: string;
  readonly url: string;
}

/** An empty one, or a copy of another, which nobody may be connected to. */
export async function createDatabase(server: string, template?: string): Promise<TestDatabase> {
  const name = `cairn_test_${randomBytes(8).toString('hex')}`;
  await onServer(server, `create database ${name}${template === undefined ? '' : ` template ${template}`}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { name, url: url.href };
}

export async function dropDatabase(server: string, name: string): Promise<void> {
  await onServer(server, `drop database ${name} with (force)`);
}

async function onServer(url: string, statement: string): Promise<void> {
  const sql = postgres(url, { max: 1 });
  await sql.unsafe(statement);
  await sql.end();
}
