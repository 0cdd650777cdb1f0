// Direct statements on a test's database, for effects that the server lacks or has only after some time.
import { DatabaseSync } from 'node:sqlite';
import postgres from 'postgres';
import { inject } from 'vitest';
import { changesAccess } from '../../packages/server/src/engine/group.ts';
import type { Store } from '../../packages/server/src/store.ts';

export async function runStatement({ database }: Store, wanted: string): Promise<void> {
  const sql = changesAccess(wanted) ? `${wanted}; update access_epoch set epoch = epoch + 1` : wanted;
  if (database.engine === 'sqlite') {
    const [main] = await database.query<{ file: string }>('select file from pragma_database_list', []);
    const connection = new DatabaseSync(main?.file ?? '', { timeout: 10_000 });
    connection.exec(sql);
    connection.close();
    return;
  }
  const [row] = await database.query<{ name: string; schema: string }>(
    'select current_database() as name, current_schema() as schema',
    [],
  );
  const url = new URL(
    inject('isDistributed') && inject('citusUrl') !== '' ? inject('citusUrl') : inject('postgresUrl'),
  );
  url.pathname = `/${row?.name}`;
  url.searchParams.set('search_path', row?.schema ?? 'public');
  const connection = postgres(url.href, { max: 1 });
  await connection.unsafe(sql);
  await connection.end();
}

/** Every row of every table, to detect changes. Excludes usage, because reads change it. */
export async function contentsOf({ database }: Store): Promise<Record<string, string[]>> {
  const tables =
    database.engine === 'sqlite'
      ? `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name`
      : `select tablename as name from pg_tables where schemaname = current_schema() order by name`;
  const found = (await database.query<{ name: string }>(tables, [])).map(({ name }) => name);
  const names = found.filter((name) => name !== 'token_use' && name !== 'session_use' && name !== 'rate_bucket');
  const contents = Object.fromEntries(names.map((name): [string, string[]] => [name, []]));
  for (const { name, row } of await rowsOf(database, names)) contents[name]?.push(row);
  for (const rows of Object.values(contents)) rows.sort(byText);
  return contents;
}

interface TableRow {
  readonly name: string;
  readonly row: string;
}

async function rowsOf(database: Store['database'], names: readonly string[]): Promise<TableRow[]> {
  if (database.engine === 'postgres') {
    // One statement for all tables is many times faster than one per table.
    const each = names.map((name) => `select '${name}' as name, row_to_json(t)::text as row from "${name}" t`);
    return await database.query<TableRow>(each.join(' union all '), []);
  }
  const rows = names.map(async (name) =>
    (await database.query(`select * from "${name}"`, [])).map((row) => ({ name, row: rowText(row) })),
  );
  return (await Promise.all(rows)).flat();
}

const byText = (a: string, b: string) => (a < b ? -1 : Number(a > b));

const rowText = (row: unknown) =>
  JSON.stringify(row, (_, value) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value));
