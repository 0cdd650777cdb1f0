// Statements straight on a test's database, for what the server does not do yet or does only with time.
import { DatabaseSync } from 'node:sqlite';
import postgres from 'postgres';
import { inject } from 'vitest';
import type { Store } from '../../packages/server/src/store/store.ts';

export async function runStatement({ database }: Store, sql: string): Promise<void> {
  if (database.engine === 'sqlite') {
    const [main] = await database.query<{ file: string }>('select file from pragma_database_list', []);
    const connection = new DatabaseSync(main?.file ?? '', { timeout: 10_000 });
    connection.exec(sql);
    connection.close();
    return;
  }
  const [row] = await database.query<{ name: string }>('select current_database() as name', []);
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${row?.name}`;
  const connection = postgres(url.href, { max: 1 });
  await connection.unsafe(sql);
  await connection.end();
}

/** Every row of every table, to see whether anything changed. Usage is left out: reads change it. */
export async function contentsOf({ database }: Store): Promise<Record<string, unknown[]>> {
  const tables =
    database.engine === 'sqlite'
      ? `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name`
      : `select table_name as name from information_schema.tables where table_schema = 'public' order by name`;
  const found = await database.query<{ name: string }>(tables, []);
  const entries = found
    .filter(({ name }) => name !== 'token_use' && name !== 'session_use' && name !== 'rate_bucket')
    .map(
      async ({ name }) =>
        [name, (await database.query(`select * from "${name}"`, [])).map(rowText).sort(byText)] as const,
    );
  return Object.fromEntries(await Promise.all(entries));
}

const byText = (a: string, b: string) => (a < b ? -1 : Number(a > b));

const rowText = (row: unknown) =>
  JSON.stringify(row, (_, value) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value));
